#!/usr/bin/env python3
"""Endurance: what a server must live through, with its memory back at its level after each trial.

    tests/endurance/run.py --server build/asan/fairlane-server [--scale 1.0] [--seed N] [TRIAL...]

Every trial runs twice: the first time may leave tables and buffers at a size they keep, the second must add next to
nothing. At the end the server is told to stop: a sanitizer's finding makes its exit code differ from 0.
"""

import argparse
import inspect
import os
import random
import resource
import select
import socket
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "differential"))
from server import Connection, Server, encode  # noqa: E402

MEGABYTE = 1 << 20
# A second run of a trial may add this much: a slot table that grew by one step, a log line, an allocator's rounding.
TOLERANCE = 2 * MEGABYTE


class Target:
    """The server under trial and how its memory is read."""

    def __init__(self, server, seed):
        self.server = server
        self.random = random.Random(seed)

    @property
    def port(self):
        return self.server.port

    def call(self, *words):
        return self.server.control.call(*words)

    def long_call(self, seconds, *words):
        self.server.control.send([word if isinstance(word, bytes) else word.encode() for word in words])
        return self.server.control.read(seconds)

    def info(self, field):
        for line in self.call("INFO", "everything")[1].decode().split("\r\n"):
            if line.startswith(field + ":"):
                return int(line.split(":")[1])
        raise SystemExit("INFO has no " + field)

    def wait_until(self, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise SystemExit("not within %d s: %s" % (seconds, inspect.getsource(condition).strip()))
            time.sleep(0.02)

    def settle(self):
        """Only our own client is left, nothing is stored."""
        self.call("FLUSHALL")
        self.wait_until(lambda: self.info("connected_clients") == 1)
        self.wait_until(lambda: self.info("lazyfree_pending_objects") == 0)

    def memory(self):
        return self.info("used_memory")


COMMANDS = [
    [b"SET", b"k", b"v", b"PX", b"10"], [b"ZADD", b"z", b"NX", b"1", b"m"], [b"LPUSH", b"l", b"a", b"b"],
    [b"HSET", b"h", b"f", b"1"], [b"XX"], [b"MULTI"], [b"EXEC"], [b"WATCH", b"k"], [b"SUBSCRIBE", b"c"],
    [b"BLPOP", b"nothing", b"0"], [b"CLIENT", b"REPLY", b"SKIP"], [b"HELLO", b"3"], [b"SCAN", b"0", b"COUNT", b"3"],
    [b"LANE.ENQUEUE", b"q", b"a", b"*", b"payload"], [b"LANE.WCLAIM", b"q", b"w", b"1000"], [b"SETRANGE", b"s", b"9", b"x"],
    [b"CONFIG", b"GET", b"m*"], [b"OBJECT", b"ENCODING", b"k"], [b"GETRANGE", b"s", b"0", b"-1"],
]  # fmt: skip


def random_input(source):
    """Noise, or requests with a few bytes changed, lost or doubled."""
    kind = source.random()
    if kind < 0.3:
        return source.randbytes(source.randrange(1, 80))
    if kind < 0.4:
        letters = b"*$:+-0123456789\r\n \"'\\xafPINGset"
        return bytes(source.choice(letters) for _ in range(source.randrange(1, 60)))
    data = bytearray(b"".join(encode(source.choice(COMMANDS)) for _ in range(source.randrange(1, 5))))
    for _ in range(source.randrange(0, 4)):
        at = source.randrange(len(data))
        change = source.random()
        if change < 0.5:
            data[at] = source.randrange(256)
        elif change < 0.75:
            del data[at : at + source.randrange(1, 4)]
        else:
            data[at:at] = data[at : at + source.randrange(1, 9)]
        if not data:
            return b"\r\n"
    return bytes(data)


def random_bytes(target, scale):
    """10^6 random byte strings, each on a connection of its own that is half closed after it."""
    for _ in range(int(1000000 * scale) // 100):
        batch = []
        for _ in range(100):
            client = socket.create_connection(("127.0.0.1", target.port))
            try:
                client.sendall(random_input(target.random))
                client.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # refused already
            batch.append(client)
        for client in batch:
            client.settimeout(20)
            try:
                while client.recv(65536):
                    pass
            except ConnectionError:
                pass  # closed with input unread
            client.close()


def connections(target, scale):
    """10 000 connections open at one time, each with a PING answered, then closed."""
    count = int(9900 * scale)
    clients = [socket.create_connection(("127.0.0.1", target.port)) for _ in range(count)]
    for client in clients:
        client.sendall(b"PING\r\n")
    for client in clients:
        answer = client.recv(64)
        if answer != b"+PONG\r\n":
            raise SystemExit("PING was answered with %r" % answer)
    for client in clients:
        client.close()
    for _ in range(count):
        socket.create_connection(("127.0.0.1", target.port)).close()


def never_reads(target, scale):
    """A client that asks for 20 GB and reads nothing: the server keeps 1 GB of replies, no more."""
    target.call("SET", "large", b"x" * 100000)
    before = target.memory()
    client = socket.create_connection(("127.0.0.1", target.port))
    client.setblocking(False)
    requests = memoryview(encode([b"GET", b"large"]) * int(200000 * max(scale, 0.1)))
    sent = 0
    idle = 0
    while sent < len(requests) and idle < 20:
        if select.select([], [client], [], 0.1)[1]:
            sent += client.send(requests[sent : sent + 65536])
            idle = 0
        else:
            idle += 1
    grown = target.memory() - before
    if grown > 1700 * MEGABYTE:  # 1 GB of replies in a buffer that grows by half
        raise SystemExit("a client that reads nothing made the server keep %d MB" % (grown // MEGABYTE))
    # And it gets what it asked for when it reads after all.
    got = 0
    wanted = sent // len(encode([b"GET", b"large"])) * (100000 + len(b"$100000\r\n\r\n"))
    client.settimeout(30)
    while got < wanted:
        got += len(client.recv(1 << 20))
    client.close()


def large_value(target, scale):
    """A value of 512 MB, the largest there is, written and read; one byte more is refused."""
    size = min(int(512 * scale) * MEGABYTE, 512 * MEGABYTE)
    value = b"v" * size
    if target.long_call(300, b"SET", b"large", value) != ("+", b"OK"):
        raise SystemExit("SET of %d bytes failed" % size)
    if target.call("STRLEN", "large")[1] != b"%d" % size:
        raise SystemExit("STRLEN is wrong")
    if target.long_call(300, "GET", "large") != ("$", value):
        raise SystemExit("GET gave something else")
    if scale >= 1:
        refused = target.long_call(300, "APPEND", "large", "x")
        if refused[0] != "-":
            raise SystemExit("APPEND beyond 512 MB was not refused: %r" % (refused,))
    target.call("DEL", "large")


def many_keys(target, scale):
    """KEYS, SCAN to the end and FLUSHALL over 10^6 keys."""
    count = int(1000000 * scale)
    for begin in range(0, count, 10000):
        words = [b"MSET"]
        for i in range(begin, min(begin + 10000, count)):
            words += [b"key:%d" % i, b"value"]
        target.server.control.send(words)
        target.server.control.read(60)
    keys = target.long_call(300, "KEYS", "*")[1]
    if len(set(keys)) != count:
        raise SystemExit("KEYS gave %d keys of %d" % (len(set(keys)), count))


def deep_pipelines(target, scale):
    """10^6 requests before the first reply is read, and a transaction of 10^5 commands."""
    count = int(1000000 * scale)
    client = socket.create_connection(("127.0.0.1", target.port))
    client.setblocking(False)
    requests = memoryview(encode([b"INCR", b"n"]) * count)
    sent = lines = 0
    last = b""
    while lines < count:
        readable, writable, _ = select.select([client], [client] if sent < len(requests) else [], [], 60)
        if not readable and not writable:
            raise SystemExit("a pipeline of %d requests stands still after %d replies" % (count, lines))
        if writable:
            sent += client.send(requests[sent : sent + 1000000])
        if readable:
            data = client.recv(1 << 20)
            lines += data.count(b"\n")
            last = (last + data)[-32:]
    if not last.endswith(b":%d\r\n" % count):
        raise SystemExit("the last reply was %r" % last)
    client.close()
    other = Connection(target.port)
    size = int(100000 * scale)
    other.call("MULTI")
    for _ in range(size):
        other.send([b"INCR", b"t"])
    for _ in range(size):
        other.read(60)
    other.send([b"EXEC"])
    if len(other.read(60)[1]) != size:
        raise SystemExit("EXEC gave something else")
    other.close()


def waiting_and_watching(target, scale):
    """Thousands of blocked, watching and subscribed clients that vanish."""
    for _ in range(3):
        clients = []
        for i in range(int(3000 * scale)):
            client = socket.create_connection(("127.0.0.1", target.port))
            client.sendall(
                encode([[b"BLPOP", b"list:%d" % i, b"0"], [b"WATCH", b"w:%d" % i], [b"PSUBSCRIBE", b"p:%d*" % i]][i % 3])
            )
            clients.append(client)
        target.wait_until(lambda: target.info("connected_clients") == len(clients) + 1)
        for client in clients:
            client.close()
        target.wait_until(lambda: target.info("connected_clients") == 1)


# Scripts that ask for too much, and how the error begins that each must get.
BOMBS = [
    ("return string.rep('x', 2147483647)", b"ERR"),
    ("local s = 'x' while true do s = s .. s end", b"ERR"),
    ("local t = {} while true do t[#t + 1] = {t} end", b"ERR"),
    ("return cjson.encode(string.rep('\\0', 2^28))", b"ERR"),
    ("local t = {} for i = 1, 1000000 do t = {t} end return cjson.encode(t)", b"ERR user_script:1: Cannot serialise, excessive nesting"),
    ("return cjson.decode(string.rep('[', 1000000))", b"ERR user_script:1: Found too many nested data structures"),
    ("return cmsgpack.unpack(string.rep('\\145', 1000000))", b"ERR user_script:1: "),
    ("return cmsgpack.unpack('\\221\\255\\255\\255\\255')", b"ERR user_script:1: Missing bytes in input."),
    ("return struct.pack(string.rep('i', 100000000), 1)", b"ERR"),
    ("return struct.unpack(string.rep('c0', 50000000), 'x')", b"ERR"),
    ("return struct.pack('i' .. string.rep('9', 100), 1)", b"ERR user_script:1: integral size overflow"),
    ("local function f() return f() + 1 end return f()", b"ERR user_script:1: stack overflow"),
    ("local function f() return coroutine.wrap(f)() end return f()", b"ERR"),
    ("return string.find(string.rep('a', 10000), string.rep('a?', 100000))", b"ERR user_script:1: pattern too complex"),
    ("return string.find('a', string.rep('(', 1000000))", b"ERR user_script:1: too many captures"),
    ("return unpack({}, 0, 2147483647)", b"ERR user_script:1: too many results to unpack"),
    ("return loadstring(string.rep('(', 100000))() ", b"ERR"),
    ("return tostring(nil)(string.rep('x', 2^29))", b"ERR"),
    ("return table.concat({string.rep('x', 2^28), string.rep('y', 2^28), string.rep('z', 2^28)})", b"ERR"),
    ("local t = {} for i = 1, 10000 do t = {t} end return t", None),
]


def script_bombs(target, scale):
    """Scripts that ask for too much memory, depth or time; each ends in an error, and others are served."""
    for script, beginning in BOMBS:
        reply = target.long_call(120, "EVAL", script, "0")
        if beginning is not None and not (reply[0] == "-" and reply[1].startswith(beginning)):
            raise SystemExit(("%s\ngave %r" % (script, reply))[:500])
    target.call("CONFIG", "SET", "busy-reply-threshold", "50")
    for script in ("while true do end", "coroutine.resume(coroutine.create(function() while true do end end)) while true do end"):
        runner = Connection(target.port)
        runner.send([b"EVAL", script.encode(), b"0"])
        target.wait_until(lambda: target.call("PING")[1].startswith(b"BUSY"))
        target.call("SCRIPT", "KILL")
        if not runner.read(10)[1].startswith(b"ERR Script killed by user"):
            raise SystemExit("a script was not killed")
        runner.close()
    target.call("SCRIPT", "FLUSH")


TRIALS = [script_bombs, connections, never_reads, large_value, many_keys, deep_pipelines, waiting_and_watching, random_bytes]


def run(server, given):
    """All trials asked for, then the end of the server. Returns whether all is well."""
    well = True
    target = Target(server, given.seed)
    for trial in TRIALS:
        if given.trials and trial.__name__ not in given.trials:
            continue
        levels = []
        for _ in range(2):
            begin = time.monotonic()
            trial(target, given.scale)
            if not server.alive():
                raise SystemExit("the server died in %s\n%s" % (trial.__name__, server.log_tail()))
            target.settle()
            levels.append(target.memory())
        grown = levels[1] - levels[0]
        verdict = "ok" if grown <= TOLERANCE else "GREW"
        well = well and verdict == "ok"
        print(
            "%-22s %-5s memory after it %6.1f MB, after it again %6.1f MB (%.1f s a run)"
            % (trial.__name__, verdict, levels[0] / MEGABYTE, levels[1] / MEGABYTE, time.monotonic() - begin),
            flush=True,
        )
    server.stop()
    if server.process.returncode != 0:
        well = False
        print("the server ended with", server.process.returncode, "\n", server.log_tail())
    return well


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("trials", nargs="*", help="names of trials; all without")
    options.add_argument("--server", required=True)
    options.add_argument("--scale", type=float, default=1.0)
    options.add_argument("--seed", type=int, default=int(time.time()))
    given = options.parse_args()
    sys.setrecursionlimit(50000)  # a reply may be nested deep
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    os.environ.setdefault("ASAN_OPTIONS", "quarantine_size_mb=16:detect_leaks=1")
    print("seed", given.seed, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(os.path.abspath(given.server), [], folder)
        try:
            failed = not run(server, given)
        finally:
            if server.alive():
                server.process.kill()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
