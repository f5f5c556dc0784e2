"""The work of rq_test.py, in a module that the workers' own processes can load."""

import os
import time

from rq import get_current_job


def add(left, right):
    return left + right


def fail(text):
    raise ValueError(text)


def fail_until(path, attempts):
    """Fails until it was called so many times, which it counts in the file."""
    with open(path, 'a+', encoding='ascii') as calls:
        calls.write('x')
        calls.seek(0)
        if len(calls.read()) < attempts:
            raise ValueError('not yet')
    return 'at last'


def remember():
    """Leaves a note at its own job."""
    job = get_current_job()
    job.meta['seen'] = job.id
    job.save_meta()


def sum_of_dependencies():
    return sum(job.return_value() for job in get_current_job().fetch_dependencies())


def linger():
    """Says that it runs, and does so until its process is stopped or its worker is gone, at most for a minute."""
    worker = os.getppid()
    end = time.monotonic() + 60
    get_current_job().connection.rpush('notes', 'lingers')
    while os.getppid() == worker and time.monotonic() < end:
        time.sleep(0.01)
    os._exit(1)


def note_success(job, connection, result):
    connection.rpush('notes', f'{job.id} gave {result}')


def note_failure(job, connection, kind, _value, _trace):
    connection.rpush('notes', f'{job.id} raised {kind.__name__}')
