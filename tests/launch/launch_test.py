#!/usr/bin/env python3
"""The server starts, speaks and ends as launchers of redis-server expect. Usage: launch_test.py PROGRAM"""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import threading
import time

from launcher import LaunchTest, PROGRAM, ask, eventually, free_port, is_gone, main

READY = '* Ready to accept connections'


class CommandLine(LaunchTest):
    def test_options_behind_each_other_as_test_helpers_give_them(self):
        port = free_port()
        server = self.launch('--port', str(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir',
                             self.folder, '--daemonize', 'no')
        self.read_until(server, READY)
        self.assertEqual(ask(port), b'+PONG\r\n')

    def test_an_option_with_its_values_in_one_word(self):
        port = free_port()
        server = self.launch(f'--port {port}', '--save 900 1', '--bind 127.0.0.1')
        self.read_until(server, READY)
        self.assertEqual(ask(port), b'+PONG\r\n')

    def test_save_without_a_value_before_another_option(self):
        port = free_port()
        self.read_until(self.launch('--save', '--port', str(port), '--bind', '127.0.0.1'), READY)
        self.assertEqual(ask(port), b'+PONG\r\n')

    def test_a_file_comes_first_and_options_overrule_it(self):
        port = free_port()
        file = self.write('redis.conf', 'port 1\nbind 127.0.0.1\nrequirepass secret\n')
        self.read_until(self.launch(file, '--port', str(port)), READY)
        self.assertTrue(ask(port).startswith(b'-NOAUTH'))

    def test_a_file_on_standard_input(self):
        port = free_port()
        server = self.launch('-', stdin=subprocess.PIPE)
        server.stdin.write(f'port {port}\nbind 127.0.0.1\n'.encode())
        server.stdin.close()
        self.read_until(server, READY)

    def test_an_unknown_directive_is_fatal(self):
        for words in (['--no-such-thing', 'x'], [self.write('bad.conf', 'port 0\nno-such-thing x\n')]):
            status, output = self.outcome(*words)
            self.assertEqual(status, 1)
            self.assertIn('*** FATAL CONFIG FILE ERROR', output)
            self.assertIn('Bad directive or wrong number of arguments', output)

    def test_a_file_that_is_not_there_is_fatal(self):
        status, output = self.outcome('/no/such/file.conf')
        self.assertEqual(status, 1)
        self.assertIn("Fatal error, can't open config file '/no/such/file.conf'", output)

    def test_the_version_is_printed_in_the_form_that_launchers_parse(self):
        for word in ('--version', '-v'):
            status, output = self.outcome(word)
            self.assertEqual(status, 0)
            self.assertRegex(output, r'^Redis server v=7\.\d+\.\d+ sha=[0-9a-f]+:\d malloc=\S+ bits=64 build=[0-9a-f]+\n')

    def test_the_name_redis_server_is_a_server_whatever_its_first_word(self):
        link = self.path('redis-server')
        os.symlink(PROGRAM, link)
        file = self.write('run', f'port 0\nbind 127.0.0.1\n')
        self.read_until(self.launch('run', program=link), READY)
        self.assertTrue(os.path.exists(file))


class Listening(LaunchTest):
    def test_a_port_in_use_is_fatal(self):
        with socket.socket() as other:
            other.bind(('127.0.0.1', 0))
            other.listen()
            status, output = self.outcome('--port', str(other.getsockname()[1]), '--bind', '127.0.0.1')
        self.assertEqual(status, 1)
        self.assertIn('Address already in use', output)
        self.assertNotIn('Ready to accept', output)

    def test_a_unix_socket_without_tcp(self):
        path = self.path('s')
        server = self.launch('--port', '0', '--unixsocket', path, '--unixsocketperm', '700')
        self.read_until(server, f'The server is now ready to accept connections at {path}')
        self.assertEqual(ask(path), b'+PONG\r\n')
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o700)
        server.terminate()
        self.assertEqual(server.wait(5), 0)
        self.assertFalse(os.path.exists(path))

    def test_port_0_alone_takes_a_free_one(self):
        said = self.read_until(self.launch('--port', '0', '--bind', '127.0.0.1'), READY)
        self.assertEqual(ask(int(re.search(r'port=(\d+)', said)[1])), b'+PONG\r\n')

    def test_the_line_of_json_says_where(self):
        server = self.launch('--port', '0', '--bind', '127.0.0.1', '--requirepass', 'a b', '--ready-json')
        ready = json.loads(self.read_until(server, '{').splitlines()[-1])
        self.assertEqual(ready, {'event': 'ready', 'pid': server.pid, 'host': '127.0.0.1', 'port': ready['port'],
                                 'url': f'redis://:a%20b@127.0.0.1:{ready["port"]}'})
        self.assertTrue(ask(ready['port']).startswith(b'-NOAUTH'))

    def test_the_ready_file_is_there_as_a_whole_when_the_server_listens(self):
        file = self.path('ready')
        server = self.launch('--port', '0', '--bind', '127.0.0.1', '--ready-file', file)
        self.assertTrue(eventually(lambda: os.path.exists(file)))
        with open(file) as text:
            ready = json.loads(text.read())
        self.assertEqual(ready['pid'], server.pid)
        self.assertEqual(ask(ready['port']), b'+PONG\r\n')

    def test_the_first_answer_comes_soon(self):
        port = free_port()
        begin = time.monotonic()
        self.launch('--port', str(port), '--bind', '127.0.0.1')

        def answers():
            try:
                return ask(port) == b'+PONG\r\n'
            except ConnectionRefusedError:
                return False
        self.assertTrue(eventually(answers))
        print(f'first answer after {(time.monotonic() - begin) * 1000:.0f} ms')


class Environment(LaunchTest):
    def test_every_option_is_a_variable_and_the_command_line_overrules_it(self):
        server = self.launch('--port', '0', environment={'FAIRLANE_PORT': '1', 'FAIRLANE_BIND': '127.0.0.1',
                                                         'FAIRLANE_REQUIREPASS': 'x', 'FAIRLANE_UNKNOWN': 'y'})
        port = int(re.search(r'port=(\d+)', self.read_until(server, READY))[1])
        self.assertTrue(ask(port).startswith(b'-NOAUTH'))

    def test_empty_variables_and_addresses_of_services_say_nothing(self):
        said = self.read_until(self.launch('--bind', '127.0.0.1', '--port', '0', environment={
            'FAIRLANE_PORT': 'tcp://10.0.0.1:6379', 'FAIRLANE_MAXMEMORY': ''}), READY)
        self.assertIn('port=', said)

    def test_a_bad_value_is_fatal(self):
        status, output = self.outcome(environment={'FAIRLANE_PORT': 'x'})
        self.assertEqual(status, 1)
        self.assertIn("Reading the environment, at line 1\n>>> 'port x'", output)


class Ending(LaunchTest):
    def started(self, *words, **options):
        server = self.launch('--port', '0', '--bind', '127.0.0.1', *words, **options)
        self.read_until(server, READY)
        return server

    def test_signals_end_it_at_once_with_status_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = self.started()
            begin = time.monotonic()
            server.send_signal(number)
            self.assertEqual(server.wait(5), 0)
            self.assertLess(time.monotonic() - begin, 0.5)

    def test_hangup_and_broken_pipe_mean_nothing(self):
        server = self.started()
        for number in (signal.SIGHUP, signal.SIGPIPE):
            server.send_signal(number)
        time.sleep(0.1)
        self.assertIsNone(server.poll())

    def test_it_ends_with_standard_input(self):
        server = self.started('--exit-on-stdin-eof', stdin=subprocess.PIPE)
        server.stdin.write(b'some words\n')
        server.stdin.flush()
        time.sleep(0.1)
        self.assertIsNone(server.poll())
        server.stdin.close()
        self.assertEqual(server.wait(5), 0)

    def test_it_ends_after_its_lifetime(self):
        self.assertEqual(self.started('--max-lifetime', '1').wait(5), 0)

    def test_it_ends_with_the_process_that_started_it(self):
        file = self.path('ready')
        parent = subprocess.Popen(['sh', '-c', '"$0" --port 0 --bind 127.0.0.1 --exit-with-parent --ready-file "$1" & wait',
                                   PROGRAM, file], stdout=subprocess.DEVNULL)
        self.assertTrue(eventually(lambda: os.path.exists(file)))
        with open(file) as text:
            pid = json.loads(text.read())['pid']
        parent.kill()
        parent.wait()
        self.assertTrue(eventually(lambda: is_gone(pid)))

    def test_it_outlives_the_thread_that_started_it(self):
        started = []
        thread = threading.Thread(target=lambda: started.append(self.started('--exit-with-parent')))
        thread.start()
        thread.join()
        time.sleep(0.1)
        self.assertIsNone(started[0].poll())


class Supervisor(LaunchTest):
    def test_systemd_is_told_of_start_and_stop(self):
        for name in (self.path('notify'), '\0fairlane-' + os.path.basename(self.folder)):
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
                supervisor.bind(name)
                supervisor.settimeout(10)
                server = self.launch('--port', '0', '--bind', '127.0.0.1', '--supervised', 'systemd', '--daemonize', 'yes',
                                     environment={'NOTIFY_SOCKET': name.replace('\0', '@')})
                self.assertIn(b'READY=1\n', supervisor.recv(1000))
                server.terminate()
                self.assertEqual(supervisor.recv(1000), b'STOPPING=1\n')
                self.assertEqual(server.wait(5), 0)

    def test_the_background_has_a_pid_file_while_it_runs(self):
        pid_file, ready = self.path('pid'), self.path('ready')
        launcher = self.launch('--port', '0', '--bind', '127.0.0.1', '--daemonize', 'yes', '--pidfile', pid_file,
                               '--ready-file', ready, '--logfile', self.path('log'))
        self.assertEqual(launcher.wait(5), 0)
        self.assertTrue(eventually(lambda: os.path.exists(ready)))
        with open(pid_file) as text:
            pid = int(text.read())
        os.kill(pid, signal.SIGTERM)
        self.assertTrue(eventually(lambda: not os.path.exists(pid_file)))

    def test_a_log_that_was_moved_away_is_begun_anew(self):
        log = self.path('log')
        server = self.launch('--port', '0', '--bind', '127.0.0.1', '--logfile', log)
        self.assertTrue(eventually(lambda: os.path.exists(log) and READY in self.read(log)))
        os.rename(log, log + '.1')
        server.terminate()
        server.wait(5)
        self.assertIn('bye bye', self.read(log))


if __name__ == '__main__':
    main()
