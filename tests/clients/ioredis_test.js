'use strict';
const assert = require('node:assert/strict');
const { after, afterEach, before, beforeEach, describe, test } = require('node:test');
const Redis = require('ioredis');
const { startServer } = require('./support/server');
const { Mailbox, untilBlocked } = require('./support/waiting');
const flows = require('./support/queue_flows');

describe('ioredis', { timeout: 60000 }, () => {
  let server;
  let client;
  let opened = [];

  /** A connected client, closed when the test ends. */
  async function connect(options = {}) {
    const made = new Redis({ host: server.host, port: server.port, lazyConnect: true, ...options });
    made.on('error', () => {});
    opened.push(made);
    await made.connect();
    return made;
  }

  const blocked = (count) => untilBlocked(() => client.info('clients'), count);

  before(async () => { server = await startServer(); });
  after(async () => { assert.equal(await server.stop(), 0); });
  beforeEach(async () => {
    client = await connect();
    await client.flushall();
  });
  afterEach(() => {
    for (const one of opened) one.disconnect();
    opened = [];
  });

  test('connects, names itself, selects a database and passes the ready check', async () => {
    const named = await connect({ connectionName: 'worker', db: 3 });
    assert.equal(named.status, 'ready');
    assert.equal(await named.client('GETNAME'), 'worker');
    assert.match(await named.client('INFO'), / name=worker .* db=3 /);
    await named.set('here', '1');
    assert.equal(await client.get('here'), null);
    const info = await named.info();
    assert.match(info, /^redis_version:\d+\.\d+\.\d+\r$/m);
    assert.match(info, /^loading:0\r$/m);
  });

  test('pipelines requests and hands out an error among the replies', async () => {
    const pipeline = client.pipeline();
    for (let index = 0; index < 1000; ++index) pipeline.incr('counter');
    pipeline.lpush('counter', 'x').get('counter');
    const replies = await pipeline.exec();
    assert.equal(replies.length, 1002);
    assert.deepEqual(replies[999], [null, 1000]);
    assert.match(replies[1000][0].message, /^WRONGTYPE /);
    assert.deepEqual(replies[1001], [null, '1000']);
  });

  test('pipelines by itself what is sent in one tick', async () => {
    const automatic = await connect({ enableAutoPipelining: true });
    const replies = await Promise.all(Array.from({ length: 500 }, () => automatic.incr('counter')));
    assert.deepEqual(replies, Array.from({ length: 500 }, (_, index) => index + 1));
  });

  test('keeps bytes and large values as they are', async () => {
    const value = Buffer.alloc(3 << 20, 'a\0b\r\nc\xff', 'latin1');
    await client.set('large', value);
    assert.ok(value.equals(await client.getBuffer('large')));
  });

  test('commits a transaction over watched keys that nobody changed', async () => {
    await client.set('stock', '5');
    await client.watch('stock');
    const left = Number(await client.get('stock')) - 1;
    assert.deepEqual(await client.multi().set('stock', left).rpush('sold', 'one').exec(), [[null, 'OK'], [null, 1]]);
    assert.equal(await client.get('stock'), '4');
  });

  test('aborts a transaction when another client changed a watched key', async () => {
    const other = await connect();
    await client.watch('stock');
    await other.set('stock', '9');
    assert.equal(await client.multi().set('stock', '1').exec(), null);
    assert.equal(await client.get('stock'), '9');
    await assert.rejects(client.multi().set('stock').exec(),
                         /EXECABORT Transaction discarded because of previous errors/);
  });

  test('serves blocked list readers in the order they came', async () => {
    const [first, second] = [await connect(), await connect()];
    const one = first.blpop('jobs', 0);
    await blocked(1);
    const two = second.blpop('other', 'jobs', 0);
    await blocked(2);
    await client.rpush('jobs', 'a', 'b');
    assert.deepEqual(await one, ['jobs', 'a']);
    assert.deepEqual(await two, ['jobs', 'b']);
    assert.equal(await first.blpop('jobs', 0.02), null);
  });

  test('serves blocked sorted set readers in the order they came', async () => {
    const [first, second] = [await connect(), await connect()];
    const one = first.bzpopmin('board', 0);
    await blocked(1);
    const two = second.bzpopmin('board', 0);
    await blocked(2);
    await client.zadd('board', 2.5, 'late', 1, 'early');
    assert.deepEqual(await one, ['board', 'early', '1']);
    assert.deepEqual(await two, ['board', 'late', '2.5']);
    assert.equal(await first.bzpopmin('board', 0.02), null);
  });

  test('subscribes to channels and patterns, and leaves them', async () => {
    const subscriber = await connect();
    const heard = new Mailbox();
    subscriber.on('message', (channel, message) => heard.put([channel, message]));
    subscriber.on('pmessage', (pattern, channel, message) => heard.put([pattern, channel, message]));
    assert.equal(await subscriber.subscribe('news', 'sport'), 2);
    assert.equal(await subscriber.psubscribe('n*'), 3);
    assert.equal(await client.publish('news', 'hello'), 2);
    assert.deepEqual(await heard.takeMany(2), [['news', 'hello'], ['n*', 'news', 'hello']]);
    await assert.rejects(subscriber.get('key'), /subscriber mode/);
    assert.deepEqual(await subscriber.ping(), ['pong', '']);
    assert.equal(await subscriber.unsubscribe('news'), 2);
    assert.equal(await subscriber.punsubscribe('n*'), 1);
    assert.equal(await subscriber.unsubscribe('sport'), 0);
    assert.equal(await client.publish('news', 'nobody'), 0);
    assert.ok(heard.empty);
    assert.equal(await subscriber.get('key'), null);
  });

  test('walks over thousands of keys, fields and members', async () => {
    const names = Array.from({ length: 3000 }, (_, index) => `item:${index}`);
    const pipeline = client.pipeline();
    for (const [index, name] of names.entries()) {
      pipeline.set(name, index).hset('hash', name, index).sadd('set', name).zadd('zset', index, name);
    }
    await pipeline.exec();
    const collect = async (stream, stride) => {
      const found = new Map();
      for await (const batch of stream) {
        for (let at = 0; at < batch.length; at += stride) found.set(batch[at], batch[at + 1]);
      }
      return found;
    };
    const sorted = [...names].sort();
    const keys = await collect(client.scanStream({ match: 'item:*', count: 100 }), 1);
    assert.deepEqual([...keys.keys()].sort(), sorted);
    assert.deepEqual([...(await collect(client.sscanStream('set'), 1)).keys()].sort(), sorted);
    for (const stream of [client.hscanStream('hash'), client.zscanStream('zset', { count: 500 })]) {
      const found = await collect(stream, 2);
      assert.equal(found.size, names.length);
      for (const [index, name] of names.entries()) assert.equal(found.get(name), String(index));
    }
  });

  test('raises the errors of the server', async () => {
    await client.set('text', 'x');
    await assert.rejects(client.lpush('text', 'y'), (error) => {
      assert.equal(error.name, 'ReplyError');
      assert.equal(error.message, 'WRONGTYPE Operation against a key holding the wrong kind of value');
      assert.equal(error.command.name, 'lpush');
      return true;
    });
    await assert.rejects(client.call('NOSUCH', 'a', 'b'),
                         { message: "ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b' " });
    await assert.rejects(client.call('GET'), { message: "ERR wrong number of arguments for 'get' command" });
    await assert.rejects(client.incr('text'), { message: 'ERR value is not an integer or out of range' });
  });

  test('comes back after its connection was killed', async () => {
    const victim = await connect();
    const again = new Promise((resolve) => { victim.on('ready', resolve); });
    assert.equal(await client.client('KILL', 'ID', await victim.client('ID')), 1);
    await again;
    assert.equal(await victim.ping(), 'PONG');
  });

  test('hears keyspace events after CONFIG SET', async () => {
    assert.equal(await client.config('SET', 'notify-keyspace-events', 'KEA'), 'OK');
    assert.deepEqual(await client.config('GET', 'notify-keyspace-events'), ['notify-keyspace-events', 'AKE']);
    const subscriber = await connect();
    const heard = new Mailbox();
    subscriber.on('pmessage', (_, channel, message) => heard.put(`${channel} ${message}`));
    await subscriber.psubscribe('__key*@0__:*');
    await client.zadd('q', 1, 'a');
    await client.zpopmin('q');
    await client.set('short', 'x', 'PX', 20);
    assert.deepEqual(await heard.takeMany(12), [
      '__keyspace@0__:q zadd', '__keyevent@0__:zadd q', '__keyspace@0__:q zpopmin', '__keyevent@0__:zpopmin q',
      '__keyspace@0__:q del', '__keyevent@0__:del q', '__keyspace@0__:short set', '__keyevent@0__:set short',
      '__keyspace@0__:short expire', '__keyevent@0__:expire short', '__keyspace@0__:short expired',
      '__keyevent@0__:expired short']);
    await client.config('SET', 'notify-keyspace-events', '');
  });

  const call = (...words) => client.call(...words);
  test('pops composite priorities in order', () => flows.compositePriorities(call));
  test('claims jobs of lanes in fair turns', () => flows.fairTurns(call));
  test('claims jobs by weight', () => flows.weightedTurns(call));
  test('wakes a parked worker', async () => {
    const worker = await connect();
    await flows.parkedWorker(call, (...words) => worker.call(...words), () => blocked(1));
  });
});
