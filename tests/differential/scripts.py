#!/usr/bin/env python3
"""Plays random Lua scripts to Fairlane and to redis-server side by side and compares the replies byte by byte.

What is in them: values of every kind on their way to a reply, replies of commands on their way to a value, errors
raised in every manner, and the functions of Lua and of the libraries that Redis adds, with arguments good and bad. A
difference is printed with the script. The last line is "N passed, M failed".
"""

import argparse
import os
import random
import sys
import tempfile

from server import NOTHING, Connection, Server, find_redis

MOST_FAILURES = 20
BATCH = 50

# What redis-server dies of, or takes for ever for.
AVOIDED = ("error({})",)

NUMBERS = ["0", "1", "-1", "2", "3", "7", "10", "31", "32", "33", "127", "128", "255", "256", "1000", "65535", "65536",
           "1.5", "-1.5", "0.1", "3.99", "1e3", "1e14", "1e15", "1e17", "1e20", "-1e20", "1e300", "2^31", "-2^31", "2^32", "2^53",
           "2^63", "-2^63", "1/0", "-1/0", "0/0", "-0.0", "1/3", "12345678901234567890"]
TEXTS = ["''", "'a'", "'abc'", "'hello world'", "'10'", "'-5'", "'3.5'", "'0x10'", "' 7 '", "'1e5'", "'a\\0b'", "'\\255\\254'",
         "'a,b,c'", "'key=value'", "'%d'", "'[x]'", "'line\\r\\nend'", "'ERR text'", "'CODE some text'", "'\\195\\169'", "'null'"]
KEYS = ["s", "n", "l", "h", "z", "t", "x", "none"]
PATTERNS = ["'a'", "'.'", "'%w+'", "'%d*'", "'(%w)(%w)'", "'^%s*(.-)%s*$'", "'[a-c]+'", "'[^%s]+'", "'%f[%w]%w+'", "'%b()'", "'(a'",
            "'[a'", "'%'", "'x-'", "'a?b'", "'()'", "'%1'", "'(.)%1'", "'$'", "'^'", "'.-o'", "''", "'%z'", "'%p'"]
JSON = ['1', '-1.5e3', '"a"', 'null', 'true', '[]', '{}', '[1,2,[3]]', '{"a":1,"b":[true,null]}', '"\\\\u00e9\\\\n"', ' [ 1 , 2 ] ',
        '[1,', '{"a"', '{"a":}', '[1 2]', 'nul', '"abc', '{1:2}', 'nan', '0x1F', '01', '1.', '-', '[1]x', '{"k":"\\\\ud83d\\\\ude00"}']
FORMATS = ["b", "B", "h", "H", "i", "I", "l", "L", "i3", "I5", "i16", "f", "d", "s", "c3", "c0", "x", ">", "<", "!4", "!", " ", "T", "y", "i33"]
COMMANDS = [
    ["'GET'", "K"], ["'SET'", "K", "V"], ["'SET'", "K", "V", "'NX'"], ["'INCR'", "K"], ["'INCRBYFLOAT'", "'n'", "V"], ["'APPEND'", "K", "V"],
    ["'HSET'", "'h'", "V", "V"], ["'HGETALL'", "K"], ["'HGET'", "'h'", "V"], ["'HMGET'", "'h'", "V", "V"], ["'HINCRBY'", "'h'", "V", "V"],
    ["'LPUSH'", "'l'", "V", "V"], ["'LRANGE'", "K", "0", "-1"], ["'LPOP'", "K"], ["'LPOP'", "'l'", "N"], ["'LPOS'", "'l'", "V"], ["'LLEN'", "K"],
    ["'ZADD'", "'z'", "V", "V"], ["'ZRANGE'", "'z'", "0", "-1", "'WITHSCORES'"], ["'ZSCORE'", "'z'", "V"], ["'ZPOPMIN'", "'z'"], ["'ZRANK'", "'z'", "V"],
    ["'ZINCRBY'", "'z'", "V", "V"], ["'ZMSCORE'", "'z'", "V", "V"], ["'SADD'", "'t'", "V"], ["'SISMEMBER'", "'t'", "V"], ["'SMISMEMBER'", "'t'", "V", "V"],
    ["'SCARD'", "K"], ["'DEL'", "K"], ["'EXISTS'", "K", "K"], ["'TYPE'", "K"], ["'EXPIRE'", "K", "1000"], ["'PERSIST'", "K"], ["'STRLEN'", "K"],
    ["'MGET'", "K", "K"], ["'GETRANGE'", "K", "N", "N"], ["'XADD'", "'x'", "'7-*'", "V", "V"], ["'XLEN'", "K"], ["'ECHO'", "V"], ["'PING'"], ["'PING'", "V"],
    ["'NOSUCH'", "V"], ["'GET'"], ["'SELECT'", "N"], ["'MULTI'"], ["'OBJECT'", "'ENCODING'", "K"], ["'OBJECT'", "'X'"], ["V"], ["'SORT'", "'l'"],
    ["'DECR'", "'n'"], ["'SETRANGE'", "'s'", "N", "V"], ["'COPY'", "K", "K"], ["'RENAME'", "K", "K"], ["'SUBSCRIBE'", "V"], ["'PUBLISH'", "V", "V"],
    ["'DBSIZE'"], ["'FLUSHDB'"], ["'HSTRLEN'", "'h'", "V"], ["'ZCOUNT'", "'z'", "'-inf'", "'+inf'"], ["'LINDEX'", "'l'", "N"], ["'GETDEL'", "K"],
]


class Maker:
    """Makes scripts by chance."""

    def __init__(self, chance):
        self._chance = chance

    def one(self, *choices):
        return self._chance.choice(choices)

    def number(self):
        return self._chance.choice(NUMBERS)

    def text(self):
        return self._chance.choice(TEXTS)

    def scalar(self):
        return self.one(self.number, self.text, self.text, lambda: self.one("true", "false", "nil"))()

    def table(self, depth):
        kind = self._chance.randrange(6)
        items = [self.value(depth - 1) for _ in range(self._chance.randrange(5))]
        if kind < 3:
            return "{" + ", ".join(items) + "}"
        if kind == 3:
            return "{" + ", ".join("[%s] = %s" % (self.one("1", "2", "3", "5", "'a'", "'b'", "'1'", "10", "1.5", "-1", "true"), item) for item in items) + "}"
        if kind == 4:
            name = self.one("ok", "err", "double", "big_number", "map", "set", "verbatim_string", "x")
            return "{%s = %s}" % (name, self.value(depth - 1))
        return self.one("{map = {a = %s}}", "{set = {a = %s}}", "{verbatim_string = {format = 'txt', string = %s}}", "{double = %s}",
                        "{1, %s, nil, 4}") % self.value(depth - 1)

    def value(self, depth=2):
        if depth <= 0 or self._chance.random() < 0.6:
            return self.scalar()
        return self.table(depth)

    def word(self, kind):
        if kind == "K":
            return "'%s'" % self._chance.choice(KEYS)
        if kind == "N":
            return self.one("0", "1", "2", "-1", "5", "'x'", "1.5", "99")
        if kind == "V":
            return self._chance.choice(NUMBERS) if self._chance.random() < 0.4 else self.text()
        return kind

    def call(self):
        words = [self.word(kind) for kind in self._chance.choice(COMMANDS)]
        if self._chance.random() < 0.05:
            words.append(self.value())
        return "redis.%s(%s)" % (self.one("call", "pcall", "pcall"), ", ".join(words))

    def json_call(self):
        if self._chance.random() < 0.5:
            return "cjson.encode(%s)" % self.value(3)
        text = list(self._chance.choice(JSON))
        if self._chance.random() < 0.3 and text:
            text[self._chance.randrange(len(text))] = self.one("x", "[", "}", ",", "1", " ", '"')
        decoded = "cjson.decode('%s')" % "".join(text)
        return self.one("%s", "cjson.encode(%s)", "tostring(%s)", "type(%s)") % decoded

    def msgpack_call(self):
        packed = "cmsgpack.pack(%s)" % ", ".join(self.value(3) for _ in range(self._chance.randrange(3)))
        if self._chance.random() < 0.4:
            return packed
        if self._chance.random() < 0.5:
            return "cmsgpack.unpack(%s)" % packed
        codes = "".join("\\%d" % self.one(self._chance.randrange(256), 0x91, 0x81, 0xC0, 0xC3, 0xCC, 0xD0, 0xD9, 0xA1, 1, 2) for _ in range(self._chance.randrange(1, 9)))
        return self.one("cmsgpack.unpack('%s')", "cmsgpack.unpack_one('%s', 1)", "cmsgpack.unpack_limit('%s', 2)") % codes

    def struct_call(self):
        form = "".join(self._chance.choice(FORMATS) for _ in range(self._chance.randrange(1, 4)))
        if self._chance.random() < 0.5:
            return "struct.pack('%s', %s)" % (form, ", ".join(self.scalar() for _ in range(self._chance.randrange(1, 4))))
        if self._chance.random() < 0.3:
            return "struct.size('%s')" % form
        data = "".join("\\%d" % self._chance.randrange(256) for _ in range(self._chance.randrange(20)))
        return "struct.unpack('%s', '%s'%s)" % (form, data, self.one("", "", ", 1", ", 2", ", 0", ", 99"))

    def bit_call(self):
        name = self.one("tobit", "bnot", "band", "bor", "bxor", "lshift", "rshift", "arshift", "rol", "ror", "bswap", "tohex")
        return "bit.%s(%s)" % (name, ", ".join(self.one(self.number, self.number, self.scalar)() for _ in range(self._chance.randrange(4))))

    def string_call(self):
        subject, pattern = self.text(), self._chance.choice(PATTERNS)
        number = self.one("1", "2", "-1", "-3", "0", "100")
        return self.one(
            "string.find(%s, %s)" % (subject, pattern), "string.find(%s, %s, %s)" % (subject, pattern, number),
            "string.find(%s, %s, 1, true)" % (subject, pattern), "string.match(%s, %s)" % (subject, pattern),
            "string.gsub(%s, %s, %s)" % (subject, pattern, self.one(self.text(), "'%1'", "'<%0>'", "'%'", "'%9'", "{a = 'x', b = false}", "function(a, b) return b or a end", "5", "nil", "string.upper")),
            "string.rep(%s, %s)" % (subject, self.one("0", "3", "-1", "2.7", "'x'")), "string.sub(%s, %s, %s)" % (subject, number, self.scalar()),
            "string.byte(%s, %s, %s)" % (subject, number, self.one("1", "-1", "3")), "string.char(%s, %s)" % (self.one("65", "0", "255", "256", "-1", "'a'"), self.one("66", "10")),
            "string.format(%s, %s)" % (self.one("'%d'", "'%5.2f'", "'%s|%q'", "'%x'", "'%g'", "'%5s'", "'%-5s|'", "'%c'", "'%i'", "'%%'", "'%y'", "'%.3s'", "'%e'", "'%u'", "'%05d'"), self.scalar()),
            "string.%s(%s)" % (self.one("len", "lower", "upper", "reverse"), self.scalar()), "(%s):upper()" % subject,
            "(function() local o = {} for a, b in string.gmatch(%s, %s) do o[#o + 1] = a o[#o + 1] = b if #o > 20 then break end end return unpack(o) end)()" % (subject, pattern))

    def table_call(self):
        table = self.table(1)
        return self.one(
            "table.concat(%s, %s)" % (table, self.one("','", "''", "1", "nil")), "(function(t) table.insert(t, %s) return t end)(%s)" % (self.value(1), table),
            "(function(t) table.insert(t, %s, %s) return t end)(%s)" % (self.one("1", "2", "9", "'x'"), self.scalar(), table),
            "table.remove(%s, %s)" % (table, self.one("1", "2", "nil", "9")), "(function(t) table.sort(t) return t end)(%s)" % table,
            "(function(t) table.sort(t, function(a, b) return tostring(a) > tostring(b) end) return t end)(%s)" % table,
            "unpack(%s)" % table, "unpack(%s, %s, %s)" % (table, self.one("1", "2", "-1"), self.one("1", "3", "5")), "#%s" % table,
            "table.maxn(%s)" % table, "table.getn(%s)" % table, "select(%s, %s)" % (self.one("1", "2", "'#'", "-1", "0", "9"), ", ".join([self.scalar(), self.scalar()])),
            "next(%s)" % self.one("{}", "{1}", "{a = 1}", "5"))

    def base_call(self):
        return self.one(
            "tonumber(%s)" % self.scalar(), "tonumber(%s, %s)" % (self.text(), self.one("2", "10", "16", "36", "99")), "tostring(%s)" % self.scalar(),
            "type(%s)" % self.value(1), "pcall(error, %s)" % self.value(1), "pcall(function() return %s end)" % self.expression(),
            "xpcall(function() error(%s) end, function(e) return e end)" % self.scalar(), "loadstring(%s)" % self.one("'return 1'", "'x x'", "'return ...'", "'error(1)'", self.text()),
            "(loadstring(%s) or tostring)(%s)" % (self.one("'return ...'", "'x x'", "'error(...)'"), self.scalar()), "rawequal(%s, %s)" % (self.scalar(), self.scalar()),
            "math.%s(%s)" % (self.one("floor", "ceil", "abs", "sqrt", "exp", "log", "fmod", "modf", "max", "min", "pow", "deg", "frexp"), ", ".join([self.number(), self.number()])),
            "redis.sha1hex(%s)" % self.scalar(), "redis.error_reply(%s)" % self.one(self.text(), self.text(), self.scalar()), "redis.status_reply(%s)" % self.one(self.text(), self.scalar()),
            "assert(%s, %s)" % (self.scalar(), self.scalar()), "setmetatable({}, {__index = function(t, k) return k end})[%s]" % self.one("1", "'a'"),
            "(function(...) return select('#', ...) end)(%s)" % self.scalar(), "%s %s %s" % (self.scalar(), self.one("+", "-", "*", "/", "%", "^", "..", "==", "<", "<=", "and", "or"), self.scalar()),
            "-%s" % self.scalar(), "not %s" % self.scalar(), "redis.log(%s, %s)" % (self.one("0", "'x'", "9"), self.text()), "redis.setresp(%s)" % self.one("2", "3", "4", "'x'"))

    def expression(self):
        makers = [self.value, self.value, self.call, self.call, self.call, self.json_call, self.msgpack_call, self.struct_call, self.bit_call,
                  self.string_call, self.string_call, self.table_call, self.base_call, self.base_call]
        return self._chance.choice(makers)()

    def statement(self):
        kind = self._chance.randrange(12)
        if kind < 5:
            return "return %s" % self.expression()
        if kind < 8:
            return "return {%s}" % ", ".join(self.expression() for _ in range(self._chance.randrange(1, 4)))
        if kind == 8:
            return "error(%s)" % self.one(self.text(), "{err = %s}" % self.text(), self.number(), "redis.error_reply(%s)" % self.text(), "{err = 'x', source = 'y'}", self.scalar())
        if kind == 9:
            return "local v = %s return {type(v), type(v) == 'table' and (v.err or v.ok or v.double or #v) or v}" % self.call()
        if kind == 10:
            return "local a, b, c = %s return {tostring(a), type(b), c}" % self.expression()
        return self.one("x = %s", "return x%s", "redis.call = %s", "local t = %s t.x = 1 return t.x", "KEYS[1] = %s return KEYS[1]",
                        "for i, v in ipairs({%s}) do return {i, v} end", "if %s then return 1 else return 0 end", "return (%s)()", "return (%s).x") % self.scalar()

    def script(self):
        parts = []
        if self._chance.random() < 0.25:
            parts.append("redis.setresp(%s)" % self.one("2", "3", "3"))
        while self._chance.random() < 0.3:
            parts.append(self.call())
        parts.append(self.statement())
        return self.one(" ", "\n", "; ").join(parts)


def comparable(script, reply):
    """Addresses differ; and what a script leaves in the log says nothing."""
    return not any(word in repr(reply) for word in ("table: 0x", "function: 0x", "userdata: 0x", "thread: 0x"))


def requests(maker):
    script = maker.script()
    if any(word in script for word in AVOIDED):
        return None
    return [b"EVAL", script.encode("latin-1"), b"2", b"s", b"h", b"first", b"5"]


SETUP = [[b"FLUSHALL"], [b"SET", b"s", b"text"], [b"SET", b"n", b"10"], [b"RPUSH", b"l", b"a", b"2", b"c"], [b"HSET", b"h", b"a", b"1", b"b", b"x"],
         [b"ZADD", b"z", b"1", b"a", b"2.5", b"b"], [b"SADD", b"t", b"one"], [b"XADD", b"x", b"1-1", b"f", b"v"]]


def replies(connection, batch):
    for words in batch:
        connection.send(words)
    return [connection.read() for _ in batch]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True, help="the fairlane-server program")
    parser.add_argument("--redis", help="the redis-server program (default: the one on the PATH)")
    parser.add_argument("--count", type=int, default=20000, help="scripts")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Server(os.path.abspath(options.server), [], folder), Server(options.redis or find_redis(folder), [], folder)
        try:
            number = 0
            while passed + failed < options.count and failed < MOST_FAILURES:
                chance = random.Random("%d/%d" % (options.seed, number))
                number += 1
                maker = Maker(chance)
                batch = [words for words in (requests(maker) for _ in range(BATCH)) if words]
                hello = [[b"HELLO", b"3"]] if chance.random() < 0.5 else []
                results = []
                for server in (theirs, ours):
                    connection = Connection(server.port)
                    results.append(replies(connection, hello + SETUP + batch)[-len(batch):])
                    connection.close()
                for words, right, got in zip(batch, *results):
                    if right == got or not comparable(words[1], right):
                        passed += 1
                        continue
                    failed += 1
                    print("%s\n  redis-server: %r\n  Fairlane:     %r" % (words[1].decode("latin-1"), right, got))
                    break  # what comes behind may differ for the same reason
        finally:
            ours.stop()
            theirs.stop()
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
