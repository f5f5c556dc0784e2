#!/usr/bin/env python3
"""`fairlane-server run -- COMMAND` runs a command beside a server of its own. Usage: run_beside_test.py PROGRAM"""

import os
import signal
import subprocess
import time

from launcher import LaunchTest, PROGRAM, eventually, is_gone, main


class RunBeside(LaunchTest):
    def pids(self, count):
        """The process ids that the command writes to the file `pids`."""
        def read():
            try:
                with open(self.path('pids')) as text:
                    return [int(word) for word in text.read().split()]
            except FileNotFoundError:
                return []
        self.assertTrue(eventually(lambda: len(read()) == count))
        return read()

    def assert_gone(self, pids):
        for pid in pids:
            self.assertTrue(eventually(lambda: is_gone(pid)), pid)

    def test_the_command_finds_the_server_and_its_status_is_the_result(self):
        status, output = self.outcome('run', '--', 'sh', '-c', 'redis-cli -u "$REDIS_URL" ping; exit 7')
        self.assertEqual((status, output), (7, 'PONG\n'))

    def test_options_stand_before_the_dashes(self):
        status, output = self.outcome('run', '--requirepass', 's&c', '--', 'sh', '-c', 'echo "$REDIS_URL"')
        self.assertEqual(status, 0)
        self.assertRegex(output, r'^redis://:s%26c@127\.0\.0\.1:\d+\n$')

    def test_what_cannot_be_run(self):
        self.assertEqual(self.outcome('run', '--', '/no/such/program')[0], 127)
        self.assertEqual(self.outcome('run', '--', self.folder)[0], 126)
        self.assertEqual(self.outcome('run', '--')[0], 1)
        self.assertEqual(self.outcome('run', '--', 'sh', '-c', 'kill -KILL $$')[0], 128 + 9)

    def test_standard_input_is_the_commands(self):
        runner = self.launch('run', '--', 'cat', stdin=subprocess.PIPE)
        self.assertEqual(runner.communicate(b'words', timeout=10)[0], b'words')

    def test_what_the_command_leaves_behind_is_ended(self):
        leave = "(setsid sh -c 'echo $$ >> pids; sleep 600; :' > /dev/null 2>&1 &); "
        status, _ = self.outcome('run', '--', 'sh', '-c', leave + leave + 'while ! test "$(wc -l < pids)" = 2; do :; done')
        self.assertEqual(status, 0)
        self.assert_gone(self.pids(2))

    def test_a_signal_is_for_the_command(self):
        runner = self.launch('run', '--', 'sh', '-c', 'trap "exit 5" TERM; echo $$ > pids; while :; do sleep 0.05; done')
        pids = self.pids(1)
        runner.send_signal(signal.SIGTERM)
        self.assertEqual(runner.wait(5), 5)
        self.assert_gone(pids)

    def test_nothing_is_left_when_the_runner_is_killed(self):
        runner = self.launch('run', '--', 'sh', '-c', 'echo $$ > pids; exec sleep 600')
        pids = self.pids(1)
        runner.kill()
        self.assert_gone(pids)

    def test_nothing_is_left_when_the_runners_parent_is_killed(self):
        parent = subprocess.Popen(['sh', '-c', '"$0" run -- sh -c \'echo $$ $PPID > pids; sleep 600; :\' & wait', PROGRAM],
                                  cwd=self.folder, stdout=subprocess.DEVNULL)
        pids = self.pids(2)
        parent.kill()
        parent.wait()
        self.assert_gone(pids)


if __name__ == '__main__':
    main()
