#!/usr/bin/env python3
"""Fairlane's LANE commands beside redis-server running equivalent Lua scripts (lua/*.lua), in interleaved runs.

    lanes.py --server build/release/fairlane-server --load build/release/tests/bench/load [--redis redis-server]
             [--sections compare,scale,rates] [--lanes 100,10000,...] [--seconds 1] [--repeat 5] [--jobs 200000]
    lanes.py --check --server build/release/fairlane-server [--redis redis-server] [--seed 1]

compare  server CPU per job of enqueue, and of weighted claim + complete, on both servers; the ratio and its target.
scale    server CPU per enqueue and per claim of Fairlane alone as lanes grow, for each policy. All rows of one run have
         the same number of jobs waiting, so that only the number of lanes differs.
rates    claims + completes a second, pipelined; LANE commands a second at 50 clients without pipelining, as a share
         of redis-server's PING of the neighbouring run.
--check  plays 200 random operations on both servers and compares the replies and all keys after each.

The CPU is that of the server process over the jobs it did, from /proc; figures are medians of the repetitions, ratios
medians of the ratios of neighbouring runs. No lane runs dry in compare and scale. Where one script call takes
milliseconds, redis-server gets fewer jobs to do. Nobody listens to the events, which the scripts do not publish.
"""

import argparse
import os
import random
import socket
import statistics
import sys

from compare import Run, Server, median, ratio

QUEUE = 'bench'
PREFIX = 'emq:{%s}:' % QUEUE
LEASE = '600000'
FIRST_ID = 10**15
SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lua')
COMPARE_TARGETS = {100: 10, 10000: 60, 100000: 600}  # lanes: redis-server's CPU over Fairlane's, at least
GROWTH_TARGETS = {'ring': 2, 'smooth': 3}
PAIRS_TARGET = 200000
SHARE_TARGET = 0.8
WEIGHTS = (1, 2, 3)  # in turn over the lanes
# A row and its lane entry; the ring is written once, as looking for the lane in it is what takes the scripts so long.
FILL = """redis.call('HSET', KEYS[1], 'state', 'pending', 'attempts', '0', 'payload', ARGV[2], 'group', ARGV[3])
return redis.call('ZADD', KEYS[2], 0, ARGV[1])"""


class Refusal(str):
    """The text of an error reply."""


class Connection:
    def __init__(self, server):
        self.socket = socket.create_connection(('127.0.0.1', server.port), timeout=120)
        self.replies = self.socket.makefile('rb')

    def close(self):
        self.replies.close()
        self.socket.close()

    def call_all(self, requests):
        encoded = [[str(word).encode() for word in words] for words in requests]
        self.socket.sendall(b''.join(
            b'*%d\r\n' % len(words) + b''.join(b'$%d\r\n%s\r\n' % (len(word), word) for word in words)
            for words in encoded))
        return [self.read() for _ in encoded]

    def call(self, *words):
        """The reply; an error reply ends the program."""
        reply = self.try_call(*words)
        if isinstance(reply, Refusal):
            sys.exit(f'{words[0]}: {reply}')
        return reply

    def try_call(self, *words):
        return self.call_all([words])[0]

    def read(self):
        line = self.replies.readline()[:-2].decode()
        kind, text = line[:1], line[1:]
        if kind == '-':
            return Refusal(text)
        if kind == '+':
            return text
        if kind == ':':
            return int(text)
        if int(text) < 0:
            return None
        if kind == '$':
            return self.replies.read(int(text) + 2)[:-2].decode()
        return [self.read() for _ in range(int(text))]


def keys(*suffixes):
    return [PREFIX + suffix for suffix in suffixes]


class Native:
    """The requests of a server that knows LANE commands."""

    def __init__(self, connection):
        self.connection = connection

    def fill(self):
        return self.enqueue('%n')

    def begin_fill(self, lanes):
        pass

    def set_weights(self, weights):
        for names in chunks(list(weights), 1000):
            self.connection.call_all([('LANE.WEIGHT', QUEUE, lane, weights[lane]) for lane in names])

    def enqueue(self, lane='%l', job='%i', payload='%p'):
        return ['LANE.ENQUEUE', QUEUE, lane, job, payload]

    def claim(self):
        return ['LANE.CLAIM', QUEUE, LEASE]

    def weighted_claim(self):
        return ['LANE.WCLAIM', QUEUE, LEASE]

    def complete(self, job='%j', token='%t'):
        return ['LANE.COMPLETE', QUEUE, job, token]


class Scripted:
    """The requests that have the same effects by scripts."""

    def __init__(self, connection):
        self.connection = connection
        self.scripts = {'fill': connection.call('SCRIPT', 'LOAD', FILL)}
        for name in ('enqueue', 'claim', 'weighted_claim', 'complete'):
            with open(os.path.join(SCRIPTS, name + '.lua')) as script:
                self.scripts[name] = connection.call('SCRIPT', 'LOAD', script.read())

    def run(self, script, names, *arguments):
        return ['EVALSHA', self.scripts[script], str(len(names)), *names, *arguments]

    def fill(self):
        return self.run('fill', keys('job:%i', 'g:%n:pending'), '%i', '%p', '%n')

    def begin_fill(self, lanes):
        for names in chunks([f'lane-{i}' for i in range(lanes)], 1000):
            self.connection.call('RPUSH', PREFIX + 'ring', *names)
        self.connection.call('LPUSH', PREFIX + 'wake', *['1'] * min(lanes, 64))

    def set_weights(self, weights):
        for names in chunks(list(weights), 1000):
            pairs = [word for lane in names for word in (lane, weights[lane])]
            self.connection.call('HSET', PREFIX + 'gweight', *pairs)

    def enqueue(self, lane='%l', job='%i', payload='%p'):
        return self.run('enqueue', keys(f'job:{job}', f'g:{lane}:pending', 'ring', 'paused', 'glimit', 'gactive',
                                        'wake'), job, payload, lane)

    def claim(self):
        return self.run('claim', keys('ring', 'active', 'paused', 'glimit', 'gactive', 'meta'), PREFIX, LEASE)

    def weighted_claim(self):
        return self.run('weighted_claim', keys('ring', 'active', 'paused', 'glimit', 'gactive', 'meta', 'gweight'),
                        PREFIX, LEASE)

    def complete(self, job='%j', token='%t'):
        return self.run('complete', keys(f'job:{job}', 'active', 'ring', 'paused', 'glimit', 'gactive', 'wake',
                                         'metrics:completed'), job, token, PREFIX)


def chunks(values, size):
    return [values[at:at + size] for at in range(0, len(values), size)]


class Side:
    """A server and the requests by which it does the work of a queue."""

    def __init__(self, name, program, dialect):
        self.server = Server(name, program)
        self.connection = Connection(self.server)
        self.requests = dialect(self.connection)

    def stop(self):
        self.connection.close()
        self.server.stop()


class Lanes:
    def __init__(self, options):
        self.options, self.run = options, Run(options)

    def measure(self, side, words, settle=(), clients=8, pipeline=16, lanes=1, most=0, first=FIRST_ID, seconds=None,
                may_be_idle=False):
        words = [first, *words] + (['//', *settle] if settle else [])
        figures = self.run.load(side.server, 'WORDS', clients, pipeline, seconds or self.options.seconds, lanes, most,
                                words)
        if figures['count'] == 0 and not may_be_idle:
            sys.exit(f'{side.server.name}: nothing was done')
        return figures

    def fill(self, side, lanes, jobs, setting=()):
        """Jobs in turn over the lanes, and nothing else but the setting of the queue, if one is given."""
        side.connection.call('FLUSHALL')
        if setting:
            side.connection.call(*setting)
        side.requests.begin_fill(lanes)
        self.measure(side, side.requests.fill(), (), 1, 128, lanes, jobs, seconds=3600)

    def repeat(self, sides):
        """The sides in turned order, once for each repetition."""
        for repetition in range(self.options.repeat):
            yield sides if repetition % 2 == 0 else sides[::-1]


def verdict(good):
    return 'pass' if good else 'FAIL'


def compare_section(lanes_run, fairlane, redis):
    print('\n| operation | lanes | jobs F | jobs R | CPU us/job Fairlane | CPU us/job Redis | ratio | target | |'
          '\n|--|--|--|--|--|--|--|--|--|')
    for lanes in lanes_run.options.lanes or COMPARE_TARGETS:
        jobs = max(lanes_run.options.jobs, 4 * lanes)
        runs = {(operation, side): [] for operation in ('enqueue', 'claim') for side in (fairlane, redis)}
        for sides in lanes_run.repeat([fairlane, redis]):
            for side in sides:
                lanes_run.fill(side, lanes, jobs)
                side.requests.set_weights({f'lane-{i}': WEIGHTS[i % len(WEIGHTS)] for i in range(lanes)})
            for operation in ('enqueue', 'claim'):
                for side in sides:
                    # The heaviest lane gives 1.5 times the mean, so that no lane is emptied.
                    most = jobs * 4 // 10
                    if side is redis:
                        most = min(most, max(10**8 // lanes, 500))
                    if operation == 'enqueue':
                        figures = lanes_run.measure(side, side.requests.enqueue(), lanes=lanes, most=most,
                                                    first=FIRST_ID + jobs)
                    else:
                        figures = lanes_run.measure(side, side.requests.weighted_claim(), side.requests.complete(),
                                                    lanes=lanes, most=most)
                    runs[operation, side].append(figures)
        for operation, name in (('enqueue', 'enqueue'), ('claim', 'weighted claim + complete')):
            ours, theirs = runs[operation, fairlane], runs[operation, redis]
            factor = 1 / ratio(ours, theirs, 'cpu')
            target = COMPARE_TARGETS.get(lanes)
            print(f'| {name} | {lanes} | {median(ours, "count"):.0f} | {median(theirs, "count"):.0f} | '
                  f'{median(ours, "cpu") / 1000:.2f} | {median(theirs, "cpu") / 1000:.1f} | 1/{factor:.1f} | '
                  + (f'1/{target} | {verdict(factor >= target)} |' if target else '- | - |'), flush=True)


def scale_section(lanes_run, fairlane):
    grid = lanes_run.options.lanes or [1000, 10000, 100000, 1000000]
    jobs = max(lanes_run.options.jobs, 2 * max(grid))
    print('\n| policy | lanes | jobs waiting | CPU ns/enqueue | growth | CPU ns/claim | growth | target | |'
          '\n|--|--|--|--|--|--|--|--|--|')
    for policy, target in GROWTH_TARGETS.items():
        runs = {(operation, lanes): [] for operation in ('enqueue', 'claim') for lanes in grid}
        config = ('LANE.CONFIG', QUEUE, 'SET', 'policy', policy) if policy != 'ring' else ()
        if config:
            reply = fairlane.connection.try_call(*config)
            if isinstance(reply, Refusal):
                print(f'\n{policy}: skipped, LANE.CONFIG answers "{reply}"')
                continue
        for order in lanes_run.repeat(grid):
            for lanes in order:
                # Claims take less than half of every lane: none is emptied.
                lanes_run.fill(fairlane, lanes, jobs, config)
                runs['claim', lanes].append(lanes_run.measure(fairlane, fairlane.requests.claim(), most=jobs * 4 // 10))
                runs['enqueue', lanes].append(lanes_run.measure(
                    fairlane, fairlane.requests.enqueue(), lanes=lanes, most=jobs * 4 // 10, first=FIRST_ID + jobs))
        for lanes in grid:
            growth = [median(runs[operation, lanes], 'cpu') / median(runs[operation, grid[0]], 'cpu')
                      for operation in ('enqueue', 'claim')]
            print(f'| {policy} | {lanes} | {jobs} | {median(runs["enqueue", lanes], "cpu"):,.0f} | {growth[0]:.2f} | '
                  f'{median(runs["claim", lanes], "cpu"):,.0f} | {growth[1]:.2f} | {target} | '
                  f'{verdict(max(growth) <= target)} |', flush=True)


def rates_section(lanes_run, fairlane, redis):
    jobs, requests = lanes_run.options.jobs, fairlane.requests
    for lanes in lanes_run.options.lanes or [100]:
        pairs, shares, rates, pings = [], {}, {}, []
        for _ in range(lanes_run.options.repeat):
            lanes_run.fill(fairlane, lanes, jobs)
            pairs.append(lanes_run.measure(fairlane, requests.claim(), requests.complete(), most=jobs * 9 // 10))
            lanes_run.fill(fairlane, lanes, jobs)
            for command, words in (('LANE.ENQUEUE', requests.enqueue()), ('LANE.CLAIM', requests.claim()),
                                   ('LANE.COMPLETE', requests.complete('%i', '1'))):
                first, most = FIRST_ID, jobs
                if command == 'LANE.ENQUEUE':
                    first, most = FIRST_ID + jobs, 0
                elif command == 'LANE.COMPLETE':
                    # All jobs are held, each for the first time: any that the fill brought can be settled.
                    lanes_run.measure(fairlane, requests.claim(), (), 1, 128, seconds=3600, may_be_idle=True)
                ping = lanes_run.measure(redis, ['PING'], (), 50, 1)['rate']
                rate = lanes_run.measure(fairlane, words, (), 50, 1, lanes, most, first)['rate']
                pings.append(ping)
                rates.setdefault(command, []).append(rate)
                shares.setdefault(command, []).append(rate / ping)
        rate, cpu = median(pairs, 'rate'), median(pairs, 'cpu')
        print(f'\n{lanes} lanes, 8 clients, pipeline 16: {rate:,.0f} claims + completes a second, target '
              f'{PAIRS_TARGET:,}: {verdict(rate >= PAIRS_TARGET)}. By its CPU ({cpu / 1000:.2f} us a pair) the server '
              f'could do {1e9 / cpu:,.0f} on one core.')
        print(f'\n| command, {lanes} lanes, 50 clients, pipeline 1 | a second | of PING of redis-server | target | |'
              '\n|--|--|--|--|--|')
        print(f'| PING of redis-server | {statistics.median(pings):,.0f} | 1.00 | - | - |')
        for command, share in shares.items():
            share = statistics.median(share)
            print(f'| {command} | {statistics.median(rates[command]):,.0f} | {share:.2f} | {SHARE_TARGET} | '
                  f'{verdict(share >= SHARE_TARGET)} |', flush=True)


def contents(connection):
    """All keys with their values, in a form that does not depend on the order of hashes and sets."""
    names = sorted(connection.call('KEYS', '*'))
    types = connection.call_all([('TYPE', name) for name in names])
    reads = {'hash': ('HGETALL',), 'set': ('SMEMBERS',), 'list': ('LRANGE', 0, -1),
             'zset': ('ZRANGE', 0, -1, 'WITHSCORES')}
    values = connection.call_all([(reads[kind][0], name, *reads[kind][1:]) for name, kind in zip(names, types)])
    found = {}
    for name, kind, value in zip(names, types, values):
        if kind in ('hash', 'zset'):
            value = dict(zip(value[::2], value[1::2])) if kind == 'hash' else list(zip(value[::2], value[1::2]))
        found[name] = (kind, sorted(value) if kind == 'set' else value)
    return found


def same_contents(ours, theirs):
    """Deadlines, and the order they make, may differ by a second."""
    active = PREFIX + 'active'
    if ours.keys() != theirs.keys():
        return False
    if any(ours[name] != theirs[name] for name in ours if name != active):
        return False
    if active not in ours:
        return True
    (kind, leases), (other_kind, other_leases) = ours[active], theirs[active]
    leases, other_leases = dict(leases), dict(other_leases)
    return (kind == other_kind and leases.keys() == other_leases.keys()
            and all(abs(float(leases[job]) - float(other_leases[job])) <= 1000 for job in leases))


def same_reply(ours, theirs):
    if isinstance(ours, Refusal) or isinstance(theirs, Refusal):
        return type(ours) is type(theirs) and ours.split()[0] == theirs.split()[0]
    return ours == theirs


def random_operation(numbers, tokens, count):
    """The name of an operation and its arguments; the tokens are those handed out so far, by job."""
    kind = numbers.choice(['enqueue'] * 4 + ['claim'] * 2 + ['weighted_claim'] + ['complete'] * 3)
    if kind == 'enqueue':
        # Now and then an id that has been there already.
        job = numbers.randrange(count + 1) if numbers.random() < 0.1 else count
        return kind, (f'lane-{numbers.randrange(6)}', f'JOB{job:011d}', f'payload {count}')
    if kind != 'complete':
        return kind, ()
    if not tokens or numbers.random() < 0.1:
        return kind, (f'JOB{numbers.randrange(count + 1):011d}', str(numbers.randrange(3)))
    return kind, numbers.choice(sorted(tokens.items()))


def check(options, fairlane, redis):
    numbers = random.Random(options.seed)
    # One lane paused, one with a limit, one with both a limit and a weight above it, one with a weight.
    for side in (fairlane, redis):
        side.connection.call('FLUSHALL')
        side.connection.call('SADD', PREFIX + 'paused', 'lane-1')
        side.connection.call('HSET', PREFIX + 'glimit', 'lane-2', 1, 'lane-3', 2)
        side.connection.call('HSET', PREFIX + 'gweight', 'lane-3', 5, 'lane-4', 3)
    tokens, done = {}, {}
    for count in range(options.operations):
        kind, arguments = random_operation(numbers, tokens, count)
        replies = [side.connection.try_call(*getattr(side.requests, kind)(*arguments)) for side in (fairlane, redis)]
        found = [contents(side.connection) for side in (fairlane, redis)]
        if not same_reply(*replies) or not same_contents(*found):
            print(f'operation {count}: {kind} {" ".join(arguments)}')
            for name, reply, values in zip(('fairlane', 'redis'), replies, found):
                print(f'{name} answers {reply!r}')
                for key in sorted(values):
                    print(f'    {key} {values[key]}')
            sys.exit('The servers differ.')
        jobs = [replies[0]] if kind == 'claim' and replies[0] else replies[0] if kind == 'weighted_claim' else []
        tokens.update((job[0], str(job[2])) for job in jobs)
        if kind == 'complete' and replies[0] == 1:
            tokens.pop(arguments[0])
        outcome = ('refused' if isinstance(replies[0], Refusal) else 'done' if replies[0] else 'nothing')
        done[kind, outcome] = done.get((kind, outcome), 0) + 1
    print(f'{options.operations} operations, same replies and same keys: '
          + ', '.join(f'{kind} {outcome} {times}' for (kind, outcome), times in sorted(done.items())))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--server', required=True)
    parser.add_argument('--load', help='the load generator; not needed for --check')
    parser.add_argument('--redis', default='redis-server')
    parser.add_argument('--sections', type=lambda text: text.split(','), default=['compare', 'scale', 'rates'])
    parser.add_argument('--lanes', type=lambda text: [int(n) for n in text.split(',')], help='for all sections')
    parser.add_argument('--seconds', type=float, default=1, help='longest time of one measurement')
    parser.add_argument('--repeat', type=int, default=5)
    parser.add_argument('--jobs', type=int, default=200000, help='jobs waiting before a measurement, at least')
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--operations', type=int, default=200, help='of --check')
    parser.add_argument('--seed', type=int, default=1, help='of --check')
    options = parser.parse_args()
    unknown = set(options.sections) - {'compare', 'scale', 'rates'}
    if unknown:
        parser.error(f'unknown section {", ".join(sorted(unknown))}')
    if not options.check and not options.load:
        parser.error('--load is needed')
    options.server = os.path.abspath(options.server)
    sides = []
    try:
        sides.append(Side('fairlane', options.server, Native))
        sides.append(Side('redis', options.redis, Scripted))
        if options.check:
            check(options, *sides)
            return
        lanes_run = Lanes(options)
        if 'compare' in options.sections:
            compare_section(lanes_run, *sides)
        if 'scale' in options.sections:
            scale_section(lanes_run, sides[0])
        if 'rates' in options.sections:
            rates_section(lanes_run, *sides)
    finally:
        for side in sides:
            side.stop()


if __name__ == '__main__':
    main()
