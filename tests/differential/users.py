#!/usr/bin/env python3
"""users.py --server PATH: random rules of ACL SETUSER played to Fairlane and to redis-server, and what ACL GETUSER, LIST
and DRYRUN say after them.

Rules name commands that both servers know, and requests likewise. Categories hold more commands on one side than on the
other (lane commands here, what is not written yet there), and from the same permissions the servers then make other
words of them: 'a description is the same' means to the word, or else that it permits the same of the commands that both
know. Single commands stand in no order, for redis-server tells them in the random one of its table."""

import argparse
import os
import random
import re
import sys
import tempfile

from server import Server, find_redis

MOST_FAILURES = 10
USERS = 6
REQUESTS_A_USER = 12

COMMANDS = """get set mget mset del exists append incr getdel getex setrange strlen lpush rpop lmove blpop sadd smembers
sinterstore smove hset hgetall hdel zadd zrange zunionstore zpopmin xadd xread xreadgroup expire rename copy object
object|encoding object|help config config|get config|set client client|id client|kill client|list acl acl|whoami
acl|setuser publish spublish subscribe psubscribe ssubscribe eval evalsha fcall sort sort_ro ping echo select auth hello
multi exec watch keys flushall debug command command|count script script|load function|list memory|usage bitop getbit
setbit bitcount lcs lmpop zmpop touch unlink""".split()
CATEGORIES = """read write set sortedset list hash string stream pubsub admin fast slow blocking dangerous connection
transaction scripting keyspace bitmap all""".split()
PLAIN = ["allkeys", "resetkeys", "allchannels", "resetchannels", "allcommands", "nocommands", "~*", "&*", "+@all", "-@all",
         "ALLKEYS", ""]
OF_USERS = ["on", "off", "nopass", "resetpass", "reset", "clearselectors", ">p", ">q", "<p", "<q", "#" + "a" * 64,
            "!" + "a" * 64, "#zz", "sanitize-payload", "skip-sanitize-payload", "nonsense", "+@nosuch", "-nosuch", "~a b"]
RIGHTS = ["~", "~", "~", "%R~", "%W~", "%RW~", "%rw~", "%WR~", "%~", "%R", "%X~", "%RR~"]
KEYS = ["a", "b", "c", "a*", "*", "?", "[ab]", "l", "s", "d*", "z"]
CHANNELS = ["ch", "ch*", "news", "*", "n*"]
REQUESTS = [line.split() for line in """get a; get b; set a 1; set a 1 get; set b 1 ex 10; mget a b c; mset a 1 b 2; del a c
append a x; getex a; getdel b; lpush l x; rpop l; lmove a b left right; blpop a b 0; sadd a x; sinterstore a b c
smove a b x; hset h f v; hgetall h; zadd z 1 a; zunionstore d 2 a b; zunionstore d x a b; zunionstore a 1 b; zpopmin z
xadd s * f v; xread streams a b 0 0; xread count 1 block 0 streams a 0; xreadgroup group g c streams a >; rename a b
copy a b; copy b a; object encoding a; object help; config get x; config set x y; client id; client list; client kill x
acl whoami; acl setuser x; publish ch m; publish news m; spublish ch m; subscribe ch news; psubscribe ch* n*
psubscribe ch; ssubscribe ch; unsubscribe ch; punsubscribe; eval x 0; eval x 1 a; eval x 2 a b; eval x 9 a b
eval x nope a; fcall f 1 b; evalsha x 1 c; sort a; sort a by w_* get #; sort a store b; sort_ro a; ping; echo a; select 0
select 1; auth x; hello; multi; watch a b; keys *; flushall; command; command count; script load x; function list
memory usage a; bitop and a b c; getbit a 1; setbit a 1 1; bitcount a; lcs a b; lmpop 2 a b left; lmpop 0 a left
zmpop 1 a min; touch a b; unlink c; debug sleep 0; expire a 1; strlen b; quit; reset; discard"""
            .replace("\n", "; ").split("; ")]


class Maker:
    """Random rules."""

    def __init__(self, chance):
        self._chance = chance

    def _one(self, *choices):
        return self._chance.choice(choices)

    def _command(self):
        name = self._chance.choice(COMMANDS)
        return self._one("+", "+", "+", "-") + (name.upper() if self._chance.random() < 0.1 else name)

    def _first_word(self):
        return "+%s|%s" % (self._one("select", "get", "ping", "echo", "config", "config|get", "nosuch", "set"),
                           self._one("0", "1", "a", "B", "get", ""))

    def _rule(self, in_selector):
        kind = self._chance.random()
        if kind < 0.33:
            return self._command()
        if kind < 0.5:
            return self._one("+", "-") + "@" + self._chance.choice(CATEGORIES)
        if kind < 0.57:
            return self._first_word()
        if kind < 0.72:
            return self._chance.choice(RIGHTS) + self._chance.choice(KEYS)
        if kind < 0.79:
            return "&" + self._chance.choice(CHANNELS)
        if kind < 0.9 or in_selector:
            return self._chance.choice(PLAIN)
        return self._chance.choice(OF_USERS)

    def _selector(self):
        text = "(%s)" % " ".join(self._rule(True) for _ in range(self._chance.randrange(5)))
        words = text.split(" ") if self._chance.random() < 0.5 else [text]
        if self._chance.random() < 0.03:
            words[-1] = words[-1].rstrip(")")
        return words

    def rules(self):
        words = []
        for _ in range(self._chance.randint(1, 7)):
            words += self._selector() if self._chance.random() < 0.12 else [self._rule(False)]
        return words

    def batch(self):
        user = "u%d" % self._chance.randrange(USERS)
        batch = [["ACL", "DELUSER", user]] if self._chance.random() < 0.15 else []
        batch += [["ACL", "SETUSER", user] + self.rules(), ["ACL", "GETUSER", user]]
        if self._chance.random() < 0.1:
            batch.append(["ACL", "LIST"])
        return batch + [["ACL", "DRYRUN", user] + request for request in self._chance.sample(REQUESTS, REQUESTS_A_USER)]


def categories_of(connection):
    """Of every command and subcommand."""
    found = {}

    def walk(info):
        items = info[1]
        found[items[0][1].decode()] = {item[1].decode()[1:] for item in items[6][1]}
        for child in items[9][1]:
            walk(child)

    for info in connection.call("COMMAND", "INFO")[1]:
        walk(info)
    return found


def worded(text):
    """Categories in their order, single commands in none."""
    words = text.split(b" ")
    ordered = [word for word in words if re.match(rb"[+-]@", word)]
    return ordered, sorted(word for word in words if not re.match(rb"[+-]@", word))


class Meaning:
    """What a description permits of the commands that both servers know."""

    def __init__(self, categories, both):
        self._categories, self._both = categories, both

    def _named(self, name):
        if name.startswith("@"):
            return [command for command, of_it in self._categories.items() if name[1:] in of_it]
        return [name] if name in self._categories else []

    def __call__(self, text):
        permitted, first_words, future = set(), set(), False
        words = text.split(b" ")
        for word in (word.decode() for word in words if word[:1] in (b"+", b"-")):
            if word[1:] == "@all":
                future = word[0] == "+"
                permitted = set(self._categories) if future else set()
                continue
            named = self._named(word[1:])
            if not named:
                first_words.add(word)
            for name in named:
                family = {one for one in self._categories if one == name or one.startswith(name + "|")}
                permitted = permitted | family if word[0] == "+" else permitted - family
        others = [word for word in words if word[:1] not in (b"+", b"-")]
        return others, future, permitted & self._both, first_words


def seen_as(reply, view):
    """The reply with every description replaced by how `view` sees it."""
    kind, content = reply
    if isinstance(content, list):
        return kind, [seen_as(item, view) for item in content]
    if content and b"@all" in content and kind == "$":
        return kind, [view(part) for part in re.split(rb"[()]", content)]
    return reply


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True, help="the fairlane-server program")
    parser.add_argument("--redis", help="the redis-server program (default: the one on the PATH)")
    parser.add_argument("--count", type=int, default=50000, help="replies to compare")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    maker = Maker(random.Random(options.seed))
    passed = otherwise = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        theirs, ours = Server(options.redis or find_redis(folder), [], folder), Server(os.path.abspath(options.server), [], folder)
        try:
            connections = [theirs.control, ours.control]
            tables = [categories_of(connection) for connection in connections]
            both = set(tables[0]) & set(tables[1])
            meanings = [Meaning(table, both) for table in tables]
            while passed + otherwise + failed < options.count and failed < MOST_FAILURES:
                batch = maker.batch()
                for connection in connections:
                    for words in batch:
                        connection.send([word.encode() for word in words])
                for words in batch:
                    right, got = [connection.read() for connection in connections]
                    if seen_as(right, worded) == seen_as(got, worded):
                        passed += 1
                    elif seen_as(right, meanings[0]) == seen_as(got, meanings[1]):
                        otherwise += 1
                    else:
                        failed += 1
                        print("%s\n%s\n  redis-server: %r\n  Fairlane:     %r" % (batch[:2], words, right, got))
        finally:
            ours.stop()
            theirs.stop()
    print("%d the same, %d the same in other words, %d failed" % (passed, otherwise, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
