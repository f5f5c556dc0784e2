#!/usr/bin/env python3
"""notify_test.py SERVER: the worker of the README's worked example serves chats fairly and loses nothing."""

import collections
import pathlib
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import redis

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from support.server_process import HOST, ServerProcess
import worker

PATIENCE = 15
FLOOD = 1000
ROUND = 5  # jobs of one round: one of the flood, three of the premium chat, one of a small chat
CLAIM = 10  # jobs of one claim of the worker
LEASE = 500
# A worker that says what it delivers, and never comes to the end of it.
STUCK = f'''
import redis, signal, sys, worker
def deliver(chat, text):
    print(chat, text)
    signal.pause()
worker.work(redis.Redis('{HOST}', int(sys.argv[1]), decode_responses=True), deliver, lease={LEASE})
'''


class Stop(BaseException):
    """Ends a worker from within a delivery; no failure of the delivery."""


class Working(threading.Thread):
    """A worker of the example in a thread of its own. `deliver` sees each delivery before the test does."""

    def __init__(self, client, deliver=lambda chat, text: None, **options):
        super().__init__(daemon=True)
        self._client, self._deliver, self._options = client, deliver, options
        self.delivered = queue.Queue()
        self.start()

    def run(self):
        try:
            worker.work(self._client, self._pass_on, **self._options)
        except Stop:
            pass

    def _pass_on(self, chat, text):
        if text == 'stop':
            raise Stop
        self.delivered.put((chat, text))
        self._deliver(chat, text)

    def next(self, count=1):
        return [self.delivered.get(timeout=PATIENCE) for _ in range(count)]


class Notifications(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = ServerProcess(cls.program)

    @classmethod
    def tearDownClass(cls):
        if cls.server.stop() != 0:
            raise AssertionError('the server did not end well')

    def setUp(self):
        self.client = self.connect()
        self.call = self.client.execute_command
        self.client.flushall()

    def connect(self):
        made = redis.Redis(HOST, self.server.port, decode_responses=True, socket_timeout=PATIENCE)
        self.addCleanup(made.close)
        return made

    def start_worker(self, *deliver, **options):
        made = Working(self.connect(), *deliver, **options)
        self.addCleanup(self.stop_worker, made)
        return made

    def stop_worker(self, running):
        self.call('LANE.ENQUEUE', 'notify', 'stop', '*', 'stop')
        running.join(PATIENCE)
        self.assertFalse(running.is_alive(), 'the worker still runs')

    def start_process(self, *words):
        made = subprocess.Popen([sys.executable, '-B', '-u', *words, str(self.server.port)], cwd=HERE,
                                stdout=subprocess.PIPE, text=True)
        self.addCleanup(made.stdout.close)
        self.addCleanup(made.wait)
        self.addCleanup(made.kill)
        return made

    def enqueue(self, chat, *texts):
        """One step of the server for all of them; the text is the id."""
        pipeline = self.client.pipeline()
        for text in texts:
            pipeline.execute_command('LANE.ENQUEUE', 'notify', chat, text, text)
        self.assertEqual(pipeline.execute(), list(texts))

    def flood(self):
        self.enqueue('1001', *(f'flood-{number:04}' for number in range(FLOOD)))

    def until(self, wanted, look):
        deadline = time.monotonic() + PATIENCE
        while (seen := look()) != wanted:
            self.assertLess(time.monotonic(), deadline, f'{seen} instead of {wanted}')

    def until_blocked(self, count):
        self.until(count, lambda: self.client.info('clients')['blocked_clients'])

    def milliseconds(self):
        seconds, micros = self.client.time()
        return seconds * 1000 + micros // 1000

    def test_a_premium_chat_gets_three_jobs_for_one_and_a_small_chat_is_served_within_one_round(self):
        self.flood()
        self.call('LANE.WEIGHT', 'notify', '7', 3)
        self.enqueue('7', *(f'paid-{number:02}' for number in range(90)))
        seen = 0

        def deliver(_chat, _text):
            # In the worker's own step, so that the number of jobs delivered before it is known.
            nonlocal seen
            seen += 1
            if seen == 40:
                self.enqueue('42', 'hello')

        working = self.start_worker(deliver)
        first = working.next(40)
        self.assertEqual([chat for chat, _ in first], ['1001', '7', '7', '7'] * 10)
        for chat, texts in (('1001', 'flood-{:04}'), ('7', 'paid-{:02}')):
            mine = [text for one, text in first if one == chat]
            self.assertEqual(mine, [texts.format(number) for number in range(len(mine))])

        # The fortieth delivery is the last one of a claim, so the round begins with the next.
        self.assertEqual(40 % CLAIM, 0)
        self.assertIn(('42', 'hello'), working.next(ROUND))
        rest = collections.Counter(chat for chat, _ in working.next(FLOOD + 90 - 40 + 1 - ROUND))
        self.assertEqual(rest['1001'] + rest['7'], FLOOD + 90 - 40 + 1 - ROUND)
        self.until('1091', lambda: self.client.hget('emq:{notify}:metrics:completed', 'count'))

    def test_the_program_itself_delivers(self):
        program = self.start_process(str(HERE / 'worker.py'))
        self.enqueue('42', 'hello')
        self.assertEqual(program.stdout.readline(), '42 hello\n')
        self.until(0, lambda: self.client.exists('emq:{notify}:job:hello'))

    def test_a_job_of_a_killed_worker_comes_back_at_its_deadline_with_the_next_token(self):
        stuck = self.start_process('-c', STUCK)
        self.until_blocked(1)
        began = self.milliseconds()
        self.enqueue('42', 'hello')
        self.assertEqual(stuck.stdout.readline(), '42 hello\n')
        stuck.send_signal(signal.SIGKILL)
        self.assertEqual(stuck.wait(PATIENCE), -signal.SIGKILL)

        claimed = self.call('LANE.CLAIM', 'notify', 30000, 'BLOCK', PATIENCE * 1000)
        self.assertEqual(claimed, ['hello', 'hello', 2, '42'])
        self.assertGreaterEqual(self.milliseconds(), began + LEASE)
        for refused in (('LANE.COMPLETE', 'notify', 'hello', 1), ('LANE.EXTEND', 'notify', 'hello', 1, 30000),
                        ('LANE.RETRY', 'notify', 'hello', 1, 0, 5, 'late')):
            with self.assertRaisesRegex(redis.ResponseError, '^EMQSTALE '):
                self.call(*refused)
        self.assertEqual(self.call('LANE.COMPLETE', 'notify', 'hello', 2), 1)
        self.assertEqual(self.client.keys('emq:{notify}:job:*'), [])

    def test_a_worker_that_was_too_slow_goes_on_with_the_next_job(self):
        def deliver(_chat, text):
            if text == 'slow':
                claimed = self.call('LANE.CLAIM', 'notify', 30000, 'BLOCK', PATIENCE * 1000)
                self.assertEqual(claimed, ['slow', 'slow', 2, '42'])

        working = self.start_worker(deliver, lease=50)
        self.enqueue('42', 'slow')
        self.until('2', lambda: self.client.hget('emq:{notify}:job:slow', 'attempts'))
        self.enqueue('42', 'tail')
        self.assertEqual(working.next(2), [('42', 'slow'), ('42', 'tail')])
        self.assertEqual(self.call('LANE.COMPLETE', 'notify', 'slow', 2), 1)

    def test_a_failing_delivery_is_tried_again_later_then_dead_and_can_be_revived(self):
        blocked, times = True, []

        def deliver(_chat, text):
            if text == 'hello':
                times.append(time.monotonic())
                if blocked:
                    raise ValueError('403 blocked by the user')

        working = self.start_worker(deliver, back_off=100, max_attempts=3)
        self.enqueue('42', 'hello')
        self.assertEqual(working.next(3), [('42', 'hello')] * 3)
        self.until(['hello'], lambda: self.client.zrange('emq:{notify}:dead', 0, -1))
        self.assertGreaterEqual(times[1] - times[0], 0.099)
        self.assertGreaterEqual(times[2] - times[1], 0.199)
        self.assertEqual(self.client.hmget('emq:{notify}:job:hello', 'state', 'attempts', 'last_error'),
                         ['dead', '3', '403 blocked by the user'])
        self.enqueue('42', 'other')
        self.assertEqual(working.next(), [('42', 'other')])

        blocked = False
        self.assertEqual(self.call('LANE.REVIVE', 'notify', 'hello'), 1)
        self.assertEqual(working.next(), [('42', 'hello')])
        self.until(0, lambda: self.client.exists('emq:{notify}:job:hello', 'emq:{notify}:dead'))

    def test_a_delayed_job_waits_for_its_time(self):
        working = self.start_worker()
        self.until_blocked(1)
        began = self.milliseconds()
        self.call('LANE.ENQUEUE', 'notify', '42', 'later', 'later', 'DELAY', 200)
        self.enqueue('42', 'now')
        self.assertEqual(working.next(2), [('42', 'now'), ('42', 'later')])
        self.assertGreaterEqual(self.milliseconds(), began + 200)

    def test_a_limited_chat_has_no_more_jobs_in_flight(self):
        self.call('LANE.LIMIT', 'notify', '1001', 2)
        self.flood()
        self.enqueue('42', 'hello')
        claim = ('LANE.WCLAIM', 'notify', 30000, 'COUNT', CLAIM)
        self.assertEqual([job for job, *_ in self.call(*claim)], ['flood-0000', 'hello', 'flood-0001'])
        self.assertEqual(self.call(*claim), [])
        self.assertEqual(self.call('LANE.COMPLETE', 'notify', 'flood-0000', 1), 1)
        self.assertEqual([job for job, *_ in self.call(*claim)], ['flood-0002'])

    def test_claimers_that_wait_get_a_job_each_in_the_order_they_came_and_a_vanished_one_takes_none(self):
        replies = [queue.Queue(), queue.Queue()]

        def wait_for_job(reply):
            client = self.connect()
            threading.Thread(target=lambda: reply.put(client.execute_command(*claim)), daemon=True).start()

        claim = ('LANE.CLAIM', 'notify', 30000, 'BLOCK', 0)
        wait_for_job(replies[0])
        self.until_blocked(1)
        with socket.create_connection((HOST, self.server.port)) as vanishing:
            vanishing.sendall(b'LANE.CLAIM notify 30000 BLOCK 0\r\n')
            self.until_blocked(2)
            wait_for_job(replies[1])
            self.until_blocked(3)
        self.until_blocked(2)
        self.enqueue('42', *(f'job-{number}' for number in range(10)))
        self.assertEqual([reply.get(timeout=PATIENCE) for reply in replies],
                         [['job-0', 'job-0', 1, '42'], ['job-1', 'job-1', 1, '42']])
        self.assertEqual(self.call('LANE.DEPTH', 'notify'), 8)
        self.assertEqual(self.client.zcard('emq:{notify}:active'), 2)
        self.assertEqual(self.client.info('clients')['blocked_clients'], 0)


if __name__ == '__main__':
    Notifications.program = sys.argv.pop(1)
    unittest.main()
