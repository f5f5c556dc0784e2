#!/usr/bin/env python3
"""What a script costs on Fairlane and on redis-server: server CPU a call, in interleaved runs.

    scripts.py --server build/server/fairlane-server --load build/bench/tests/bench/load [--redis redis-server]
               [--clients 8] [--pipeline 16] [--seconds 1] [--repeat 5]

step   EVALSHA of lua/step.lua: twelve calls over hashes, lists and a sorted set.
empty  EVALSHA of a script without a call, `return 1`: what it takes to enter and to leave one. The load generator takes
       a null for a sign that there is no work, so that the script has to say something.

Both servers run at once; every repetition measures one and then the other, in turned order. The CPU is that of the
server process over the calls it answered, from /proc; figures are medians, ratios medians of the ratios of neighbouring
runs, Fairlane's over redis-server's. A target is the highest ratio that passes. After the steps, the counts that they
keep tell whether each of them ran to its end.
"""

import argparse
import os
import sys

from compare import Run, Server, median, ratio
from lanes import Connection, FIRST_ID, SCRIPTS, verdict

with open(os.path.join(SCRIPTS, 'step.lua'), encoding='ascii') as source:
    STEP = source.read()
# A name, the script, what follows its hash in a call, the target.
STEP_WORDS = ('5', 'q:waiting', 'q:active', 'q:job:%i', 'q:counts', 'q:deadlines', '%i', '%p', '1700000000000')
BENCHES = (('step', STEP, STEP_WORDS, 0.6), ('empty', 'return 1', ('0',), 0.8))
# Before anything is measured, so that caches are warm and tables have their size.
WARM_UP = 20000


class Side:
    """A running server and a connection to it."""

    def __init__(self, name, program):
        self.server = Server(name, program)
        self.connection = Connection(self.server)

    def load_script(self, text):
        return self.connection.call('SCRIPT', 'LOAD', text)

    def stop(self):
        self.connection.close()
        self.server.stop()


def measure(run, side, sha, words, requests=0):
    options = run.options
    figures = run.load(side.server, 'WORDS', options.clients, options.pipeline, options.seconds, 1, requests,
                       (FIRST_ID, 'EVALSHA', sha, *words))
    if figures['count'] == 0:
        sys.exit(f'{side.server.name}: nothing was done')
    return figures


def check_step(side, calls):
    """The counts tell whether every call ran to its end, and nothing else may be left."""
    added, completed = side.connection.call('HMGET', 'q:counts', 'added', 'completed')
    left = side.connection.call('KEYS', '*')
    if added != completed or int(added) < calls or left != ['q:counts']:
        sys.exit(f'{side.server.name}: {added} added, {completed} completed, {calls:.0f} asked for, left: {left}')


def bench(run, sides, script, words):
    """The runs of both sides, in the order of the sides."""
    runs = {side.server.name: [] for side in sides}
    hashes = {side.server.name: side.load_script(script) for side in sides}
    for side in sides:
        side.connection.call('FLUSHALL')
        measure(run, side, hashes[side.server.name], words, WARM_UP)
    for repetition in range(run.options.repeat):
        for side in sides if repetition % 2 == 0 else sides[::-1]:
            runs[side.server.name].append(measure(run, side, hashes[side.server.name], words))
    if script == STEP:
        for side in sides:
            check_step(side, sum(figures['count'] for figures in runs[side.server.name]))
    return [runs[side.server.name] for side in sides]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--server', required=True)
    parser.add_argument('--load', required=True, help='the load generator')
    parser.add_argument('--redis', default='redis-server')
    parser.add_argument('--clients', type=int, default=8)
    parser.add_argument('--pipeline', type=int, default=16)
    parser.add_argument('--seconds', type=float, default=1, help='time of one measurement')
    parser.add_argument('--repeat', type=int, default=5)
    options = parser.parse_args()
    run = Run(options)
    sides = []
    try:
        sides.append(Side('fairlane', os.path.abspath(options.server)))
        sides.append(Side('redis', options.redis))
        print('| script | CPU us/call Fairlane | CPU us/call Redis | ratio | target | | calls/s Fairlane | '
              'calls/s Redis |\n|--|--|--|--|--|--|--|--|')
        for name, script, words, target in BENCHES:
            ours, theirs = bench(run, sides, script, words)
            cost = ratio(ours, theirs, 'cpu')
            print(f'| {name} | {median(ours, "cpu") / 1000:.2f} | {median(theirs, "cpu") / 1000:.2f} | {cost:.2f} | '
                  f'{target} | {verdict(cost <= target)} | {median(ours, "rate"):,.0f} | '
                  f'{median(theirs, "rate"):,.0f} |', flush=True)
    finally:
        for side in sides:
            side.stop()


if __name__ == '__main__':
    main()
