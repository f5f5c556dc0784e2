#!/usr/bin/env python3
"""python_test.py SERVER: redis-py drives the server, from threads and from asyncio."""

import asyncio
import sys
import threading
import unittest

import redis
import redis.asyncio

from support.server_process import HOST, ServerProcess

PATIENCE = 20


class Waiting(threading.Thread):
    """A blocking call under way in a thread of its own."""

    def __init__(self, call, *words, **options):
        super().__init__(daemon=True)
        self._call, self._words, self._options = call, words, options
        self._reply = None
        self.start()

    def run(self):
        self._reply = self._call(*self._words, **self._options)

    def reply(self):
        self.join(PATIENCE)
        if self.is_alive():
            raise AssertionError('the call still waits')
        return self._reply


class Flows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = ServerProcess(cls.program)

    @classmethod
    def tearDownClass(cls):
        if cls.server.stop() != 0:
            raise AssertionError('the server did not end well')

    def setUp(self):
        self.client = self.connect()
        self.client.flushall()

    def connect(self, **options):
        made = redis.Redis(HOST, self.server.port, **{'decode_responses': True, 'socket_timeout': PATIENCE, **options})
        self.addCleanup(made.close)
        return made

    def user(self, name, *rules):
        """A user who is on and may log in with the password pw."""
        self.client.execute_command('ACL', 'SETUSER', name, 'reset', 'on', '>pw', *rules)
        self.addCleanup(self.client.acl_deluser, name)

    def until_blocked(self, count):
        while self.client.info('clients')['blocked_clients'] != count:
            pass

    def heard(self, subscription, count):
        """The next messages, as (type, pattern, channel, data)."""
        messages = []
        while len(messages) < count:
            message = subscription.get_message(timeout=PATIENCE)
            self.assertIsNotNone(message, f'only {messages} came')
            messages.append((message['type'], message['pattern'], message['channel'], message['data']))
        return messages

    def test_users_see_their_own_keys_alone(self):
        self.user('worker', '+@read', '+set', '~own:*', '&news')
        worker = self.connect(username='worker', password='pw')
        self.assertTrue(worker.set('own:1', 'x'))
        self.assertEqual(worker.get('own:1'), 'x')
        with self.assertRaises(redis.exceptions.NoPermissionError):
            worker.get('other:1')
        with self.assertRaises(redis.exceptions.NoPermissionError):
            worker.delete('own:1')
        with self.assertRaises(redis.exceptions.NoPermissionError):
            worker.acl_whoami()
        with self.assertRaisesRegex(redis.exceptions.RedisError, 'WRONGPASS'):
            self.connect(username='worker', password='wrong').ping()

    def test_users_are_made_told_and_removed(self):
        self.assertTrue(self.client.acl_setuser(
            'ann', enabled=True, passwords=['+pw', '+other'], commands=['+get', '+@list'], keys=['a*'], channels=['c*'],
            selectors=[('+set', '~b*')]))
        ann = self.client.acl_getuser('ann')
        self.assertEqual(ann['flags'], ['on'])
        self.assertEqual(len(ann['passwords']), 2)
        self.assertIn('ann', self.client.acl_users())
        self.assertTrue(any(line.startswith('user ann on ') for line in self.client.acl_list()))
        self.assertEqual(self.client.acl_dryrun('ann', 'get', 'a1'), 'OK')
        self.assertEqual(self.client.acl_dryrun('ann', 'set', 'b1', 'x'), 'OK')
        self.assertIn('no permissions', self.client.acl_dryrun('ann', 'set', 'a1', 'x'))
        self.assertEqual(self.client.acl_deluser('ann', 'nobody'), 1)
        self.assertIsNone(self.client.acl_getuser('ann'))
        self.assertEqual(self.client.acl_whoami(), 'default')

    def test_what_was_refused_is_in_the_log(self):
        self.client.acl_log_reset()
        self.user('worker', '+get', '~own:*')
        worker = self.connect(username='worker', password='pw')
        with self.assertRaises(redis.exceptions.NoPermissionError):
            worker.get('other')
        entry = self.client.acl_log(count=1)[0]
        self.assertEqual([entry[field] for field in ('reason', 'context', 'object', 'username', 'count')],
                         ['key', 'toplevel', 'other', 'worker', 1])
        self.client.acl_log_reset()
        self.assertEqual(self.client.acl_log(), [])

    def test_passwords_are_made_up_and_categories_told(self):
        self.assertEqual(len(self.client.acl_genpass()), 64)
        self.assertIn('dangerous', self.client.acl_cat())
        self.assertIn('keys', self.client.acl_cat('dangerous'))

    def test_a_user_who_is_removed_is_disconnected(self):
        self.user('worker', '+@all', '~*')
        worker = self.connect(username='worker', password='pw')
        worker.ping()
        self.client.acl_deluser('worker')
        with self.assertRaises(redis.exceptions.RedisError):
            worker.ping()

    def test_connects_names_itself_and_selects_a_database(self):
        named = self.connect(client_name='worker', db=3)
        self.assertTrue(named.ping())
        self.assertEqual(named.client_getname(), 'worker')
        info = named.client_info()
        self.assertEqual((info['name'], info['db']), ('worker', 3))
        self.assertIn('worker', [one['name'] for one in self.client.client_list()])
        named.set('here', '1')
        self.assertIsNone(self.client.get('here'))
        self.assertEqual(self.client.info()['redis_version'].count('.'), 2)
        self.assertEqual(self.client.command_count(), len(self.client.command()))

    def test_pipelines_requests_and_raises_an_error_among_the_replies(self):
        pipeline = self.client.pipeline(transaction=False)
        for _ in range(1000):
            pipeline.incr('counter')
        self.assertEqual(pipeline.execute(), list(range(1, 1001)))
        pipeline.lpush('counter', 'x').get('counter')
        refused, value = pipeline.execute(raise_on_error=False)
        self.assertIsInstance(refused, redis.ResponseError)
        self.assertEqual(value, '1000')

    def test_keeps_bytes_and_large_values_as_they_are(self):
        raw = self.connect(decode_responses=False)
        value = b'a\0b\r\nc\xff' * (1 << 19)
        raw.set(b'large\xff', value)
        self.assertTrue(raw.get(b'large\xff') == value)

    def test_commits_a_transaction_over_watched_keys_that_nobody_changed(self):
        self.client.set('stock', 5)

        def sell(pipeline):
            left = int(pipeline.get('stock')) - 1
            pipeline.multi()
            pipeline.set('stock', left).rpush('sold', 'one')

        self.assertEqual(self.client.transaction(sell, 'stock'), [True, 1])
        self.assertEqual(self.client.get('stock'), '4')

    def test_aborts_a_transaction_when_another_client_changed_a_watched_key(self):
        other = self.connect()
        with self.client.pipeline() as pipeline:
            pipeline.watch('stock')
            other.set('stock', 9)
            pipeline.multi()
            pipeline.set('stock', 1)
            with self.assertRaises(redis.WatchError):
                pipeline.execute()
        self.assertEqual(self.client.get('stock'), '9')
        with self.assertRaisesRegex(redis.ResponseError, 'wrong number of arguments'):
            self.client.pipeline().set('stock', '1').execute_command('GET').execute()
        self.assertEqual(self.client.get('stock'), '9')

    def test_serves_blocked_list_readers_in_the_order_they_came(self):
        first = Waiting(self.connect().blpop, 'jobs')
        self.until_blocked(1)
        second = Waiting(self.connect().blpop, ['other', 'jobs'])
        self.until_blocked(2)
        self.client.rpush('jobs', 'a', 'b')
        self.assertEqual([first.reply(), second.reply()], [('jobs', 'a'), ('jobs', 'b')])
        self.assertIsNone(self.client.blpop('jobs', timeout=0.02))

    def test_serves_blocked_sorted_set_readers_in_the_order_they_came(self):
        first = Waiting(self.connect().bzpopmin, 'board')
        self.until_blocked(1)
        second = Waiting(self.connect().bzpopmin, 'board')
        self.until_blocked(2)
        self.client.zadd('board', {'late': 2.5, 'early': 1})
        self.assertEqual([first.reply(), second.reply()], [('board', 'early', 1.0), ('board', 'late', 2.5)])
        self.assertIsNone(self.client.bzpopmin('board', timeout=0.02))

    def test_a_blocked_client_can_be_unblocked_by_another(self):
        sleeper = self.connect(single_connection_client=True)
        number = sleeper.client_id()
        waiting = Waiting(sleeper.blpop, 'jobs')
        self.until_blocked(1)
        self.assertTrue(self.client.client_unblock(number))
        self.assertIsNone(waiting.reply())

    def test_subscribes_to_channels_and_patterns_and_leaves_them(self):
        subscription = self.client.pubsub()
        subscription.subscribe('news', 'sport')
        subscription.psubscribe('n*')
        self.assertEqual(self.heard(subscription, 3), [('subscribe', None, 'news', 1), ('subscribe', None, 'sport', 2),
                                                       ('psubscribe', None, 'n*', 3)])
        self.assertEqual(self.client.publish('news', 'hello'), 2)
        self.assertEqual(self.heard(subscription, 2), [('message', None, 'news', 'hello'),
                                                       ('pmessage', 'n*', 'news', 'hello')])
        subscription.ping()
        self.assertEqual(self.heard(subscription, 1)[0][0], 'pong')
        self.assertEqual(self.client.pubsub_numsub('news', 'none'), [('news', 1), ('none', 0)])
        subscription.unsubscribe()
        subscription.punsubscribe()
        left = self.heard(subscription, 3)
        self.assertEqual(sorted(channel for _, _, channel, _ in left), ['n*', 'news', 'sport'])
        self.assertEqual([count for _, _, _, count in left], [2, 1, 0])
        self.assertEqual(self.client.publish('news', 'nobody'), 0)
        subscription.close()

    def test_walks_over_thousands_of_keys_fields_and_members(self):
        names = [f'item:{index}' for index in range(3000)]
        pipeline = self.client.pipeline(transaction=False)
        for index, name in enumerate(names):
            pipeline.set(name, index)
        numbered = {name: str(index) for index, name in enumerate(names)}
        pipeline.hset('hash', mapping=numbered).sadd('set', *names).zadd('zset', numbered)
        pipeline.execute()
        self.assertEqual(set(self.client.scan_iter('item:*', count=100)), set(names))
        self.assertEqual(set(self.client.scan_iter(_type='zset')), {'zset'})
        self.assertEqual(dict(self.client.hscan_iter('hash')), numbered)
        self.assertEqual(set(self.client.sscan_iter('set', match='item:1*')),
                         {name for name in names if name.startswith('item:1')})
        self.assertEqual(dict(self.client.zscan_iter('zset')),
                         {name: float(index) for index, name in enumerate(names)})

    def test_raises_the_errors_of_the_server(self):
        self.client.set('text', 'x')
        for words, text in (
                (('LPUSH', 'text', 'y'), 'WRONGTYPE Operation against a key holding the wrong kind of value'),
                (('NOSUCH', 'a', 'b'), "unknown command 'NOSUCH', with args beginning with: 'a' 'b' "),
                (('GET',), "wrong number of arguments for 'get' command"),
                (('INCR', 'text'), 'value is not an integer or out of range')):
            with self.subTest(words[0]), self.assertRaises(redis.ResponseError) as raised:
                self.client.execute_command(*words)
            self.assertEqual(str(raised.exception), text)

    def test_comes_back_after_its_connection_was_killed(self):
        victim = self.connect(retry_on_error=[redis.ConnectionError])
        self.assertTrue(self.client.client_kill_filter(_id=victim.client_id()))
        self.assertTrue(victim.ping())

    def test_hears_keyspace_events_after_config_set(self):
        self.assertTrue(self.client.config_set('notify-keyspace-events', 'KEA'))
        self.addCleanup(self.client.config_set, 'notify-keyspace-events', '')
        self.assertEqual(self.client.config_get('notify-keyspace-events'), {'notify-keyspace-events': 'AKE'})
        subscription = self.client.pubsub(ignore_subscribe_messages=False)
        subscription.psubscribe('__key*@0__:*')
        self.heard(subscription, 1)
        self.client.zadd('q', {'a': 1})
        self.client.zpopmin('q')
        self.client.set('short', 'x', px=20)
        wanted = [('q', 'zadd'), ('q', 'zpopmin'), ('q', 'del'), ('short', 'set'), ('short', 'expire'),
                  ('short', 'expired')]
        self.assertEqual([(channel, data) for _, _, channel, data in self.heard(subscription, 2 * len(wanted))],
                         [pair for key, event in wanted
                          for pair in ((f'__keyspace@0__:{key}', event), (f'__keyevent@0__:{event}', key))])
        subscription.close()

    def test_pops_composite_priorities_in_order(self):
        call = self.client.execute_command
        for counter, (member, priority) in enumerate(zip('ABCDEF', (2, 1, 3, 1, 2, 1)), 1):
            score, number = call('TIER.PUSH', 'tiers', 'tiers:counter', priority, member)
            self.assertEqual((float(score), number), (priority * 2 ** 32 + counter, counter))
        popped = [self.client.zpopmin('tiers')[0] for _ in range(6)]
        self.assertEqual(''.join(member for member, _ in popped), 'BDFAEC')
        self.assertEqual(popped[0][1], 2 ** 32 + 2)
        self.assertEqual(self.client.bzpopmin('tiers', timeout=0.02), None)

    def test_claims_jobs_of_lanes_in_fair_turns(self):
        call = self.client.execute_command
        jobs = {payload: call('LANE.ENQUEUE', 'mail', lane, '*', payload)
                for lane, payload in (('ann', 'a1'), ('ann', 'a2'), ('ann', 'a3'), ('bob', 'b1'))}
        for payload, lane in (('a1', 'ann'), ('b1', 'bob'), ('a2', 'ann')):
            self.assertEqual(call('LANE.CLAIM', 'mail', 30000), [jobs[payload], payload, 1, lane])
        with self.assertRaisesRegex(redis.ResponseError, '^EMQSTALE '):
            call('LANE.COMPLETE', 'mail', jobs['a1'], 2)
        self.assertEqual(call('LANE.COMPLETE', 'mail', jobs['a1'], 1), 1)
        self.assertEqual(call('LANE.COMPLETE', 'mail', jobs['b1'], 1, 'NEXT', 30000), [1, [jobs['a3'], 'a3', 1, 'ann']])
        self.assertIsNone(call('LANE.CLAIM', 'mail', 30000))
        self.assertEqual(self.client.hget(f'emq:{{mail}}:job:{jobs["a2"]}', 'payload'), 'a2')

    def test_wakes_parked_workers_in_the_order_they_came(self):
        claim = ('LANE.CLAIM', 'mail', 30000, 'BLOCK', 0)
        first = Waiting(self.connect().execute_command, *claim)
        self.until_blocked(1)
        second = Waiting(self.connect().execute_command, *claim)
        self.until_blocked(2)
        for lane in ('ann', 'bob'):
            self.client.execute_command('LANE.ENQUEUE', 'mail', lane, f'job-{lane}', 'work')
        self.assertEqual(first.reply(), ['job-ann', 'work', 1, 'ann'])
        self.assertEqual(second.reply(), ['job-bob', 'work', 1, 'bob'])

    def test_many_workers_of_asyncio_take_every_job_once(self):
        self.assertEqual(sorted(asyncio.run(self.drain(workers=8, jobs=400))), list(range(400)))

    async def drain(self, workers, jobs):
        pool = redis.asyncio.BlockingConnectionPool(max_connections=workers + 1, timeout=PATIENCE, host=HOST,
                                                    port=self.server.port, decode_responses=True)
        client = redis.asyncio.Redis(connection_pool=pool)
        taken = []

        async def work():
            while (job := (await client.blpop('jobs'))[1]) != 'stop':
                taken.append(int(job))

        running = [asyncio.create_task(work()) for _ in range(workers)]
        for number in range(jobs):
            await client.rpush('jobs', number)
        await client.rpush('jobs', *['stop'] * workers)
        await asyncio.wait_for(asyncio.gather(*running), PATIENCE)
        await pool.disconnect()
        return taken


if __name__ == '__main__':
    Flows.program = sys.argv.pop(1)
    unittest.main()
