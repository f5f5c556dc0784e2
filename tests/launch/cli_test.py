#!/usr/bin/env python3
"""`fairlane-server cli` prints what redis-cli prints, with the same exit status. Usage: cli_test.py PROGRAM"""

import os
import pty
import subprocess

from launcher import LaunchTest, PROGRAM, ask, free_port, main

LAYOUTS = [[], ['--no-raw'], ['--raw'], ['--csv'], ['-3'], ['-3', '--no-raw'], ['-3', '--csv'], ['-e'], ['-d', '|'],
           ['-D', '!\n'], ['-n', '2'], ['-n', '99'], ['-a', 'wrong'], ['--user', 'u', '--pass', 'p']]
COMMANDS = [
    'ping', 'get s', 'get none', 'lrange l 0 -1', 'lrange none 0 -1', 'strlen s', 'hgetall h', 'no-such', 'set x',
    'smembers l', 'zscore z m', 'zrange z 0 -1 withscores', 'zpopmin none', 'config get save', 'mget s none h',
    'xrange st - +', 'eval return{1,{2,3,{"a",{}}},"x"} 0', 'eval return{1,{2,{}},redis.error_reply("no"),{{1,{2}},3}} 0',
    'command info get', 'command docs get', 'select 3', 'select 99', 'info no-such', 'client list type no-such',
]
# Words, standard input, environment.
OTHERS = [
    (['-x', 'set', 'input'], 'hello\n', {}), (['get', 'input'], '', {}), (['-X', 'T', 'set', 'T', 'v'], 'key', {}),
    (['-X', 'T', 'set', 'k', 'v'], 'key', {}), (['-r', '3', 'ping'], '', {}), (['-r', '0', 'ping'], '', {}),
    (['-e', '-r', '3', 'get'], '', {}), ([], 'ping\nget s\nlrange l 0 1\n"unbalanced\n\n3 ping\nquit\nping\n', {}),
    (['--no-raw'], 'get s\nselect 2\nget s\nmulti\nping\nlrange l 0 2\nexec\nEXIT\n', {}), ([], 'no-such\nauth x\n', {}),
    (['--no-raw'], 'subscribe\nPING\n', {}), (['--quoted-input', 'set', '"a\\x41"', '"v\\n"'], '', {}),
    (['get', 'aA'], '', {}), (['ping'], '', {'REDISCLI_AUTH': 'z'}), (['get', 's'], '', {'FAKETTY': '1'}),
    (['-c', 'ping'], '', {}), (['--no-such'], '', {}), (['-n'], '', {}), (['-p', '1', 'ping'], '', {}),
    (['-p', '1'], 'ping\nping\n', {}), (['-s', '/no/such/socket', 'ping'], '', {}),
    (['-h', 'localhost', 'ping'], '', {}), (['-u', 'http://127.0.0.1', 'ping'], '', {}),
    (['-u', 'redis://127.0.0.1:{port}/2', 'ping'], '', {}), (['-u', 'redis://u:p%41@127.0.0.1:{port}', 'ping'], '', {}),
]


class Client(LaunchTest):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.read_until(self.launch('--port', str(self.port), '--bind', '127.0.0.1'), 'Ready to accept')
        for line in ('RPUSH l ' + ' '.join(map(str, range(12))), 'SET s "a\\"b\\n\\x01"', 'HSET h a 1 b 2', 'ZADD z 1.5 m',
                     'XADD st 1-1 f v'):
            self.assertNotIn(b'-', ask(self.port, line.encode() + b'\r\n')[:1])

    def run_client(self, program, words, text, environment):
        all_words = [word.replace('{port}', str(self.port)) for word in ['-p', '{port}', *words]]
        done = subprocess.run([*program, *all_words], input=text, capture_output=True, text=True, timeout=20,
                              env={**os.environ, **environment})
        return done.returncode, done.stdout, done.stderr

    def assert_same(self, words, text='', environment=None):
        theirs = self.run_client(['redis-cli'], words, text, environment or {})
        ours = self.run_client([PROGRAM, 'cli'], words, text, environment or {})
        self.assertEqual(ours, theirs, words)

    def test_replies_in_every_layout(self):
        for layout in LAYOUTS:
            for command in COMMANDS:
                self.assert_same(layout + command.split())

    def test_everything_else(self):
        for words, text, environment in OTHERS:
            self.assert_same(words, text, environment)

    def test_at_a_terminal_replies_are_for_people(self):
        master, slave = pty.openpty()
        subprocess.run([PROGRAM, 'cli', '-p', str(self.port), 'lrange', 'l', '0', '1'], stdin=subprocess.DEVNULL,
                       stdout=slave, timeout=10, check=True)
        os.close(slave)
        self.assertEqual(os.read(master, 1000), b'1) "0"\r\n2) "1"\r\n')
        os.close(master)

    def test_it_goes_by_the_name_of_redis_cli(self):
        os.symlink(PROGRAM, self.path('redis-cli'))
        self.assertEqual(self.run_client([self.path('redis-cli')], ['ping'], '', {}), (0, 'PONG\n', ''))


if __name__ == '__main__':
    main()
