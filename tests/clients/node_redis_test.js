'use strict';
const assert = require('node:assert/strict');
const { after, afterEach, before, beforeEach, describe, test } = require('node:test');
const { startServer } = require('./support/server');
const { Mailbox, untilBlocked } = require('./support/waiting');
const flows = require('./support/queue_flows');

/** The walks of version 4 yield one thing at a time, those of version 5 a batch. */
async function collect(walk) {
  const found = [];
  for await (const one of walk) found.push(...(Array.isArray(one) ? one : [one]));
  return found;
}

function suite(library, protocol) {
  const { createClient, ErrorReply, WatchError } = require(library);
  let server;
  let client;
  let opened = [];

  /** A connected client, closed when the test ends. */
  async function connect(options = {}) {
    const made = createClient({ socket: { host: server.host, port: server.port }, RESP: protocol, ...options });
    made.on('error', () => {});
    opened.push(made);
    return made.connect().then(() => made);
  }

  const blocked = (count) => untilBlocked(() => client.info('clients'), count);
  const call = (...words) => client.sendCommand(words);

  before(async () => { server = await startServer(); });
  after(async () => { assert.equal(await server.stop(), 0); });
  beforeEach(async () => {
    client = await connect();
    await client.flushAll();
  });
  afterEach(async () => {
    for (const one of opened) await (one.destroy ? one.destroy() : one.disconnect());
    opened = [];
  });

  test('connects, names itself, selects a database and speaks the protocol asked for', async () => {
    const named = await connect({ name: 'worker', database: 3 });
    assert.ok(named.isReady);
    assert.equal(await named.clientGetName(), 'worker');
    assert.match(await named.sendCommand(['CLIENT', 'INFO']), new RegExp(` name=worker .* db=3 .* resp=${protocol}`));
    await named.set('here', '1');
    assert.equal(await client.get('here'), null);
    assert.equal(await named.ping(), 'PONG');
  });

  test('pipelines requests', async () => {
    const replies = await Promise.all(Array.from({ length: 1000 }, () => client.incr('counter')));
    assert.deepEqual(replies, Array.from({ length: 1000 }, (_, index) => index + 1));
    assert.deepEqual(await client.multi().incr('counter').get('counter').execAsPipeline(), [1001, '1001']);
  });

  test('keeps large values as they are', async () => {
    const value = 'a\0b\r\nc\u00e9'.repeat(400000);
    await client.set('large', value);
    assert.ok(value === await client.get('large'));
  });

  test('reads hashes and scores as its own types', async () => {
    await client.hSet('hash', { one: '1', two: '2' });
    assert.deepEqual({ ...await client.hGetAll('hash') }, { one: '1', two: '2' });
    await client.zAdd('zset', [{ score: 1.5, value: 'a' }, { score: -0.25, value: 'b' }]);
    assert.equal(await client.zScore('zset', 'a'), 1.5);
    assert.equal(await client.zScore('zset', 'none'), null);
    assert.deepEqual(await client.zRangeWithScores('zset', 0, -1),
                     [{ value: 'b', score: -0.25 }, { value: 'a', score: 1.5 }]);
    assert.deepEqual({ ...await client.zPopMin('zset') }, { value: 'b', score: -0.25 });
  });

  test('commits a transaction over watched keys that nobody changed', async () => {
    await client.set('stock', '5');
    await client.watch('stock');
    const left = Number(await client.get('stock')) - 1;
    assert.deepEqual(await client.multi().set('stock', String(left)).rPush('sold', 'one').exec(), ['OK', 1]);
    assert.equal(await client.get('stock'), '4');
  });

  test('aborts a transaction when another client changed a watched key', async () => {
    const other = await connect();
    await client.watch('stock');
    await other.set('stock', '9');
    await assert.rejects(client.multi().set('stock', '1').exec(), WatchError);
    assert.equal(await client.get('stock'), '9');
  });

  test('serves blocked list readers in the order they came', async () => {
    const [first, second] = [await connect(), await connect()];
    const one = first.blPop('jobs', 0);
    await blocked(1);
    const two = second.blPop(['other', 'jobs'], 0);
    await blocked(2);
    await client.rPush('jobs', ['a', 'b']);
    assert.deepEqual({ ...await one }, { key: 'jobs', element: 'a' });
    assert.deepEqual({ ...await two }, { key: 'jobs', element: 'b' });
    assert.equal(await first.blPop('jobs', 0.02), null);
  });

  test('serves blocked sorted set readers in the order they came', async () => {
    const [first, second] = [await connect(), await connect()];
    const one = first.bzPopMin('board', 0);
    await blocked(1);
    const two = second.bzPopMin('board', 0);
    await blocked(2);
    await client.zAdd('board', [{ score: 2.5, value: 'late' }, { score: 1, value: 'early' }]);
    assert.deepEqual({ ...await one }, { key: 'board', value: 'early', score: 1 });
    assert.deepEqual({ ...await two }, { key: 'board', value: 'late', score: 2.5 });
    assert.equal(await first.bzPopMin('board', 0.02), null);
  });

  test('subscribes to channels and patterns, and leaves them', async () => {
    const subscriber = await connect();
    const heard = new Mailbox();
    await subscriber.subscribe('news', (message, channel) => heard.put([channel, message]));
    await subscriber.pSubscribe('n*', (message, channel) => heard.put(['n*', channel, message]));
    assert.equal(await client.publish('news', 'hello'), 2);
    assert.deepEqual(await heard.takeMany(2), [['news', 'hello'], ['n*', 'news', 'hello']]);
    // While it is subscribed, a client that speaks RESP3 may send anything.
    if (protocol === 3) assert.equal(await subscriber.get('key'), null);
    assert.equal(await subscriber.ping(), protocol === 3 ? 'PONG' : 'pong');
    await subscriber.unsubscribe('news');
    assert.equal(await client.publish('news', 'again'), 1);
    assert.deepEqual(await heard.take(), ['n*', 'news', 'again']);
    await subscriber.pUnsubscribe();
    assert.equal(await client.publish('news', 'nobody'), 0);
    assert.ok(heard.empty);
    assert.equal(await subscriber.get('key'), null);
  });

  test('walks over thousands of keys, fields and members', async () => {
    const names = Array.from({ length: 3000 }, (_, index) => `item:${index}`);
    await Promise.all(names.flatMap((name, index) => [
      client.set(name, String(index)), client.hSet('hash', name, String(index)), client.sAdd('set', name),
      client.zAdd('zset', { score: index, value: name })]));
    const sorted = [...names].sort();
    const unique = (items) => [...new Set(items)].sort();
    assert.deepEqual(unique(await collect(client.scanIterator({ MATCH: 'item:*', COUNT: 100 }))), sorted);
    assert.deepEqual(unique(await collect(client.sScanIterator('set'))), sorted);
    const fields = new Map((await collect(client.hScanIterator('hash'))).map(({ field, value }) => [field, value]));
    const scores = new Map((await collect(client.zScanIterator('zset'))).map(({ value, score }) => [value, score]));
    assert.deepEqual([fields.size, scores.size], [names.length, names.length]);
    for (const [index, name] of names.entries()) {
      assert.equal(fields.get(name), String(index));
      assert.equal(scores.get(name), index);
    }
  });

  test('raises the errors of the server', async () => {
    await client.set('text', 'x');
    const refused = async (promise, message) => assert.rejects(promise, (error) => {
      assert.ok(error instanceof ErrorReply);
      assert.equal(error.message, message);
      return true;
    });
    await refused(client.lPush('text', 'y'), 'WRONGTYPE Operation against a key holding the wrong kind of value');
    await refused(call('NOSUCH', 'a', 'b'), "ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b' ");
    await refused(call('GET'), "ERR wrong number of arguments for 'get' command");
    await refused(client.incr('text'), 'ERR value is not an integer or out of range');
    assert.equal(await client.get('text'), 'x');
  });

  test('comes back after its connection was killed', async () => {
    const victim = await connect();
    const again = new Promise((resolve) => { victim.on('ready', resolve); });
    assert.equal(await call('CLIENT', 'KILL', 'ID', String(await victim.clientId())), 1);
    await again;
    assert.equal(await victim.ping(), 'PONG');
  });

  test('hears keyspace events after CONFIG SET', async () => {
    assert.equal(await client.configSet('notify-keyspace-events', 'KEA'), 'OK');
    assert.deepEqual({ ...await client.configGet('notify-keyspace-events') }, { 'notify-keyspace-events': 'AKE' });
    const subscriber = await connect();
    const heard = new Mailbox();
    await subscriber.pSubscribe('__key*@0__:*', (message, channel) => heard.put(`${channel} ${message}`));
    await client.zAdd('q', { score: 1, value: 'a' });
    await client.zPopMin('q');
    await client.set('short', 'x', { PX: 20 });
    assert.deepEqual(await heard.takeMany(12), [
      '__keyspace@0__:q zadd', '__keyevent@0__:zadd q', '__keyspace@0__:q zpopmin', '__keyevent@0__:zpopmin q',
      '__keyspace@0__:q del', '__keyevent@0__:del q', '__keyspace@0__:short set', '__keyevent@0__:set short',
      '__keyspace@0__:short expire', '__keyevent@0__:expire short', '__keyspace@0__:short expired',
      '__keyevent@0__:expired short']);
    await client.configSet('notify-keyspace-events', '');
  });

  test('pops composite priorities in order', () => flows.compositePriorities(call));
  test('claims jobs of lanes in fair turns', () => flows.fairTurns(call));
  test('claims jobs by weight', () => flows.weightedTurns(call));
  test('wakes a parked worker', async () => {
    const worker = await connect();
    await flows.parkedWorker(call, (...words) => worker.sendCommand(words), () => blocked(1));
  });
}

describe('node-redis 4', { timeout: 60000 }, () => suite('redis-4', 2));
describe('node-redis 5 in RESP2', { timeout: 60000 }, () => suite('redis', 2));
describe('node-redis 5 in RESP3', { timeout: 60000 }, () => suite('redis', 3));
