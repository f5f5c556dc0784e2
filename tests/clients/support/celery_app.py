"""The application of celery_test.py, which its worker loads as well. FAIRLANE_TEST_URL names the server."""

import os
import time

from celery import Celery

URL = os.environ['FAIRLANE_TEST_URL']
app = Celery('app', broker=URL, backend=URL)
app.conf.update(
    broker_transport_options={'priority_steps': [0, 3, 6, 9], 'queue_order_strategy': 'priority'},
    result_expires=600,
    task_track_started=True,
    task_send_sent_event=True,
    worker_prefetch_multiplier=1,
    broker_connection_retry=False,
)


@app.task
def add(left, right):
    return left + right


@app.task
def total(numbers):
    return sum(numbers)


@app.task
def fail(text):
    raise ValueError(text)


@app.task
def note(text):
    """Leaves the text in a list of the server, in the order in which notes are taken."""
    with app.pool.acquire(block=True) as connection:
        connection.default_channel.client.rpush('notes', text)


@app.task(bind=True, max_retries=2)
def retry_twice(self):
    """Fails twice, at once, then says how often it was tried again."""
    if self.request.retries < 2:
        raise self.retry(countdown=0)
    return self.request.retries


@app.task(bind=True, acks_late=True)
def report(self, share):
    """Tells its progress and goes on when somebody has seen it."""
    self.update_state(state='PROGRESS', meta={'share': share})
    with app.pool.acquire(block=True) as connection:
        connection.default_channel.client.blpop(f'seen:{self.request.id}', 20)
    return share * 2


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def die_once(self, key):
    """Takes its process with it, the first time."""
    with app.pool.acquire(block=True) as connection:
        first = connection.default_channel.client.setnx(key, self.request.id)
    if first:
        os.kill(os.getpid(), 9)
    return 'survived'


@app.task
def linger():
    time.sleep(60)
