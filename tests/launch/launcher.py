"""What the tests of this folder share: starts the server's program and looks at what it says."""

import os
import select
import socket
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ''
PATIENCE = 10


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def ask(address, request=b'PING\r\n'):
    """Sends a line to a TCP port or a unix socket and returns the first line of the answer."""
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with socket.socket(family) as client:
        client.settimeout(PATIENCE)
        client.connect(address if family == socket.AF_UNIX else ('127.0.0.1', address))
        client.sendall(request)
        return client.makefile('rb').readline()


def is_gone(pid):
    """Whether a process has ended, be it that nobody has asked for its status yet."""
    try:
        with open(f'/proc/{pid}/stat') as stat:
            return stat.read().rpartition(')')[2].split()[0] == 'Z'
    except FileNotFoundError:
        return True


def eventually(question, patience=PATIENCE):
    deadline = time.monotonic() + patience
    while not question():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


class LaunchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), 'w') as file:
            file.write(text)
        return self.path(name)

    @staticmethod
    def read(path):
        with open(path) as file:
            return file.read()

    def launch(self, *words, environment=None, program=PROGRAM, **options):
        options.setdefault('stdin', subprocess.DEVNULL)
        process = subprocess.Popen([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0,
                                   cwd=self.folder, env={**os.environ, **(environment or {})}, **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def read_until(self, process, wanted):
        """What is printed up to the line with `wanted`, as a launcher reads it."""
        lines = []
        deadline = time.monotonic() + PATIENCE
        while select.select([process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
            line = process.stdout.readline().decode()
            lines.append(line)
            if wanted in line:
                return ''.join(lines)
            if not line:
                break
        self.fail(f'{wanted!r} was not printed, but {"".join(lines)}')

    def outcome(self, *words, **options):
        """Exit status and output of a start that is to end by itself."""
        process = self.launch(*words, **options)
        output = process.communicate(timeout=PATIENCE)[0].decode()
        return process.returncode, output


def main():
    unittest.main(verbosity=0)
