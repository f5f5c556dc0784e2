#!/usr/bin/env python3
"""Plays random programs to Fairlane and to redis-server side by side and compares the replies byte by byte.

The grammar is the server's own: COMMAND DOCS. A difference is shrunk and printed as a .wire case with redis-server's
replies. The last line is "N passed, M failed": commands compared, and differences of different kinds.
"""

import argparse
import os
import random
import sys
import tempfile
import time

import notation
from comparison import name_of
from grammar import Grammar
from program import Player, Program, make_program
from server import Closed, Server, find_redis

MOST_FAILURES = 25


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True, help="the fairlane-server program")
    parser.add_argument("--redis", help="the redis-server program (default: the one on the PATH)")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--seed", type=int, help="begins with this program (default: from the clock)")
    parser.add_argument("--resp", choices=["2", "3", "both"], default="both")
    parser.add_argument("--commands", metavar="FILTER", default="", help="patterns with commas between: 'z*,object|*'")
    parser.add_argument("--length", type=int, default=60, help="requests a program")
    return parser.parse_args()


class Hunt:
    def __init__(self, options, ours, theirs):
        self._options = options
        self._ours = ours
        self._theirs = theirs
        self._catalogue = Grammar(ours.control, theirs.control, options.commands)
        self._kinds = set()
        self.compared = 0

    @property
    def failures(self):
        return len(self._kinds)

    def run(self, seed):
        deadline = time.monotonic() + self._options.seconds
        while time.monotonic() < deadline and self.failures < MOST_FAILURES:
            chance = random.Random(seed)
            resp = int(self._options.resp) if self._options.resp != "both" else chance.choice([2, 3])
            program = make_program(self._catalogue, chance, resp, self._options.length)
            difference, _, compared = self._play(program)
            self.compared += compared
            if difference:
                self._report(seed, program, difference)
            seed += 1

    def _play(self, program):
        """A server that dies is a difference, and is started again."""
        player = Player(self._ours, self._theirs)
        try:
            difference, lines = player.play(program)
        except (Closed, OSError, ValueError):
            difference, lines = None, []
            if self._ours.alive() and self._theirs.alive():
                for server in (self._ours, self._theirs):
                    server.stop()
        if not self._ours.alive():
            difference = difference or "died"
            print(self._ours.log_tail())
        for server in (self._ours, self._theirs):
            if not server.alive():
                server.stop()
                server.start()
        return difference, lines, player.compared

    def _report(self, seed, program, difference):
        if difference != "died":
            program = program._replace(steps=program.steps[: difference.step + 1])
            if _kind(difference) in self._kinds:
                return
            # What does not come again was a matter of time, not of meaning.
            if not self._play(program)[0] or not self._play(program)[0]:
                print("seed %d: a difference that did not come again: %s" % (seed, notation.request(difference.words)))
                return
        program = self._shrunk(program)
        difference, lines, _ = self._play(program)
        kind = _kind(difference)
        if kind in self._kinds:
            return
        self._kinds.add(kind)
        print("\n# seed %d" % seed)
        if difference and difference != "died":
            print("# Fairlane said: " + " ".join(notation.reply(value) for value in difference.ours))
        else:
            print("# Fairlane died")
            lines = []
        print_case("seed_%d" % seed, program, lines)
        sys.stdout.flush()

    def _shrunk(self, program):
        """Leaves out steps, then words, while there is a difference."""
        until = time.monotonic() + 20
        steps = _fewer(program.steps, lambda steps: self._differs(program, steps), until)
        for at, step in enumerate(steps):
            if len(step.words) > 6:

                def differs(words, at=at, step=step):
                    return self._differs(program, steps[:at] + [step._replace(words=words)] + steps[at + 1 :])

                steps[at] = step._replace(words=_fewer(step.words, differs, until))
        return program._replace(steps=steps)

    def _differs(self, program, steps):
        if not steps or any(not step.words for step in steps):
            return False
        return self._play(Program(steps, program.resp, program.streams))[0] is not None


def _fewer(items, differs, until):
    size = len(items) // 2
    while size >= 1:
        at = 0
        while at < len(items) and time.monotonic() < until:
            fewer = items[:at] + items[at + size :]
            if differs(fewer):
                items = fewer
            else:
                at += size
        size //= 2
    return items


def _kind(difference):
    """One failure of a kind is enough: the command, and what either said."""
    if difference is None or difference == "died":
        return difference

    def outline(values):
        return tuple((kind, content if kind == "-" else None) for kind, content in values)

    return name_of(difference.words), outline(difference.ours), outline(difference.theirs)


def print_case(name, program, lines):
    print("== " + name)
    if program.resp == 3:
        print("@resp3 A\n@resp3 B")
    if not lines:
        for step in program.steps:
            print("%s> %s" % (step.connection, notation.request(step.words)))
    for line in lines:
        if line.words is None:
            print(line.connection + "<")
        elif line.words != [b"(end)"]:
            print("%s> %s" % (line.connection, notation.request(line.words)))
        prefix = {"any": "unordered ", "pairs": "pairs "}.get(line.order, "")
        for value in line.replies:
            print((prefix if value[0] == "*" and value[1] else "") + notation.reply(value))


def main():
    options = parse_options()
    seed = options.seed if options.seed is not None else int(time.time()) * 1000
    print("seed %d" % seed, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        ours = Server(os.path.abspath(options.server), [], folder)
        theirs = Server(options.redis or find_redis(folder), ["--enable-debug-command", "no"], folder)
        try:
            hunt = Hunt(options, ours, theirs)
            hunt.run(seed)
        finally:
            ours.stop()
            theirs.stop()
    print("%d passed, %d failed" % (hunt.compared, hunt.failures))
    return 1 if hunt.failures else 0


if __name__ == "__main__":
    sys.exit(main())
