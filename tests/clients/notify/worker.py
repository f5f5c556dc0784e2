import sys

import redis


def settle(client, *words):
    try:
        client.execute_command(*words)
    except redis.ResponseError as refused:
        # The lease ended before the delivery did, and the job went to another worker: it is no longer ours to settle.
        if not str(refused).startswith('EMQSTALE'):
            raise


def work(client, deliver, lease=30000, back_off=1000, max_attempts=5):
    claim = 'LANE.WCLAIM', 'notify', lease, 'COUNT', 10, 'BLOCK', 5000
    while True:
        for job, text, token, chat in client.execute_command(*claim):
            try:
                deliver(chat, text)
            except Exception as error:
                delay = back_off * 2 ** (token - 1)
                settle(client, 'LANE.RETRY', 'notify', job, token, delay, max_attempts, str(error))
            else:
                settle(client, 'LANE.COMPLETE', 'notify', job, token)


if __name__ == '__main__':
    work(redis.Redis(port=int(sys.argv[1]), decode_responses=True), print)
