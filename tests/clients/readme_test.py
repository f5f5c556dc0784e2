#!/usr/bin/env python3
"""readme_test.py SERVER: the redis-cli session of README.md gets the replies that stand there.

Each command is played through redis-cli as a user would type it. Minted ids may be other ones, but an id must stand
everywhere for the same one, and in the same order.
"""

import pathlib
import re
import subprocess
import sys

from support.server_process import ServerProcess

README = pathlib.Path(__file__).resolve().parents[2] / 'README.md'
PROMPT = re.compile(r'127\.0\.0\.1:\d+> (.*)')
ID = re.compile(r'JOB[0-9A-Za-z]{11}')


def session(text):
    """The commands with the lines that follow each."""
    steps = []
    for block in re.findall(r'^```text\n(.*?)^```', text, re.M | re.S):
        for line in block.splitlines():
            typed = PROMPT.fullmatch(line)
            if typed:
                steps.append((typed.group(1), []))
            elif not line.startswith('$ '):
                steps[-1][1].append(line)
    return steps


def play(port, command):
    run = subprocess.run(['redis-cli', '--no-raw', '-p', str(port)], input=command + '\n', capture_output=True,
                         text=True, check=True)
    return [line for line in (run.stdout + run.stderr).splitlines() if line]


class Ids:
    """Which id of the server stands for which id of the page."""

    def __init__(self):
        self._real = {}

    def to_server(self, text):
        return ID.sub(lambda found: self._real.get(found.group(), found.group()), text)

    def learn(self, page, reply):
        """Pairs the ids of the page's lines, where they are new, with those of the reply."""
        for written, real in zip(ID.findall('\n'.join(page)), ID.findall('\n'.join(reply))):
            self._real.setdefault(written, real)

    def in_order(self):
        return sorted(self._real.values()) == [self._real[written] for written in sorted(self._real)]


def main():
    steps = session(README.read_text())
    ids = Ids()
    found = [] if len(steps) > 10 else [f'only {len(steps)} commands found in {README.name}']
    with ServerProcess(sys.argv[1]) as server:
        for typed, page in steps:
            command = ids.to_server(typed)
            reply = play(server.port, command)
            ids.learn(page, reply)
            wanted = [ids.to_server(line) for line in page]
            if reply != wanted:
                found.append('\n'.join([f'> {command}', 'wanted:', *wanted, 'got:', *reply]))
    if not ids.in_order():
        found.append('the ids of the page and those of the server come in different orders')
    print('\n\n'.join(found) or f'{len(steps)} commands answer as {README.name} says')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
