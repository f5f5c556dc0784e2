"""Values of arguments: few keys, so that types collide, and numbers at the borders."""

KEYS_OF_GROUP = {
    "string": [b"s1", b"s2", b"n1"],
    "list": [b"l1", b"l2"],
    "set": [b"m1", b"m2", b"m3"],
    "hash": [b"h1", b"h2"],
    "sorted-set": [b"z1", b"z2", b"z3"],
    "bitmap": [b"s1", b"b1"],
    "hyperloglog": [b"p1", b"p2", b"p3"],
    "geo": [b"g1", b"g2", b"z1"],
}
ALL_KEYS = [key for keys in KEYS_OF_GROUP.values() for key in keys] + [b"w_a", b"w_1"]
KEY_OF_EQUAL_SCORES = b"z0"

WORDS = [
    b"a", b"b", b"c", b"d", b"ab", b"abc", b"1", b"2", b"3", b"10", b"-1", b"0", b"", b"A", b"f1", b"h1",
    b"1.5", b"007", b"9223372036854775807", b"\xff\x00", b"a b", b"x\r\ny", b"x" * 70, b"3.0",
]  # fmt: skip
NUMBERS = [b"0", b"1", b"5", b"-3", b"10", b"9223372036854775807", b"-9223372036854775808", b"1.5", b"12345678901"]
INDEXES = [b"0", b"1", b"2", b"3", b"-1", b"-2", b"-3", b"5", b"-100", b"100"]
COUNTS = [b"0", b"1", b"2", b"3", b"-1", b"-2", b"5", b"-7", b"100"]
BORDERS = [
    b"9223372036854775807", b"-9223372036854775808", b"9223372036854775808", b"4294967296", b"2147483647",
    b"-2147483649", b"18446744073709551615",
]  # fmt: skip
INCREMENTS = [b"1", b"2", b"-1", b"0", b"10", b"9223372036854775807", b"-9223372036854775808", b"4611686018427387904"]
FLOATS = [
    b"0", b"1", b"-1", b"1.5", b"0.1", b"0.2", b"3.0", b"1e3", b"-2.5e-3", b"1e17", b"123456789012345678", b"5e-324",
    b"1e300", b"inf", b"-inf", b"nan", b"0x10", b"1e400", b"3.14159265358979", b"17179869184.5", b"-0", b".5", b"+1",
]  # fmt: skip
SCORES = [b"0", b"0", b"1", b"1", b"2", b"3", b"-1", b"1.5", b"0.1"] + FLOATS
SCORE_BOUNDS = [b"-inf", b"+inf", b"(1", b"1", b"0", b"2", b"(0", b"(-inf", b"3", b"1.5", b"inf", b"(inf", b"("]
LEX_BOUNDS = [b"-", b"+", b"[a", b"(a", b"[b", b"(c", b"[", b"(", b"[abc", b"a", b"[x"]
PATTERNS = [b"*", b"*", b"s?", b"[a-c]*", b"h*", b"\\*", b"[^a]*", b"a", b"", b"*1", b"[sl]1", b"?", b"[", b"**a"]
SORT_PATTERNS = [b"w_*", b"nosort", b"h1->f1", b"h*->f1", b"*", b"#", b"h1->*", b"s*", b"*->", b"w_*->"]
CHANNELS = [b"c1", b"c2", b"c3", b"a"]
CHANNEL_PATTERNS = [b"c*", b"c?", b"*", b"[ab]", b"c1"]
DATABASES = [b"0", b"0", b"1", b"2", b"15", b"16", b"-1"]
TYPES = [b"string", b"list", b"set", b"zset", b"hash", b"stream", b"ZSET", b"nothing"]
# A string, a number, a list, two hashes, two sorted sets, a set, one of integers; a footer alone.
PAYLOADS = [
    b"\x00\x05hello\n\x00cr\xdfve4 \n",
    b"\x00\xc0\x0c\n\x00<*\xf8Q\\\x04\xbc\xd5",
    b"\x01\x02\x01a\x01b\n\x002\xa8\x90~\xd5\x03\x1aE",
    b"\x04\x01\x01f\x01v\n\x00\xad\xf2CV\xb1\x86\x0e\xfc",
    b"\x10\x17\x17\x00\x00\x00\x06\x00\x81f\x02\x81v\x02\x81n\x02\x0c\x01\x81e\x02\x80\x01\xff\n\x00\xe9\x0e\xd3`W\xe0\x12-",
    b"\x0c\x11\x11\x00\x00\x00\r\x00\x00\x00\x02\x00\x00\x01a\x03\xfe\x05\xff\n\x00\x85\x80\xc8d\x97-\xdds",
    b"\x05\x03\x01b\x00\x00\x00\x00\x00\x00\x04@\x01a\x00\x00\x00\x00\x00\x00\xf0?\x01c\x00\x00\x00\x00\x00\x00\xf0\xff\n\x00\x9a$\xca\x8f\xdc\xb1\xd0\x8c",
    b"\x02\x01\x01a\n\x00b\x96\xe9~D\xd2\x1am",
    b"\x0b\x0a\x02\x00\x00\x00\x01\x00\x00\x00\x01\x00\n\x00\x05oa)\x0cI\x054",
    b"\n\x00]\x9b\\@\x0f\x7f\xa2\xda",
]
# Far enough away that nothing expires while a program runs, or over at once.
SECONDS = [b"100", b"1000", b"100000", b"0", b"-1", b"9223372036854775807", b"9223372036854775", b"-9223372036854775808"]
MILLISECONDS = [b"100000", b"1000000", b"0", b"-1", b"9223372036854775807", b"-9223372036854775808"]
UNIX_SECONDS = [b"1", b"99999999999", b"0", b"-1", b"9223372036854775807", b"9000000000"]
UNIX_MILLISECONDS = [b"1", b"99999999999999", b"0", b"-1", b"9223372036854775807", b"9000000000000"]
OFFSETS = [b"0", b"1", b"3", b"10", b"100", b"-1", b"536870912", b"9223372036854775807"]
BIT_OFFSETS = [b"0", b"1", b"7", b"8", b"13", b"64", b"100", b"#0", b"#1", b"#5", b"-1", b"#", b"4294967296"]
ENCODINGS = [b"u8", b"i8", b"u1", b"i1", b"u4", b"i5", b"u16", b"i33", b"u63", b"i64", b"u64", b"i65", b"u0", b"x8", b"U8"]
SKETCH_PARTS = [b"ENCODING", b"DECODE", b"TODENSE", b"encoding", b"GETREG", b"NOTHING"]
LONGITUDES = [
    b"0", b"1", b"1.5", b"13.361389", b"15.087269", b"-0.1", b"179.99", b"-180", b"180", b"-122.4", b"181", b"inf", b"x",
]  # fmt: skip
LATITUDES = [b"0", b"1", b"1.5", b"38.115556", b"37.502669", b"-33.9", b"85.05112878", b"-85", b"66.5", b"-81", b"86", b"x"]
LENGTHS = [b"0", b"1", b"100", b"166.3", b"5000", b"200000", b"1e7", b"25000000", b"-1", b"inf", b"x"]
RANDOM_COUNTS = [b"0", b"1", b"2", b"5", b"-1", b"-3", b"-10", b"100", b"9223372036854775807", b"-9223372036854775808"]
OUT_OF_RANGE = [b"5e-324", b"1e400"]
BAD_TIMEOUTS = [b"-1", b"abc", b"", b"-0.5"]
BAD_WORDS = [b"", b"abc", b"1.0e", b"nan", b"\xfe\x00\r\n", b" x", b"+x", b"9223372036854775808", b"(", b"[", b"NX", b"GET"]
