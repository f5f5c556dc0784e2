"""Server processes and the connections to them."""

import os
import shutil
import socket
import subprocess
import time


class Incomplete(Exception):
    """More bytes are needed."""


class Closed(Exception):
    """The server has closed the connection."""


CLOSED = ("closed", b"")
NOTHING = ("nothing", b"")

AGGREGATES = "*%~>"


def encode(words):
    parts = [b"*%d\r\n" % len(words)]
    parts += [b"$%d\r\n%s\r\n" % (len(word), word) for word in words]
    return b"".join(parts)


def _parse(data, at):
    """The value that begins at `at` and where the next one begins. A value is (type letter, bytes | list | None)."""
    end = data.find(b"\r\n", at)
    if end < 0:
        raise Incomplete
    kind = chr(data[at])
    line = bytes(data[at + 1 : end])
    at = end + 2
    if kind in "$=!":
        size = int(line)
        if size < 0:
            return (kind, None), at
        if len(data) < at + size + 2:
            raise Incomplete
        return (kind, bytes(data[at : at + size])), at + size + 2
    if kind in AGGREGATES:
        size = int(line)
        if size < 0:
            return (kind, None), at
        items = []
        for _ in range(size * 2 if kind == "%" else size):
            item, at = _parse(data, at)
            items.append(item)
        return (kind, items), at
    if kind not in "+-:_#,(":
        raise ValueError("not RESP: %r" % bytes(data[at - 20 : at + 20]))
    return (kind, line), at


class Connection:
    """One client; replies are read when asked for."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._data = bytearray()
        self._at = 0

    def send(self, words):
        try:
            self._socket.sendall(encode(words))
        except OSError:
            pass  # reading tells

    def _take(self):
        value, self._at = _parse(self._data, self._at)
        if self._at == len(self._data):
            self._data, self._at = bytearray(), 0
        return value

    def read(self, seconds=3.0):
        """The next value; CLOSED, or NOTHING when none came in time."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                return self._take()
            except Incomplete:
                pass
            self._socket.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                more = self._socket.recv(1 << 20)
            except TimeoutError:
                return NOTHING
            except OSError:
                more = b""
            if not more:
                return CLOSED
            self._data += more

    def drain(self):
        """All values that have arrived."""
        self._socket.setblocking(False)
        values = []
        closed = False
        try:
            while True:
                more = self._socket.recv(1 << 20)
                if not more:
                    closed = True
                    break
                self._data += more
        except BlockingIOError:
            pass
        except OSError:
            closed = True
        try:
            while self._at < len(self._data):
                values.append(self._take())
        except Incomplete:
            pass
        if closed:
            values.append(CLOSED)
        return values

    def call(self, *words):
        self.send([word if isinstance(word, bytes) else word.encode() for word in words])
        value = self.read()
        if value in (CLOSED, NOTHING):
            raise Closed
        return value

    def close(self):
        self._socket.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def find_redis(folder):
    """redis-server of the PATH. Debian's redis-tools ships the same program as redis-check-rdb: its name decides."""
    found = shutil.which("redis-server")
    if found:
        return found
    other = shutil.which("redis-check-rdb")
    if not other:
        raise SystemExit("neither redis-server nor redis-check-rdb is on the PATH; give --redis")
    link = os.path.join(folder, "redis-server")
    if not os.path.exists(link):
        os.symlink(other, link)
    return link


class Server:
    """A server process on a free port, with a control connection of ours. Started again when it has died."""

    def __init__(self, program, options, folder):
        self._command = [program] + options
        self._folder = folder
        self._log = os.path.join(folder, os.path.basename(program) + ".log")
        self.start()

    def start(self):
        self.port = free_port()
        command = self._command + ["--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        with open(self._log, "ab") as log:
            self.process = subprocess.Popen(
                command, cwd=self._folder, stdout=log, stderr=log, env=dict(os.environ, LC_ALL="C")
            )
        deadline = time.monotonic() + 20
        while True:
            try:
                self.control = Connection(self.port)
                return
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise SystemExit("%s does not start, see %s" % (command[0], self._log))
                time.sleep(0.02)

    def alive(self):
        return self.process.poll() is None

    def log_tail(self):
        with open(self._log, "rb") as log:
            return log.read()[-3000:].decode(errors="replace")

    def stop(self):
        self.control.close()
        self.process.terminate()
        self.process.wait()
