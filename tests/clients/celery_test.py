#!/usr/bin/env python3
"""celery_test.py SERVER: Celery and Kombu with the server as broker and as result backend, and a worker's processes.

Unusual in what the libraries ask of a server: keys with control characters in them, a list for each priority;
PSUBSCRIBE of names without a wildcard; a SUBSCRIBE and an UNSUBSCRIBE for each result; a script for nothing but letting
go of a lock.
"""

import gc
import os
import pathlib
import queue
import subprocess
import sys
import threading
import time
import unittest
from datetime import datetime, timedelta, timezone

import redis

try:
    import kombu
    from celery import chain, chord, group
    from celery.exceptions import TaskRevokedError
    from kombu.common import Broadcast
except ImportError:
    print('skipped: python3-celery is not installed')
    sys.exit(0)

from support.server_process import HOST, ServerProcess

PATIENCE = 20
HERE = pathlib.Path(__file__).resolve().parent


class Queues(unittest.TestCase):
    """Kombu alone: the broker's side, without a worker."""

    def setUp(self):
        self.client = redis.Redis(HOST, SERVER.port, db=1)
        self.addCleanup(self.client.close)
        self.client.flushdb()

    def connect(self, **options):
        made = kombu.Connection(f'redis://{HOST}:{SERVER.port}/1', transport_options=options)
        self.addCleanup(made.release)
        return made

    def drain(self, connections, done):
        deadline = time.monotonic() + PATIENCE
        while not done():
            self.assertLess(time.monotonic(), deadline)
            for connection in connections:
                try:
                    connection.drain_events(timeout=0.05)
                except TimeoutError:
                    pass

    def subscribers(self):
        return sum(int(client['psub']) for client in self.client.client_list())

    def test_a_simple_queue_keeps_order_and_bytes(self):
        with self.connect().SimpleQueue('plain') as plain:
            for number in range(20):
                plain.put({'number': number, 'text': 'grüße\0'})
            self.assertEqual(plain.qsize(), 20)
            for number in range(20):
                message = plain.get(timeout=PATIENCE)
                self.assertEqual(message.payload, {'number': number, 'text': 'grüße\0'})
                message.ack()
            self.assertRaises(queue.Empty, plain.get, block=False)
        self.assertEqual(self.client.hlen('unacked'), 0)

    def test_topics_route_and_priorities_order(self):
        connection = self.connect(priority_steps=[0, 3, 6, 9])
        exchange = kombu.Exchange('mail', type='topic')
        bound = [kombu.Queue(name, exchange, routing_key=key) for name, key in (('ann', 'to.ann.#'), ('all', 'to.#'))]
        heard = []
        with connection.Producer() as producer:
            for key, priority in (('to.ann.late', 9), ('to.bob.soon', 3), ('to.ann.now', 0)):
                producer.publish(key, exchange=exchange, routing_key=key, declare=bound, priority=priority)
        with connection.Consumer(bound[1:], callbacks=[lambda body, message: heard.append(body) or message.ack()]):
            while len(heard) < 3:
                connection.drain_events(timeout=PATIENCE)
        self.assertEqual(heard, ['to.ann.now', 'to.bob.soon', 'to.ann.late'])
        self.assertEqual(bound[0](connection.default_channel).queue_declare(passive=True).message_count, 2)
        self.assertEqual(bound[0](connection.default_channel).purge(), 2)

    def test_a_message_that_nobody_acknowledged_comes_back(self):
        connection = self.connect(visibility_timeout=0)
        with connection.SimpleQueue('work') as work:
            work.put('kept')
            first = work.get(timeout=PATIENCE)
            self.assertEqual(self.client.zcard('unacked_index'), 1)
            # What a consumer does by itself every few seconds, with a lock so that one alone does it.
            first.channel.qos.restore_visible(interval=1)
            self.assertEqual((self.client.hlen('unacked'), self.client.zcard('unacked_index')), (0, 0))
            again = work.get(timeout=PATIENCE)
            self.assertEqual((again.payload, again.headers), ('kept', {'redelivered': True}))
            again.ack()

    def test_a_rejected_message_is_queued_again(self):
        with self.connect().SimpleQueue('work') as work:
            work.put('refused')
            work.get(timeout=PATIENCE).requeue()
            message = work.get(timeout=PATIENCE)
            self.assertEqual(message.payload, 'refused')
            message.reject()
            self.assertRaises(queue.Empty, work.get, block=False)
        self.assertEqual(self.client.exists('work', 'unacked', 'unacked_index'), 0)

    def test_a_broadcast_reaches_everybody(self):
        connections = [self.connect(), self.connect()]
        everybody = Broadcast('everybody')
        heard = [[], []]
        consumers = []
        for connection, inbox in zip(connections, heard):
            own = Broadcast('everybody', queue=f'inbox-{len(consumers)}')
            consumer = connection.Consumer([own], callbacks=[lambda body, _, inbox=inbox: inbox.append(body)],
                                           no_ack=True)
            consumer.consume()
            consumers.append(consumer)
        others = self.subscribers()
        # They subscribe when they first look for messages.
        self.drain(connections, lambda: self.subscribers() == others + 2)
        with self.connect().Producer() as producer:
            producer.publish('hello', exchange=everybody.exchange, declare=[everybody.exchange])
        self.drain(connections, lambda: heard == [['hello'], ['hello']])
        for consumer in consumers:
            consumer.cancel()


class Tasks(unittest.TestCase):
    """One worker of two processes does the work of all tests here."""

    @classmethod
    def setUpClass(cls):
        cls.worker = cls.start_worker('main')
        cls.client = redis.Redis(HOST, SERVER.port)
        cls.until(lambda: tasks.app.control.ping(timeout=0.1), 'the worker does not answer')

    @classmethod
    def tearDownClass(cls):
        # Results that nobody asked for leave their channels now, while there is a server.
        gc.collect()
        cls.client.close()
        cls.worker.terminate()
        if cls.worker.wait(PATIENCE) != 0:
            raise AssertionError('the worker did not end well')

    @staticmethod
    def start_worker(name, *options):
        # setpriv: a test that is killed must not leave its worker behind.
        return subprocess.Popen(
            ['setpriv', '--pdeathsig', 'TERM', sys.executable, '-B', '-m', 'celery', '-A', 'support.celery_app',
             'worker', '--hostname', f'{name}@test', '--concurrency', '2', '--loglevel', 'CRITICAL', '--task-events',
             '--without-gossip', '--without-mingle', *options],
            cwd=HERE, env={**os.environ, 'PYTHONWARNINGS': 'ignore'}, stdout=subprocess.DEVNULL)

    @staticmethod
    def until(look, otherwise):
        deadline = time.monotonic() + PATIENCE
        while not look():
            if time.monotonic() > deadline:
                raise AssertionError(otherwise)
            time.sleep(0.01)

    def test_results_and_errors_come_back(self):
        self.assertEqual(tasks.add.delay(20, 22).get(timeout=PATIENCE), 42)
        failed = tasks.fail.delay('no such chat')
        with self.assertRaisesRegex(ValueError, 'no such chat'):
            failed.get(timeout=PATIENCE)
        self.assertEqual(failed.state, 'FAILURE')
        self.assertIn('ValueError', failed.traceback)

    def test_a_result_can_be_forgotten_and_expires(self):
        result = tasks.add.delay(1, 2)
        self.assertEqual(result.get(timeout=PATIENCE), 3)
        key = f'celery-task-meta-{result.id}'
        self.assertTrue(0 < self.client.ttl(key) <= 600)
        result.forget()
        self.assertEqual(self.client.exists(key), 0)

    def test_groups_chains_and_chords(self):
        many = group(tasks.add.s(number, number) for number in range(30)).apply_async()
        self.assertEqual(many.get(timeout=PATIENCE), [2 * number for number in range(30)])
        line = chain(tasks.add.s(1, 2), tasks.add.s(10), tasks.add.s(100))
        self.assertEqual(line.apply_async().get(timeout=PATIENCE), 113)
        joined = chord((tasks.add.s(number, 1) for number in range(10)), tasks.total.s())
        self.assertEqual(joined.apply_async().get(timeout=PATIENCE), sum(range(1, 11)))

    def test_a_chord_with_a_failing_part_fails(self):
        joined = chord([tasks.add.s(1, 1), tasks.fail.s('no')], tasks.total.s())
        with self.assertRaisesRegex(Exception, 'no'):
            joined.apply_async().get(timeout=PATIENCE)

    def test_a_task_that_asks_for_it_is_tried_again(self):
        self.assertEqual(tasks.retry_twice.delay().get(timeout=PATIENCE), 2)

    def test_a_task_waits_for_its_time(self):
        due = datetime.now(timezone.utc) + timedelta(seconds=0.5)
        result = tasks.add.apply_async((1, 2), eta=due)
        self.assertEqual(result.get(timeout=PATIENCE), 3)
        self.assertGreaterEqual(result.date_done.replace(tzinfo=timezone.utc), due)

    def test_progress_is_seen_before_the_result(self):
        result = tasks.report.delay(21)
        self.until(lambda: result.state == 'PROGRESS', 'no progress')
        self.assertEqual(result.info, {'share': 21})
        self.client.rpush(f'seen:{result.id}', 'yes')
        self.assertEqual(result.get(timeout=PATIENCE), 42)

    def test_priorities_decide_in_a_queue_that_waits(self):
        # Two tasks keep both processes, and with them the worker's whole prefetch, while the others arrive. Then one
        # process does the rest, so that nothing changes places.
        busy = [tasks.report.delay(1), tasks.report.delay(2)]
        self.until(lambda: {result.state for result in busy} == {'PROGRESS'}, 'the worker is not busy')
        self.client.delete('notes')
        sent = [tasks.note.apply_async((f'{priority}',), priority=priority) for priority in (9, 3, 0, 6)]
        self.client.rpush(f'seen:{busy[0].id}', 'yes')
        for result in sent:
            result.get(timeout=PATIENCE)
        self.assertEqual(self.client.lrange('notes', 0, -1), [b'0', b'3', b'6', b'9'])
        self.client.rpush(f'seen:{busy[1].id}', 'yes')
        self.assertEqual([result.get(timeout=PATIENCE) for result in busy], [2, 4])

    def test_a_revoked_task_does_not_run_and_a_running_one_is_ended(self):
        due = datetime.now(timezone.utc) + timedelta(hours=1)
        waiting = tasks.add.apply_async((1, 1), eta=due)
        inspect = tasks.app.control.inspect(['main@test'], timeout=PATIENCE, limit=1)
        self.until(lambda: inspect.scheduled()['main@test'], 'the worker did not take the task')
        waiting.revoke()
        self.until(lambda: waiting.id in inspect.revoked()['main@test'], 'not revoked')

        running = tasks.linger.delay()
        self.until(lambda: running.state == 'STARTED', 'not started')
        running.revoke(terminate=True)
        with self.assertRaises(TaskRevokedError):
            running.get(timeout=PATIENCE)

    def test_a_task_whose_process_was_killed_runs_again(self):
        self.client.delete('died')
        self.assertEqual(tasks.die_once.delay('died').get(timeout=PATIENCE), 'survived')

    def test_events_tell_of_every_step(self):
        heard = queue.Queue()
        stop = threading.Event()

        def capture():
            with tasks.app.connection_for_read() as original:
                receiver = tasks.app.events.Receiver(original, handlers={'*': heard.put})
                with receiver.consumer_context() as (connection, _, _):
                    while not stop.is_set():
                        try:
                            connection.drain_events(timeout=0.05)
                        except TimeoutError:
                            pass

        listener = threading.Thread(target=capture, daemon=True)
        listener.start()
        # The worker's heartbeat shows that the listener hears.
        self.assertTrue(heard.get(timeout=PATIENCE)['type'].startswith('worker-'))
        result = tasks.add.delay(1, 1)
        steps = []
        while 'task-succeeded' not in steps:
            event = heard.get(timeout=PATIENCE)
            if event.get('uuid') == result.id:
                steps.append(event['type'])
        stop.set()
        listener.join(PATIENCE)
        self.assertEqual([step for step in steps if step != 'task-sent'],
                         ['task-received', 'task-started', 'task-succeeded'])


if __name__ == '__main__':
    SERVER = ServerProcess(sys.argv.pop(1))
    os.environ['FAIRLANE_TEST_URL'] = f'redis://{HOST}:{SERVER.port}/0'
    from support import celery_app as tasks
    outcome = unittest.main(exit=False, warnings='ignore').result
    ended = SERVER.stop()
    sys.exit(0 if outcome.wasSuccessful() and ended == 0 else 1)
