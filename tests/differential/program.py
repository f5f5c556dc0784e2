"""Random programs: who sends what. And how they are played to both servers."""

from collections import namedtuple

import grammar
import pools
from comparison import name_of, order_of, same, same_stream
from server import CLOSED, NOTHING, Connection

# `held`: a blocking request whose reply is read when its connection is used again.
Step = namedtuple("Step", "connection words held")
# `streams`: subscriptions are about, so that any step may say something on any connection.
Program = namedtuple("Program", "steps resp streams")
# What a step was answered, for printing: lines of (request or None, connection, replies of redis-server, order).
Line = namedtuple("Line", "connection words replies order")
Difference = namedtuple("Difference", "step words ours theirs")

CONNECTIONS = ("A", "B")


def make_program(catalogue, random, resp, length):
    writer = grammar.Writer(catalogue, random)
    streams = random.random() < 0.12
    names = list(catalogue.chosen)
    if random.random() < 0.6 and len(names) > 8:
        names = random.sample(names, random.randrange(5, min(25, len(names))))
    writer.within_range = any(name.startswith("sort") for name in names)
    writers = [name for name in grammar.WRITERS if name in catalogue.commands]
    transactional = random.random() < 0.4
    steps = []
    inside = {connection: 0 for connection in CONNECTIONS}
    turn = "A"
    while len(steps) < length:
        if random.random() < 0.25:
            turn = random.choice(CONNECTIONS)
        if inside[turn] == 1:
            steps.append(Step(turn, [random.choice([b"EXEC", b"EXEC", b"EXEC", b"EXEC", b"DISCARD"])], False))
            inside[turn] = 0
            continue
        inside[turn] = max(0, inside[turn] - 1)
        draw = random.random()
        if transactional and draw < 0.06:
            steps.append(Step(turn, [b"MULTI"], False))
            inside[turn] = inside[turn] or random.randrange(2, 8)
            continue
        if transactional and draw < 0.12:
            words = writer.request(random.choice(sorted(grammar.TRANSACTIONS & catalogue.commands.keys())))
        elif streams and draw < 0.3:
            words = writer.request(random.choice(sorted(grammar.SUBSCRIBING & catalogue.commands.keys())))
        elif draw < 0.38:
            words = writer.request(random.choice(writers))
        else:
            words = writer.request(random.choice(names))
        blocking = name_of(words) in grammar.BLOCKING
        if blocking and streams:
            continue
        if blocking and not inside[turn] and random.random() < 0.5:
            steps += _wait_and_wake(writer, random, turn, words, writers)
            continue
        steps.append(Step(turn, words, False))
    return Program(steps + _look_around(random, turn), resp, streams)


def _wait_and_wake(writer, random, turn, words, writers):
    """One waits, the other does something meanwhile."""
    other = "B" if turn == "A" else "A"
    words = [b"0.15" if word == b"0.01" else word for word in words]
    steps = [Step(turn, words, True)]
    keys = [word for word in words if word in pools.ALL_KEYS]
    for _ in range(random.choice([1, 2])):
        request = writer.request("zadd" if words[0].startswith(b"BZ") else random.choice(writers + ["rpush", "rpush"]))
        if keys and len(request) > 1:
            request[1] = random.choice(keys)
        steps.append(Step(other, request, False))
    return steps


def _look_around(random, turn):
    readers = {
        b"s": [[b"GET"]], b"n": [[b"GET"]], b"l": [[b"LRANGE", b"0", b"-1"]], b"m": [[b"SMEMBERS"]],
        b"h": [[b"HGETALL"]], b"z": [[b"ZRANGE", b"0", b"-1", b"WITHSCORES"]], b"w": [[b"GET"]],
        b"b": [[b"GET"]], b"p": [[b"GET"]], b"g": [[b"ZRANGE", b"0", b"-1", b"WITHSCORES"]],
    }  # fmt: skip
    steps = []
    for key in random.sample(pools.ALL_KEYS, 4):
        for command in readers[key[:1]] + [[b"TYPE"], [b"OBJECT", b"ENCODING"]]:
            at = 2 if command[0] == b"OBJECT" else 1
            steps.append(Step(turn, command[:at] + [key] + command[at:], False))
    return steps


def _without_minus_zero(value):
    kind, content = value
    if isinstance(content, list):
        return kind, [_without_minus_zero(item) for item in content]
    return kind, b"0" if content == b"-0" else content


class Player:
    """Plays a program to both servers, step by step, until a reply differs."""

    def __init__(self, ours, theirs):
        self._servers = (ours, theirs)
        self.compared = 0

    def play(self, program):
        """The first difference or None, and the lines up to there."""
        for server in self._servers:
            server.control.call("FLUSHALL")
        self._pairs = {name: tuple(Connection(server.port) for server in self._servers) for name in CONNECTIONS}
        self._queues = {name: None for name in CONNECTIONS}
        self._held = {}
        self._lines = []
        self._sorted = False
        try:
            if program.resp == 3:
                for pair in self._pairs.values():
                    for connection in pair:
                        connection.call("HELLO", "3")
            return self._run(program), self._lines
        finally:
            for pair in self._pairs.values():
                for connection in pair:
                    connection.close()

    def _run(self, program):
        for at, step in enumerate(program.steps):
            difference = self._held_reply(at, step.connection) or self._step(at, step, program.streams)
            if difference:
                return difference
        for name in list(self._held):
            difference = self._held_reply(len(program.steps), name)
            if difference:
                return difference
        return self._rest(len(program.steps), [b"(end)"], None)

    def _step(self, at, step, streams):
        for connection in self._pairs[step.connection]:
            connection.send(step.words)
        if step.held:
            self._barrier()
            self._lines.append(Line(step.connection, step.words, [], "fixed"))
            self._held[step.connection] = step.words
            return None
        if streams:
            return self._rest(at, step.words, step.connection)
        ours, theirs = (connection.read() for connection in self._pairs[step.connection])
        self._lines.append(Line(step.connection, step.words, [theirs], order_of(step.words)))
        return self._judge(at, step.connection, step.words, ours, theirs)

    def _judge(self, at, name, words, ours, theirs):
        self.compared += 1
        queue = self._queues[name]
        self._follow(name, words, theirs)
        if not (same(words, ours, theirs, queue) or self._unpacked_by_sort(ours, theirs)):
            return Difference(at, words, [ours], [theirs])
        return None

    def _unpacked_by_sort(self, ours, theirs):
        """SORT makes redis-server unpack a sorted set: OBJECT ENCODING tells, and -0 is no longer stored as 0."""
        if not self._sorted:
            return False
        return _without_minus_zero(ours) == _without_minus_zero(theirs) or (
            theirs == ("$", b"skiplist") and ours == ("$", b"listpack")
        )

    def _follow(self, name, words, reply):
        """Which requests the transaction holds, and whether there was a SORT."""
        self._sorted = self._sorted or words[0].upper().startswith(b"SORT")
        command = name_of(words)
        if reply == ("+", b"QUEUED"):
            self._queues[name] = (self._queues[name] or []) + [words]
        elif command in ("EXEC", "DISCARD", "RESET"):
            self._queues[name] = None

    def _held_reply(self, at, name):
        if name not in self._held:
            return None
        words = self._held.pop(name)
        ours, theirs = (connection.read() for connection in self._pairs[name])
        self._lines.append(Line(name, None, [theirs], "fixed"))
        return self._judge(at, name, words, ours, theirs)

    def _barrier(self):
        for server in self._servers:
            server.control.call("PING")

    def _rest(self, at, words, sender):
        """All that has come on any connection. The servers have worked through what was sent when they answer once, and
        have written all of it when they answer again."""
        self._barrier()
        self._barrier()
        for name, pair in sorted(self._pairs.items(), key=lambda each: each[0] != sender):
            ours, theirs = (connection.drain() for connection in pair)
            if name == sender:
                self._lines.append(Line(name, words, theirs, order_of(words)))
                self.compared += 1
            elif theirs:
                self._lines.append(Line(name, None, theirs, "fixed"))
            queue = self._queues[name]
            if name == sender:
                self._follow(name, words, theirs[0] if theirs else NOTHING)
            executed = queue is not None and len(ours) == 1 and len(theirs) == 1
            equal = same(words, ours[0], theirs[0], queue) if executed else same_stream(words, ours, theirs, queue)
            if not (equal or executed and self._unpacked_by_sort(ours[0], theirs[0])):
                return Difference(at, words, ours, theirs)
        return None
