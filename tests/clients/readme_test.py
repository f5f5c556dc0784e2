#!/usr/bin/env python3
"""readme_test.py SERVER: the redis-cli sessions of README.md get the replies that stand there.

Each command is played through redis-cli as a user would type it, or in a shell where it stands behind `$`. Minted ids
may be other ones, but an id must stand everywhere for the same one, and in the same order. How long redis-cli says that
it waited is not compared. The programs of the page are the very files that the tests run.
"""

import pathlib
import re
import subprocess
import sys

from support.server_process import ServerProcess

README = pathlib.Path(__file__).resolve().parents[2] / 'README.md'
PROGRAMS = {'python': 'notify/worker.py', 'js': 'notify/worker.js'}
PROMPT = re.compile(r'(127\.0\.0\.1:\d+>|\$) (.*)')
WAITED = re.compile(r'\(\d+\.\d\ds\)')
ID = re.compile(r'JOB[0-9A-Za-z]{11}')
PATIENCE = 30


def blocks(text, language):
    return re.findall(rf'^```{language}\n(.*?)^```', text, re.M | re.S)


def without_waits(lines):
    return [line for line in lines if line and not WAITED.fullmatch(line)]


def sessions(text):
    """The commands of all sessions as (in a shell, words), with the lines that follow each."""
    steps = []
    for line in '\n'.join(blocks(text, 'text')).splitlines():
        typed = PROMPT.fullmatch(line)
        if not typed:
            steps[-1][1].append(line)
        elif typed.groups() != ('$', 'redis-cli'):
            steps.append(((typed.group(1) == '$', typed.group(2)), []))
    return [(typed, without_waits(lines)) for typed, lines in steps]


def play(port, in_shell, words):
    client = f'redis-cli -p {port}'
    if in_shell:
        run = subprocess.run(['sh', '-c', words.replace('redis-cli', client)], capture_output=True, text=True,
                             timeout=PATIENCE, check=True)
    else:
        run = subprocess.run([*client.split(), '--no-raw'], input=words + '\n', capture_output=True, text=True,
                             timeout=PATIENCE, check=True)
    return without_waits((run.stdout + run.stderr).splitlines())


def missing_programs(text):
    """The files that do not stand in the page as they are."""
    folder = pathlib.Path(__file__).parent
    return [f'{README.name} does not show {name} as it is' for language, name in PROGRAMS.items()
            if (folder / name).read_text() not in blocks(text, language)]


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
    page = README.read_text()
    steps = sessions(page)
    ids = Ids()
    found = missing_programs(page)
    if len(steps) < 30:
        found.append(f'only {len(steps)} commands found in {README.name}')
    with ServerProcess(sys.argv[1]) as server:
        for (in_shell, typed), lines in steps:
            command = ids.to_server(typed)
            reply = play(server.port, in_shell, command)
            ids.learn(lines, reply)
            wanted = [ids.to_server(line) for line in lines]
            if reply != wanted:
                found.append('\n'.join([f'> {command}', 'wanted:', *wanted, 'got:', *reply]))
    if not ids.in_order():
        found.append('the ids of the page and those of the server come in different orders')
    print('\n\n'.join(found) or f'{len(steps)} commands answer as {README.name} says')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
