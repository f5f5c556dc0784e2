'use strict';
// node notify_test.js SERVER: the worker of the README's worked example serves chats fairly and loses nothing.
const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const net = require('node:net');
const { after, afterEach, before, beforeEach, describe, test } = require('node:test');
const { createClient } = require('redis');
const { startServer } = require('../support/server');
const { Mailbox, untilBlocked } = require('../support/waiting');
const { work } = require('./worker');

const kFlood = 1000;
const kRound = 5;  // jobs of one round: one of the flood, three of the premium chat, one of a small chat
const kLease = 500;
const kPatience = 15000;
/** A worker that says what it delivers, and never comes to the end of it. */
const kStuck = `
  const deliver = (chat, text) => new Promise(() => { process.stdout.write(chat + ' ' + text + '\\n'); });
  require('redis').createClient({ socket: { port: Number(process.argv[1]), host: '127.0.0.1' } }).connect()
    .then((client) => require('./worker').work(client, deliver, { lease: ${kLease} }));`;

describe('notifications', { timeout: 4 * kPatience }, () => {
  let server;
  let client;
  let opened = [];
  let processes = [];

  async function connect() {
    const made = createClient({ socket: { host: server.host, port: server.port } });
    made.on('error', () => {});
    opened.push(made);
    return made.connect().then(() => made);
  }

  const call = (...words) => client.sendCommand(words);
  const blocked = (count) => untilBlocked(() => client.info('clients'), count);
  const milliseconds = async () => {
    const [seconds, micros] = await call('TIME');
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  };

  async function until(look, wanted) {
    const deadline = Date.now() + kPatience;
    for (let seen; (seen = await look()) !== wanted;) {
      assert.ok(Date.now() < deadline, `${seen} instead of ${wanted}`);
    }
  }

  /** One step of the server for all of them; the text is the id. */
  async function enqueue(chat, texts) {
    const step = client.multi();
    for (const text of texts) step.addCommand(['LANE.ENQUEUE', 'notify', chat, text, text]);
    assert.deepEqual(await step.exec(), texts);
  }

  const numbered = (name, count) =>
    Array.from({ length: count }, (_, index) => `${name}-${String(index).padStart(4, '0')}`);

  /** A worker of the example. The mailbox gets each delivery once `deliver` is through, and the error that ends it. */
  async function startWorker(deliver = () => {}, options = {}) {
    const delivered = new Mailbox();
    work(await connect(), async (chat, text) => {
      try {
        await deliver(chat, text);
      } finally {
        delivered.put([chat, text]);
      }
    }, options).catch((error) => delivered.put(['ended', error.message]));
    return delivered;
  }

  function startProcess(...words) {
    const made = spawn(process.execPath, [...words, String(server.port)],
                       { cwd: __dirname, stdio: ['ignore', 'pipe', 'inherit'] });
    processes.push(made);
    return made;
  }

  before(async () => { server = await startServer(); });
  after(async () => { assert.equal(await server.stop(), 0); });
  beforeEach(async () => {
    client = await connect();
    await client.flushAll();
  });
  afterEach(() => {
    for (const one of processes) one.kill('SIGKILL');
    for (const one of opened) one.destroy();
    processes = [];
    opened = [];
  });

  test('a premium chat gets three jobs for one, and a small chat is served within one round', async () => {
    await enqueue('1001', numbered('flood', kFlood));
    assert.equal(await call('LANE.WEIGHT', 'notify', '7', '3'), 'OK');
    await enqueue('7', numbered('paid', 90));
    let seen = 0;
    // The fortieth delivery is the last one of a claim, so the round begins with the next.
    const delivered = await startWorker(() => (++seen === 40 ? enqueue('42', ['hello']) : undefined));
    const first = await delivered.takeMany(40);
    assert.equal(first.map(([chat]) => chat).join(' '), Array(10).fill('1001 7 7 7').join(' '));
    for (const [chat, texts] of [['1001', numbered('flood', 10)], ['7', numbered('paid', 30)]]) {
      assert.deepEqual(first.filter(([one]) => one === chat).map(([, text]) => text), texts);
    }
    const round = await delivered.takeMany(kRound);
    assert.ok(round.some(([chat]) => chat === '42'), JSON.stringify(round));
    await until(() => client.hGet('emq:{notify}:metrics:completed', 'count'), String(kFlood + 90 + 1));
  });

  test('the program itself delivers', async () => {
    const program = startProcess('worker.js');
    await enqueue('42', ['hello']);
    assert.equal(String((await once(program.stdout, 'data'))[0]), '42 hello\n');
    await until(() => client.exists('emq:{notify}:job:hello'), 0);
  });

  test('a job of a killed worker comes back at its deadline with the next token', async () => {
    const stuck = startProcess('-e', kStuck);
    await blocked(1);
    const began = await milliseconds();
    await enqueue('42', ['hello']);
    assert.equal(String((await once(stuck.stdout, 'data'))[0]), '42 hello\n');
    const ended = once(stuck, 'exit');
    stuck.kill('SIGKILL');
    assert.deepEqual(await ended, [null, 'SIGKILL']);

    const claimed = await call('LANE.CLAIM', 'notify', '30000', 'BLOCK', String(kPatience));
    assert.deepEqual(claimed, ['hello', 'hello', 2, '42']);
    assert.ok(await milliseconds() >= began + kLease);
    await assert.rejects(call('LANE.COMPLETE', 'notify', 'hello', '1'), /^\w*Error: EMQSTALE /);
    await assert.rejects(call('LANE.EXTEND', 'notify', 'hello', '1', '30000'), /^\w*Error: EMQSTALE /);
    await assert.rejects(call('LANE.RETRY', 'notify', 'hello', '1', '0', '5', 'late'), /^\w*Error: EMQSTALE /);
    assert.equal(await call('LANE.COMPLETE', 'notify', 'hello', '2'), 1);
    assert.deepEqual(await client.keys('emq:{notify}:job:*'), []);
  });

  test('a worker that was too slow goes on with the next job', async () => {
    let claimed;
    const delivered = await startWorker(async (_, text) => {
      if (text === 'slow') claimed = await call('LANE.CLAIM', 'notify', '30000', 'BLOCK', String(kPatience));
    }, { lease: 50 });
    await enqueue('42', ['slow']);
    assert.deepEqual(await delivered.take(), ['42', 'slow']);
    assert.deepEqual(claimed, ['slow', 'slow', 2, '42']);
    await enqueue('42', ['tail']);
    assert.deepEqual(await delivered.take(), ['42', 'tail']);
    assert.equal(await call('LANE.COMPLETE', 'notify', 'slow', '2'), 1);
  });

  test('a failing delivery is tried again later, then dead, and can be revived', async () => {
    let refused = true;
    const times = [];
    const delivered = await startWorker((_, text) => {
      if (text !== 'hello') return;
      times.push(Date.now());
      if (refused) throw new Error('403 blocked by the user');
    }, { backOff: 100, maxAttempts: 3 });
    await enqueue('42', ['hello']);
    assert.deepEqual(await delivered.takeMany(3), Array(3).fill(['42', 'hello']));
    await until(async () => (await client.zRange('emq:{notify}:dead', 0, -1)).join(), 'hello');
    assert.ok(times[1] - times[0] >= 99 && times[2] - times[1] >= 199, times.join());
    assert.deepEqual(await client.hmGet('emq:{notify}:job:hello', ['state', 'attempts', 'last_error']),
                     ['dead', '3', '403 blocked by the user']);
    await enqueue('42', ['other']);
    assert.deepEqual(await delivered.take(), ['42', 'other']);

    refused = false;
    assert.equal(await call('LANE.REVIVE', 'notify', 'hello'), 1);
    assert.deepEqual(await delivered.take(), ['42', 'hello']);
    await until(() => client.exists(['emq:{notify}:job:hello', 'emq:{notify}:dead']), 0);
  });

  test('claimers that wait get a job each in the order they came, and a vanished one takes none', async () => {
    const claim = ['LANE.CLAIM', 'notify', '30000', 'BLOCK', '0'];
    const first = (await connect()).sendCommand(claim);
    await blocked(1);
    const vanishing = net.connect(server.port, server.host);
    vanishing.write(`${claim.join(' ')}\r\n`);
    await blocked(2);
    const second = (await connect()).sendCommand(claim);
    await blocked(3);
    vanishing.destroy();
    await blocked(2);
    await enqueue('42', numbered('job', 10));
    assert.deepEqual(await first, ['job-0000', 'job-0000', 1, '42']);
    assert.deepEqual(await second, ['job-0001', 'job-0001', 1, '42']);
    assert.equal(await call('LANE.DEPTH', 'notify'), 8);
    assert.equal(await client.zCard('emq:{notify}:active'), 2);
  });
});
