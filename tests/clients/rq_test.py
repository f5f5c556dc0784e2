#!/usr/bin/env python3
"""rq_test.py SERVER: RQ's queues, registries, workers and scheduler.

Unusual in what the library asks of a server: results in streams, whose end it reads with XREVRANGE; HINCRBYFLOAT with
fractions of seconds; EVALSHA first, and SCRIPT LOAD only behind a NOSCRIPT.
"""

import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
from datetime import timedelta

import redis

try:
    import rq
    import rq.command
    from rq.job import JobStatus
except ImportError:
    print('skipped: python3-rq is not installed')
    sys.exit(0)

from support import rq_jobs
from support.server_process import HOST, ServerProcess

PATIENCE = 20
HERE = pathlib.Path(__file__).resolve().parent
# What the program `rq` does, by the interpreter that runs this test.
PROGRAM = 'from rq.cli import main; main()'


class Flows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = ServerProcess(cls.program)
        logging.getLogger('rq.worker').setLevel(logging.CRITICAL)

    @classmethod
    def tearDownClass(cls):
        if cls.server.stop() != 0:
            raise AssertionError('the server did not end well')

    def setUp(self):
        self.client = redis.Redis(HOST, self.server.port)
        self.addCleanup(self.client.close)
        self.client.flushall()
        self.queue = rq.Queue(connection=self.client)

    def work(self, *queues, forks=False, **options):
        """Works until the queues are empty; most tests need no process of its own for each job."""
        kind = rq.Worker if forks else rq.SimpleWorker
        kind(queues or [self.queue], connection=self.client).work(burst=True, logging_level='CRITICAL', **options)

    def start_worker(self, *options):
        """A worker in the background, asleep until a job comes."""
        command = [sys.executable, '-B', '-c', PROGRAM, 'worker', '--url', f'redis://{HOST}:{self.server.port}',
                   '--quiet', *options]
        # setpriv: a test that is killed must not leave its worker behind.
        made = subprocess.Popen(['setpriv', '--pdeathsig', 'KILL', *command], cwd=HERE)
        self.addCleanup(made.wait)
        self.addCleanup(made.kill)
        self.until(1, lambda: len(rq.Worker.all(self.client)))
        return made

    def until(self, wanted, look):
        deadline = time.monotonic() + PATIENCE
        while (seen := look()) != wanted:
            self.assertLess(time.monotonic(), deadline, f'{seen} instead of {wanted}')
            time.sleep(0.01)

    def until_status(self, job, wanted):
        self.until(wanted, lambda: job.get_status(refresh=True))

    def test_jobs_run_in_the_order_they_came_and_keep_their_results(self):
        jobs = [self.queue.enqueue(rq_jobs.add, number, number) for number in range(10)]
        self.assertEqual(self.queue.job_ids, [job.id for job in jobs])
        self.assertEqual(jobs[3].get_position(), 3)
        self.work()
        self.assertEqual([job.return_value(refresh=True) for job in jobs], [2 * number for number in range(10)])
        self.assertEqual({job.get_status() for job in jobs}, {JobStatus.FINISHED})
        self.assertCountEqual(self.queue.finished_job_registry.get_job_ids(), [job.id for job in jobs])
        ends = [job.refresh() or job.ended_at for job in jobs]
        self.assertEqual(ends, sorted(ends))
        self.assertEqual(len(jobs[0].results()), 1)
        self.assertTrue(self.client.ttl(jobs[0].key) > 0)

    def test_many_jobs_are_enqueued_in_one_transaction(self):
        jobs = self.queue.enqueue_many([
            rq.Queue.prepare_data(rq_jobs.add, (number, 1), job_id=f'job-{number}') for number in range(50)])
        self.assertEqual(len(self.queue), 50)
        self.work()
        self.assertEqual([job.return_value(refresh=True) for job in jobs], list(range(1, 51)))

    def test_a_worker_takes_the_first_queue_first_and_the_front_before_the_rest(self):
        low, high = rq.Queue('low', connection=self.client), rq.Queue('high', connection=self.client)
        jobs = [low.enqueue(rq_jobs.add, 3, 0), high.enqueue(rq_jobs.add, 2, 0),
                high.enqueue(rq_jobs.add, 1, 0, at_front=True)]
        self.work(high, low)
        ended = sorted(jobs, key=lambda job: job.refresh() or job.ended_at)
        self.assertEqual([job.return_value() for job in ended], [1, 2, 3])

    def test_a_failed_job_is_retried_then_registered_and_can_be_requeued(self):
        with tempfile.TemporaryDirectory() as folder:
            calls = os.path.join(folder, 'calls')
            job = self.queue.enqueue(rq_jobs.fail_until, calls, 4, retry=rq.Retry(max=2))
            self.work()
            self.until_status(job, JobStatus.FAILED)
            self.assertEqual(self.queue.failed_job_registry.get_job_ids(), [job.id])
            self.assertIn('ValueError: not yet', job.latest_result().exc_string)
            self.queue.failed_job_registry.requeue(job)
            self.work()
            self.assertEqual(job.return_value(refresh=True), 'at last')
            with open(calls, encoding='ascii') as file:
                self.assertEqual(file.read(), 'xxxx')
        self.assertEqual(self.queue.failed_job_registry.count, 0)

    def test_dependents_wait_for_what_they_depend_on(self):
        parents = [self.queue.enqueue(rq_jobs.add, number, 0) for number in (1, 2)]
        child = self.queue.enqueue(rq_jobs.sum_of_dependencies, depends_on=parents)
        self.assertEqual(child.get_status(), JobStatus.DEFERRED)
        self.assertEqual(self.queue.deferred_job_registry.get_job_ids(), [child.id])
        hopeless = self.queue.enqueue(rq_jobs.add, 1, 1, depends_on=self.queue.enqueue(rq_jobs.fail, 'no'))
        self.work()
        self.assertEqual(child.return_value(refresh=True), 3)
        self.assertEqual(hopeless.get_status(), JobStatus.DEFERRED)

    def test_callbacks_and_notes_of_a_job(self):
        callbacks = {'on_success': rq_jobs.note_success, 'on_failure': rq_jobs.note_failure}
        self.queue.enqueue(rq_jobs.add, 1, 2, job_id='good', **callbacks)
        self.queue.enqueue(rq_jobs.fail, 'no', job_id='bad', **callbacks)
        noted = self.queue.enqueue(rq_jobs.remember)
        self.work(forks=True)
        self.assertEqual(self.client.lrange('notes', 0, -1), [b'good gave 3', b'bad raised ValueError'])
        self.assertEqual(noted.get_meta(), {'seen': noted.id})

    def test_jobs_are_cancelled_and_queues_emptied_and_compacted(self):
        jobs = [self.queue.enqueue(rq_jobs.add, number, 0) for number in range(4)]
        jobs[0].cancel()
        self.assertEqual(jobs[0].get_status(), JobStatus.CANCELED)
        self.assertEqual(self.queue.canceled_job_registry.get_job_ids(), [jobs[0].id])
        self.client.delete(jobs[1].key)
        self.queue.compact()
        self.assertEqual(self.queue.job_ids, [jobs[2].id, jobs[3].id])
        # A script: the jobs' own keys go with the queue. The second time it is known to the server.
        self.assertEqual([self.queue.empty(), self.queue.empty()], [2, 0])
        self.assertEqual(self.client.exists(jobs[2].key, jobs[3].key, self.queue.key), 0)

    def test_a_sleeping_worker_wakes_for_a_job(self):
        self.start_worker()
        [worker] = rq.Worker.all(self.client)
        self.until('idle', lambda: worker.refresh() or worker.get_state())
        job = self.queue.enqueue(rq_jobs.add, 20, 22)
        self.until_status(job, JobStatus.FINISHED)
        self.assertEqual(job.return_value(refresh=True), 42)
        self.until(1, lambda: worker.refresh() or worker.successful_job_count)

    def test_a_job_and_its_worker_are_stopped_by_command(self):
        process = self.start_worker()
        [worker] = rq.Worker.all(self.client)
        job = self.queue.enqueue(rq_jobs.linger)
        self.assertIsNotNone(self.client.blpop('notes', PATIENCE))
        self.assertEqual((job.get_status(), worker.get_current_job_id()), (JobStatus.STARTED, job.id))
        rq.command.send_stop_job_command(self.client, job.id)
        self.until_status(job, JobStatus.STOPPED)
        self.until([job.id], self.queue.failed_job_registry.get_job_ids)
        rq.command.send_shutdown_command(self.client, worker.name)
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertEqual(rq.Worker.all(self.client), [])

    def test_a_job_of_a_killed_worker_is_queued_again_once_its_time_is_over(self):
        process = self.start_worker()
        job = self.queue.enqueue(rq_jobs.linger, retry=rq.Retry(max=1))
        self.assertIsNotNone(self.client.blpop('notes', PATIENCE))
        self.assertEqual(self.queue.started_job_registry.get_job_ids(), [job.id])
        process.kill()
        process.wait()
        self.queue.started_job_registry.cleanup(time.time() + 3600)
        self.assertEqual((self.queue.started_job_registry.count, self.queue.job_ids), (0, [job.id]))
        self.queue.remove(job)

    def test_the_scheduler_enqueues_what_is_due(self):
        later = self.queue.enqueue_in(timedelta(seconds=1), rq_jobs.add, 1, 1)
        never = self.queue.enqueue_in(timedelta(hours=1), rq_jobs.add, 2, 2)
        self.assertEqual(self.queue.scheduled_job_registry.get_job_ids(), [later.id, never.id])
        process = self.start_worker('--with-scheduler')
        self.until_status(later, JobStatus.FINISHED)
        self.assertEqual(never.get_status(), JobStatus.SCHEDULED)
        never.delete()
        self.assertEqual(self.queue.scheduled_job_registry.count, 0)
        # The scheduler is a process of its own and ends with a worker that was asked to.
        process.terminate()
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertEqual(self.client.keys('rq:scheduler-lock:*'), [])


if __name__ == '__main__':
    Flows.program = sys.argv.pop(1)
    unittest.main()
