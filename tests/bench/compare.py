#!/usr/bin/env python3
"""Fairlane beside redis-server: operations per second and server CPU per operation, in interleaved runs.

    compare.py --server build/release/fairlane-server --load build/release/tests/bench/load [--redis PROGRAM]
               [--operations PING,SET,...] [--grid 50x1,50x16,50x128] [--repetitions 5] [--seconds 0.5]
               [--lanes 1,100,10000] [--memory]

Both servers run at once on free ports of 127.0.0.1; every cell of the table is measured on one and then at once on the
other, in turned order, several times. The CPU is that of the server process (all threads) over the operations it did,
from /proc/PID/task/*/schedstat, as the median of the repetitions; ratios are Fairlane's figure over redis-server's, of
runs that are neighbours in time. Lane operations have no counterpart in redis-server and are compared with its PING.
"""

import argparse
import glob
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'differential'))
from server import find_redis  # noqa: E402

OPERATIONS = ['PING', 'SET', 'GET', 'INCR', 'HSET', 'ZADD-ORDERED', 'ZADD-RANDOM', 'ZPOPMIN-ORDERED', 'ZPOPMIN-RANDOM',
              'LPUSH', 'RPOP']
# What has to be there before an operation runs: another operation and how often.
FILL = {'GET': ('SET', 200000), 'ZPOPMIN-ORDERED': ('ZADD-ORDERED', 1000000),
        'ZPOPMIN-RANDOM': ('ZADD-RANDOM', 1000000), 'RPOP': ('LPUSH', 1000000)}


def free_port():
    """Below the ports that the system gives to outgoing connections, so that none takes it before the server does."""
    while True:
        port = random.randrange(26000, 27000)
        with socket.socket() as probe:
            try:
                probe.bind(('127.0.0.1', port))
                return port
            except OSError:
                continue


def request(port, *words):
    """Sends one command and returns the first line of the reply."""
    data = b'*%d\r\n' % len(words) + b''.join(b'$%d\r\n%s\r\n' % (len(w), w) for w in (str(x).encode() for x in words))
    with socket.create_connection(('127.0.0.1', port), timeout=60) as connection:
        connection.sendall(data)
        return connection.makefile('rb').readline()


class Server:
    def __init__(self, name, program):
        self.name, self.port = name, free_port()
        begin = time.perf_counter()
        self.process = subprocess.Popen(
            [program, '--port', str(self.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no',
             '--dir', tempfile.gettempdir()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                if request(self.port, 'PING').startswith(b'+PONG'):
                    break
            except OSError:
                time.sleep(0.0001)
            if time.perf_counter() - begin > 10:
                sys.exit(f'{name} did not start')
        self.start_millis = (time.perf_counter() - begin) * 1000

    def cpu_nanos(self):
        total = 0
        for path in glob.glob(f'/proc/{self.process.pid}/task/*/schedstat'):
            with open(path) as stat:
                total += int(stat.read().split()[0])
        return total

    def resident_kib(self):
        with open(f'/proc/{self.process.pid}/status') as status:
            return next(int(line.split()[1]) for line in status if line.startswith('VmRSS:'))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Run:
    def __init__(self, options):
        self.options = options

    def load(self, server, operation, clients, pipeline, seconds, lanes=1, requests=None, more=()):
        words = [self.options.load, server.port, operation, clients, pipeline, seconds, lanes]
        words += [requests or 0, *more]
        before = server.cpu_nanos()
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f'{server.name} {operation}: {done.stderr.strip()}')
        count, took, p50, p99 = (float(x) for x in done.stdout.split())
        return {'count': count, 'rate': count / took, 'cpu': (server.cpu_nanos() - before) / max(count, 1), 'p50': p50, 'p99': p99}

    def fill(self, server, operation, lanes=1):
        if operation in FILL:
            other, count = FILL[operation]
            self.load(server, other, 4, 128, 3600, lanes, count)

    def compare(self, operation, clients, pipeline, servers):
        """Median figures of both servers and the median of the ratios of neighbouring runs."""
        runs = {server.name: [] for server in servers}
        for repetition in range(self.options.repetitions):
            for server in servers if repetition % 2 == 0 else reversed(servers):
                request(server.port, 'FLUSHALL')
                self.fill(server, operation)
                limit = FILL[operation][1] * 9 // 10 if operation in FILL and operation != 'GET' else None
                runs[server.name].append(
                    self.load(server, operation, clients, pipeline, self.options.seconds, 1, limit))
        return runs


def median(runs, figure):
    return statistics.median(run[figure] for run in runs)


def ratio(ours, theirs, figure):
    return statistics.median(a[figure] / b[figure] for a, b in zip(ours, theirs))


def operations_table(run, servers):
    print('| operation | clients | pipeline | ops/s Fairlane | ops/s Redis | ratio | CPU ns/op Fairlane | CPU ns/op Redis '
          '| ratio | p99 us F | p99 us R |\n|--|--|--|--|--|--|--|--|--|--|--|')
    for operation in run.options.operations:
        for clients, pipeline in run.options.grid:
            runs = run.compare(operation, clients, pipeline, servers)
            ours, theirs = runs['fairlane'], runs['redis']
            print(f'| {operation} | {clients} | {pipeline} | {median(ours, "rate"):,.0f} | {median(theirs, "rate"):,.0f} | '
                  f'{ratio(ours, theirs, "rate"):.2f} | {median(ours, "cpu"):,.0f} | {median(theirs, "cpu"):,.0f} | '
                  f'{ratio(ours, theirs, "cpu"):.2f} | {median(ours, "p99"):,.0f} | {median(theirs, "p99"):,.0f} |', flush=True)


def lanes_table(run, fairlane, redis):
    print('\n| lane operation | lanes | clients | pipeline | ops/s | CPU ns/op | CPU against PING of redis-server |'
          '\n|--|--|--|--|--|--|--|')
    for lanes in run.options.lanes:
        for clients, pipeline in ((50, 1), (8, 16)):
            ping = run.load(redis, 'PING', clients, pipeline, run.options.seconds)
            request(fairlane.port, 'FLUSHALL')
            run.load(fairlane, 'ENQUEUE', 4, 64, 3600, lanes, max(lanes * 3, 100000))
            for operation in ('ENQUEUE', 'CLAIM'):
                name = 'WCLAIM + COMPLETE' if operation == 'CLAIM' else operation
                figures = run.load(fairlane, operation, clients, pipeline, run.options.seconds, lanes)
                print(f'| {name} | {lanes} | {clients} | {pipeline} | {figures["rate"]:,.0f} | {figures["cpu"]:,.0f} | '
                      f'{figures["cpu"] / ping["cpu"]:.2f} |', flush=True)


def memory_table(run, programs):
    print('\n| server | start to PONG ms | idle MB | sorted set, one score: bytes/member | distinct scores | row of three '
          'fields: bytes |\n|--|--|--|--|--|--|')
    for name, program in programs:
        starts = []
        for _ in range(9):
            server = Server(name, program)
            starts.append(server.start_millis)
            time.sleep(0.2)
            idle = server.resident_kib()
            server.stop()
        cells = []
        for operation, count in (('ZADD-ORDERED', 1000000), ('ZADD-RANDOM', 1000000), ('HSET', 100000)):
            server = Server(name, program)
            before = server.resident_kib()
            # Keys of HSET are drawn from 10^5 names: ten draws a name fill nearly all of them.
            run.load(server, operation, 4, 128, 3600, 1, count * (10 if operation == 'HSET' else 1))
            cells.append((server.resident_kib() - before) * 1024 / count)
            server.stop()
        print(f'| {name} | {statistics.median(starts):.1f} | {idle / 1024:.1f} | ' +
              ' | '.join(f'{cell:.0f}' for cell in cells) + ' |', flush=True)


def measure(options):
    run = Run(options)
    fairlane, redis = Server('fairlane', options.server), Server('redis', options.redis)
    try:
        operations_table(run, [fairlane, redis])
        lanes_table(run, fairlane, redis)
    finally:
        fairlane.stop()
        redis.stop()
    if options.memory:
        memory_table(run, [('fairlane', options.server), ('redis', options.redis)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(',')
    parser.add_argument('--server', required=True)
    parser.add_argument('--load', required=True)
    parser.add_argument('--redis', help='default: redis-server, or redis-check-rdb, of the PATH')
    parser.add_argument('--operations', type=words, default=OPERATIONS)
    parser.add_argument('--grid', type=lambda text: [tuple(map(int, c.split('x'))) for c in text.split(',')],
                        default=[(50, 1), (50, 16), (50, 128)])
    parser.add_argument('--repetitions', type=int, default=5)
    parser.add_argument('--seconds', type=float, default=0.5)
    parser.add_argument('--lanes', type=lambda text: [int(n) for n in text.split(',')], default=[1, 100, 10000])
    parser.add_argument('--memory', action='store_true')
    options = parser.parse_args()
    options.server = os.path.abspath(options.server)
    with tempfile.TemporaryDirectory() as folder:
        options.redis = options.redis or find_redis(folder)
        measure(options)


if __name__ == '__main__':
    main()
