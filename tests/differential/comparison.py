"""When two replies count as the same: byte by byte, except where the order, the time or chance decides."""

UNORDERED = {
    "SMEMBERS", "SINTER", "SUNION", "SDIFF", "SPOP", "HKEYS", "HVALS", "KEYS", "PUBSUB CHANNELS",
    "PUBSUB SHARDCHANNELS",
}  # fmt: skip
PAIRS = {"HGETALL"}
# DUMP tells the order of tables.
RANDOM = {"DUMP", "SRANDMEMBER", "HRANDFIELD", "ZRANDMEMBER", "RANDOMKEY", "OBJECT IDLETIME"}
SCANS = {"SCAN": 1, "SSCAN": 2, "HSCAN": 2, "ZSCAN": 2}
TOLERANCE = {"TTL": 2, "PTTL": 3000, "EXPIRETIME": 2, "PEXPIRETIME": 3000}
UNSUBSCRIBING = {"UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE"}
CONTAINERS = {"OBJECT", "PUBSUB", "CLIENT", "COMMAND"}


def name_of(words):
    name = words[0].decode(errors="replace").upper()
    if name in CONTAINERS and len(words) > 1:
        name += " " + words[1].decode(errors="replace").upper()
    return name


def _is_list(value):
    return isinstance(value[1], list)


def _shape(value):
    kind, content = value
    if kind == "-":
        return value
    if _is_list(value):
        return kind, [_shape(item) for item in content]
    return kind, content is None


def _sorted(value):
    kind, content = value
    return kind, sorted(content, key=repr)


def _sorted_pairs(value):
    kind, content = value
    return kind, sorted(zip(content[::2], content[1::2]), key=repr)


def _sort_has_no_order(words):
    """SORT BY a pattern without a star: a set's members come as they lie."""
    upper = [word.upper() for word in words]
    return any(upper[i] == b"BY" and b"*" not in upper[i + 1] for i in range(1, len(upper) - 1))


def order_of(words):
    """How a command's reply is ordered: 'any', 'pairs' or 'fixed'."""
    name = name_of(words)
    if name in UNORDERED or (name in ("SORT", "SORT_RO") and _sort_has_no_order(words)):
        return "any"
    return "pairs" if name in PAIRS else "fixed"


def _same_scan(name, words, ours, theirs):
    if not (_is_list(ours) and _is_list(theirs)) or len(ours[1]) != 2 or len(theirs[1]) != 2:
        return False
    at = SCANS[name]
    complete = ("$", b"0")
    whole = words[at] == b"0" and ours[1][0] == complete and theirs[1][0] == complete
    if not whole:
        return ours[0] == theirs[0] and _is_list(ours[1][1]) and _is_list(theirs[1][1])
    order = _sorted_pairs if name in ("HSCAN", "ZSCAN") else _sorted
    return order(ours[1][1]) == order(theirs[1][1])


def same(words, ours, theirs, queue=None):
    """`queue`: the requests of the transaction that this EXEC ran."""
    if ours == theirs:
        return True
    if ours[0] != theirs[0]:
        return False
    name = name_of(words)
    if name == "EXEC" and queue and _is_list(ours) and _is_list(theirs):
        if len(ours[1]) != len(theirs[1]) or len(ours[1]) != len(queue):
            return False
        # redis-server counts the queued words that still refer to the value.
        return all(
            same(queued, a, b) or name_of(queued) == "OBJECT REFCOUNT" for queued, a, b in zip(queue, ours[1], theirs[1])
        )
    if name in RANDOM:
        return _shape(ours) == _shape(theirs)
    if name in TOLERANCE and ours[0] == ":":
        a, b = int(ours[1]), int(theirs[1])
        return a > 0 and b > 0 and abs(a - b) <= TOLERANCE[name]
    if not (_is_list(ours) and _is_list(theirs)) or len(ours[1]) != len(theirs[1]):
        return name in SCANS and _is_list(ours) and _is_list(theirs) and _same_scan(name, words, ours, theirs)
    if name in SCANS:
        return _same_scan(name, words, ours, theirs)
    order = order_of(words)
    if order == "any" or ours[0] == "~":
        return _sorted(ours) == _sorted(theirs)
    if order == "pairs" or ours[0] == "%":
        return _sorted_pairs(ours) == _sorted_pairs(theirs)
    return False


def same_stream(words, ours, theirs, queue=None):
    """All that came on one connection after a step. Who leaves several channels leaves them in any order, and matching
    patterns deliver in any order."""
    if ours == theirs:
        return True
    if len(ours) != len(theirs):
        return False
    name = name_of(words)
    if name == "EXEC" and any(name_of(queued).endswith("SUBSCRIBE") for queued in queue or ()):
        # An answer a channel: which of them belong to which request, nobody can tell.
        return [_shape(value) for value in ours] == [_shape(value) for value in theirs]
    if name in UNSUBSCRIBING or name == "RESET":
        counts = [[value[1][2] for value in side if _is_list(value)] for side in (ours, theirs)]
        channels = [sorted(repr(value[1][:2]) for value in side if _is_list(value)) for side in (ours, theirs)]
        return counts[0] == counts[1] and channels[0] == channels[1]
    if name in ("PUBLISH", "SPUBLISH", "EXEC"):
        return sorted(ours, key=repr) == sorted(theirs, key=repr)
    return all(same(words, a, b) for a, b in zip(ours, theirs))
