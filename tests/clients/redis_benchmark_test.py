#!/usr/bin/env python3
"""redis_benchmark_test.py SERVER: the default set of redis-benchmark runs to its end without an error reply."""

import re
import subprocess
import sys

from support.server_process import ServerProcess

TESTS = ('PING_INLINE', 'PING_MBULK', 'SET', 'GET', 'INCR', 'LPUSH', 'RPUSH', 'LPOP', 'RPOP', 'SADD', 'HSET', 'SPOP',
         'ZADD', 'ZPOPMIN', 'LRANGE_100', 'LRANGE_300', 'LRANGE_500', 'LRANGE_600', 'MSET')


def faults(port, *options):
    run = subprocess.run(['redis-benchmark', '-p', str(port), '-n', '1000', '-q', *options],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    said = run.stdout + run.stderr
    finished = set(re.findall(r'(\w+)(?: \([^)]*\))?: (?:[\d.]+|inf) requests per second', said))
    yield from (f'{name} has no result' for name in TESTS if name not in finished)
    yield from (line for line in re.split(r'[\r\n]+', said) if re.search('error|warning|could not', line, re.I))
    if run.returncode != 0:
        yield f'redis-benchmark ended with {run.returncode}'


def main():
    found = []
    with ServerProcess(sys.argv[1]) as server:
        for options in ((), ('-P', '16'), ('-r', '1000', '-d', '100', '-P', '4', '--threads', '2')):
            found += [f'{" ".join(options) or "default"}: {fault}' for fault in faults(server.port, *options)]
    print('\n'.join(found) or 'redis-benchmark met no error')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
