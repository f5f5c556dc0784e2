"""Random requests from the argument trees of COMMAND DOCS."""

import fnmatch
from collections import namedtuple

import pools
from comparison import name_of

Argument = namedtuple("Argument", "name type token optional multiple multiple_token arguments")
Command = namedtuple("Command", "name words group arguments keys")

# Of these containers only what is named here takes part; of all others nothing is left out but EXCLUDED.
CHOSEN = {
    "client": {"getname", "setname", "no-evict", "getredir"},
    "command": {"getkeys", "getkeysandflags"},
    "object": {"encoding", "freq", "idletime", "refcount"},
    "pubsub": {"channels", "numpat", "numsub", "shardchannels", "shardnumsub"},
}
# Administration, what depends on the time or on who asks, and what ends the connection.
EXCLUDED = {
    "acl", "bgrewriteaof", "bgsave", "cluster", "config", "debug", "failover", "hello", "info", "lastsave", "latency",
    "lolwut", "memory", "module", "monitor", "psync", "quit", "readonly", "readwrite", "replicaof", "role", "save",
    "script", "shutdown", "slaveof", "slowlog", "sync", "time", "wait", "replconf", "asking", "migrate",
    "eval", "evalsha", "eval_ro", "evalsha_ro", "fcall", "fcall_ro", "function", "pfselftest",
}  # fmt: skip
# Options that redis-server 7.0 does not have, and waits that would hold a program up.
LEFT_OUT_OPTIONS = {("hscan", "NOVALUES"), ("xread", "BLOCK"), ("xreadgroup", "BLOCK")}
SUBSCRIBING = {"subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe"}
TRANSACTIONS = {"multi", "exec", "discard", "watch", "unwatch", "reset"}
WRITERS = ["set", "rpush", "hset", "sadd", "zadd"]
BLOCKING = {"BLPOP", "BRPOP", "BLMOVE", "BRPOPLPUSH", "BLMPOP", "BZPOPMIN", "BZPOPMAX", "BZMPOP"}
SCANS = {"SCAN": 1, "SSCAN": 2, "HSCAN": 2, "ZSCAN": 2}
KEEP_SCORES = {"ZREM", "ZPOPMIN", "ZPOPMAX", "ZRANGE", "ZREVRANGE", "ZCARD", "ZRANK", "ZREVRANK", "ZREMRANGEBYRANK"}
RANDOM_COUNTED = {"SRANDMEMBER", "HRANDFIELD", "ZRANDMEMBER"}


def _plain(value):
    """A reply as Python values; maps with text keys."""
    kind, content = value
    if kind == "%":
        return {_plain(content[i]): _plain(content[i + 1]) for i in range(0, len(content), 2)}
    if isinstance(content, list):
        return [_plain(item) for item in content]
    return content.decode(errors="replace") if content is not None else None


def _argument(described):
    flags = described.get("flags", [])
    return Argument(
        described["name"],
        described["type"],
        described.get("token"),
        "optional" in flags,
        "multiple" in flags,
        "multiple_token" in flags,
        [_argument(each) for each in described.get("arguments", [])],
    )


class Grammar:
    def __init__(self, ours, theirs, pattern):
        """The commands that both servers know, from their control connections."""
        ours.call("HELLO", "3")
        docs = _plain(ours.call("COMMAND", "DOCS"))
        ours.call("HELLO", "2")
        self.commands = {}
        for name, described in docs.items():
            if name in EXCLUDED:
                continue
            parts = described.get("subcommands")
            if parts is None:
                self._add(name, described)
                continue
            for full_name, part in parts.items():
                if full_name.split("|")[1] in CHOSEN.get(name, ()):
                    self._add(full_name, part)
        known = theirs.call("COMMAND", "INFO", *self.commands)[1]
        unknown = [name for name, info in zip(list(self.commands), known) if info[1] is None]
        for name in unknown:
            del self.commands[name]
        info = ours.call("COMMAND", "INFO", *self.commands)[1]
        for name, entry in zip(list(self.commands), info):
            self.commands[name] = self.commands[name]._replace(keys=len(entry[1][8][1]))
        patterns = [each.strip().lower() for each in pattern.split(",")] if pattern else ["*"]
        self.chosen = [
            name
            for name in self.commands
            if name not in SUBSCRIBING | TRANSACTIONS and any(fnmatch.fnmatch(name, each) for each in patterns)
        ]
        if not self.chosen:
            raise SystemExit("no command fits " + pattern)

    def _add(self, name, described):
        arguments = [
            _argument(each)
            for each in described.get("arguments", [])
            if (name, each.get("token")) not in LEFT_OUT_OPTIONS
        ]
        words = [part.upper().encode() for part in name.split("|")]
        self.commands[name] = Command(name, words, described.get("group", ""), arguments, 0)


class Writer:
    """Writes requests of one grammar under one generator."""

    def __init__(self, grammar, random):
        self._grammar = grammar
        self._random = random
        self._command = None
        self._key_count = 1
        # SORT of redis-server fails when a number that was read earlier left strtod's range error behind.
        self.within_range = False

    def request(self, name):
        """The words of a random request of a command."""
        self._command = self._grammar.commands[name]
        if name in ("command|getkeys", "command|getkeysandflags"):
            return self._command.words + self.request(self._random.choice(self._grammar.chosen))
        chunks = self._sequence(self._command.arguments)
        words = self._command.words + [word for chunk in chunks for word in chunk]
        words = self._spoiled(words)
        return self._tamed(words)

    def _chance(self, probability):
        return self._random.random() < probability

    def _sequence(self, arguments):
        """A chunk of words for each argument that is there."""
        chunks = []
        options = []
        count_at = None
        for argument in arguments:
            if argument.optional and not self._chance(0.35):
                continue
            if argument.name == "numkeys":
                count_at = len(chunks)
                chunks.append([b"1"])
                continue
            words = self._words(argument)
            if count_at is not None and argument.type == "key":
                self._key_count = len(words)
                exact = self._chance(0.92)
                chunks[count_at] = [b"%d" % len(words) if exact else self._random.choice(pools.COUNTS + pools.BORDERS)]
                count_at = None
            if argument.optional:
                options.append(len(chunks))
            chunks.append(words)
        if len(options) > 1 and self._chance(0.3):
            one, other = self._random.sample(options, 2)
            chunks[one], chunks[other] = chunks[other], chunks[one]
        return chunks

    def _times(self, argument):
        if not argument.multiple:
            return 1
        if argument.name == "weight" and self._chance(0.85):
            return self._key_count
        if argument.type != "key" and not argument.optional and self._chance(0.03):
            return self._random.choice([20, 130, 140])
        return self._random.choice([1, 1, 2, 3])

    def _words(self, argument):
        words = []
        times = self._times(argument)
        for i in range(times):
            if argument.token is not None and argument.type != "pure-token" and (i == 0 or argument.multiple_token):
                words.append(self._cased(argument.token.encode()))
            if argument.type == "pure-token":
                words.append(self._cased(argument.token.encode()))
            elif argument.type == "oneof":
                words += self._words(self._random.choice(argument.arguments)._replace(optional=False))
            elif argument.type == "block":
                words += [word for chunk in self._sequence(argument.arguments) for word in chunk]
            elif times > 10 and argument.type == "string":
                words.append(b"%s%d" % (self._random.choice([b"e", b"", b"long element "]), i))
            else:
                words.append(self._value(argument))
        return words

    def _cased(self, token):
        return token.lower() if self._chance(0.1) else token

    def _value(self, argument):
        pool = self._pool(argument)
        if argument.type == "integer" and self._chance(0.04):
            pool = pools.BORDERS if pool in (pools.INDEXES, pools.COUNTS, pools.INCREMENTS) else pool
        return self._random.choice(pool)

    def _pool(self, argument):
        name, kind = argument.name, argument.type
        if kind == "key":
            own = pools.KEYS_OF_GROUP.get(self._command.group)
            return own if own and self._chance(0.8) else pools.ALL_KEYS
        if kind == "integer":
            return self._integers(name)
        if kind == "unix-time":
            return pools.UNIX_MILLISECONDS if "milli" in name else pools.UNIX_SECONDS
        if name == "timeout":
            return pools.BAD_TIMEOUTS if self._chance(0.05) else [b"0.01"]
        if kind == "double":
            return self._doubles(name)
        if kind == "pattern":
            if self._command.group == "pubsub":
                return pools.CHANNEL_PATTERNS
            return pools.SORT_PATTERNS if self._command.name.startswith("sort") else pools.PATTERNS
        return self._texts(name)

    def _integers(self, name):
        exact = {
            "seconds": pools.SECONDS, "milliseconds": pools.MILLISECONDS, "increment": pools.INCREMENTS,
            "decrement": pools.INCREMENTS, "cursor": [b"0", b"0", b"0", b"0", b"7"], "timeout": [b"0.01"],
            "offset": pools.OFFSETS, "db": pools.DATABASES, "destination-db": pools.DATABASES,
            "ttl": pools.MILLISECONDS,
        }  # fmt: skip
        if self._command.name.startswith("bitfield") and name == "offset":
            return pools.BIT_OFFSETS
        if name in exact:
            return exact[name]
        if name.startswith("index") and self._command.name in ("select", "swapdb"):
            return pools.DATABASES
        return pools.INDEXES if name in ("start", "stop", "end", "index", "rank") else pools.COUNTS

    def _doubles(self, name):
        exact = {
            "min": pools.SCORE_BOUNDS, "max": pools.SCORE_BOUNDS, "longitude": pools.LONGITUDES,
            "latitude": pools.LATITUDES, "radius": pools.LENGTHS, "width": pools.LENGTHS, "height": pools.LENGTHS,
        }  # fmt: skip
        if name in exact:
            return exact[name]
        return pools.SCORES if name in ("score", "weight") else pools.FLOATS

    def _texts(self, name):
        if name in ("min", "max", "start", "stop"):
            if "lex" in self._command.name:
                return pools.LEX_BOUNDS
            if "byscore" in self._command.name or "count" in self._command.name:
                return pools.SCORE_BOUNDS
            return self._random.choice([pools.LEX_BOUNDS, pools.SCORE_BOUNDS, pools.INDEXES])
        if "channel" in name:
            return pools.CHANNELS
        if name == "type":
            return pools.TYPES
        if name == "encoding":
            return pools.ENCODINGS
        if name == "subcommand":
            return pools.SKETCH_PARTS
        if name == "serialized-value":
            return pools.PAYLOADS
        if name == "value" and self._chance(0.5):
            return pools.NUMBERS
        return pools.WORDS

    def _spoiled(self, words):
        """With a small probability: a word too few, too many or wrong."""
        if not self._chance(0.06) or len(words) < 2:
            return words
        words = list(words)
        at = self._random.randrange(1, len(words))
        how = self._random.randrange(5)
        if how == 0:
            words.pop()
        elif how == 1:
            words.append(self._random.choice(pools.BAD_WORDS))
        elif how == 2:
            words.insert(at, words[at])
        else:
            words[at] = self._random.choice(pools.BAD_WORDS)
        return words

    def _tamed(self, words):
        """Takes out what would make the servers differ by right: chance, order without a rule, replies without end."""
        if self.within_range:
            words = [b"0" if word in pools.OUT_OF_RANGE else word for word in words]
        name = name_of(words)
        if name == "SET":
            # Redis counts a key that is over from the start until it looks at it.
            return words[:3] + [b"9000000000000" if word == b"1" else word for word in words[3:]]
        if name == "SPOP" and len(words) > 1:
            return words[:2] + [b"1000"]
        if name in RANDOM_COUNTED and len(words) > 2:
            return words[:2] + [self._random.choice(pools.RANDOM_COUNTS)] + words[3:]
        if name in SCANS and len(words) > SCANS[name] and not self._chance(0.03):
            return words + [b"COUNT", b"1000"]
        if name in ("SORT", "SORT_RO"):
            return _sort_with_an_order(words)
        return self._with_equal_scores(name, words)

    def _with_equal_scores(self, name, words):
        """Ranges of members are defined where all scores are equal: in one key, which gets no other score."""
        upper = [word.upper() for word in words]
        at = 2 if name == "ZRANGESTORE" else 1
        if "LEX" in name or b"BYLEX" in upper:
            return words[:at] + [pools.KEY_OF_EQUAL_SCORES] + words[at + 1 :] if len(words) > at else words
        if name == "ZADD" and self._chance(0.3):
            members = [self._random.choice(pools.WORDS) for _ in range(self._random.choice([1, 2, 4, 8]))]
            return words[:1] + [pools.KEY_OF_EQUAL_SCORES] + [word for member in members for word in (b"0", member)]
        if name in KEEP_SCORES and len(words) > 1 and self._chance(0.2):
            return words[:1] + [pools.KEY_OF_EQUAL_SCORES] + words[2:]
        return words


def _sort_with_an_order(words):
    """Texts fetched by BY may tie, and ties come in no order; neither do a set's members that are not sorted."""
    upper = [word.upper() for word in words]
    if b"BY" not in upper[:-1]:
        return words
    at = upper.index(b"BY")
    by = words[at + 1]
    if b"ALPHA" in upper and b"*" in by:
        return [word for word in words if word.upper() != b"ALPHA"]
    if b"*" not in by and (b"LIMIT" in upper or b"STORE" in upper or b"GET" in upper):
        return words[:at] + words[at + 2 :]
    return words
