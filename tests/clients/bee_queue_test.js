'use strict';
// Unusual in what the library asks of a server: it never sends EVAL, but SCRIPT EXISTS for each script as it starts and
// SCRIPT LOAD for what is missing. Its client is node-redis 3.
const assert = require('node:assert/strict');
const { after, afterEach, before, beforeEach, describe, test } = require('node:test');
const Queue = require('bee-queue');
const Redis = require('ioredis');
const { startServer } = require('./support/server');
const { Crew, listen, until } = require('./support/crew');

// A worker that says which job it has, and never comes to the end of it.
const kStuck = `
const Queue = require('bee-queue');
const queue = new Queue('work', { redis: { host: '127.0.0.1', port: Number(process.argv[1]) }, stallInterval: 100 });
queue.process((job) => {
  console.log(job.id);
  return new Promise(() => {});
});
`;

describe('Bee-Queue', { timeout: 60000 }, () => {
  let server;
  let client;
  let queue;
  let crew;

  /** A test that ends by itself when what it waits for does not come. */
  const flow = (name, body) => test(name, { timeout: 15000 }, body);

  async function openQueue(options = {}) {
    const made = crew.join(new Queue('work', { redis: { host: server.host, port: server.port }, ...options }));
    await made.ready();
    return made;
  }

  async function startWorker(work, { concurrency = 1, ...options } = {}) {
    const worker = await openQueue({ activateDelayedJobs: true, delayedDebounce: 1, ...options });
    worker.process(concurrency, work);
    return worker;
  }

  before(async () => { server = await startServer(); });
  after(async () => { assert.equal(await server.stop(), 0); });
  beforeEach(async () => {
    crew = new Crew();
    client = new Redis(server.port, server.host);
    await client.flushall();
    queue = await openQueue({ isWorker: false });
  });
  afterEach(async () => {
    client.disconnect();
    await crew.closeAll();
  });

  flow('works jobs off in the order they came, and tells of every step', async () => {
    const [progress, done] = ['job progress', 'job succeeded'].map((name) => listen(queue, name));
    const jobs = Array.from({ length: 20 }, (_, index) => queue.createJob({ index }));
    assert.equal((await queue.saveAll(jobs)).size, 0);
    const ids = jobs.map((job) => job.id);
    assert.equal((await queue.checkHealth()).waiting, 20);
    const result = new Promise((resolve) => { jobs[3].once('succeeded', resolve); });
    const worker = await startWorker(async (job) => {
      job.reportProgress({ share: job.data.index * 5 });
      return { square: job.data.index ** 2 };
    });
    const local = (await listen(worker, 'succeeded').takeMany(20)).map(([job]) => job.id);
    assert.deepEqual(local, ids);
    assert.deepEqual(await result, { square: 9 });
    assert.deepEqual((await done.takeMany(20)).map(([id, value]) => [id, value.square]),
                     ids.map((id, index) => [id, index ** 2]));
    assert.deepEqual((await progress.takeMany(20)).map(([id, { share }]) => [id, share]),
                     ids.map((id, index) => [id, index * 5]));
    const health = await queue.checkHealth();
    assert.deepEqual([health.waiting, health.active, health.succeeded, health.newestJob], [0, 0, 20, 20]);
    assert.equal((await queue.getJob(ids[7])).status, 'succeeded');
    assert.equal((await queue.getJobs('succeeded', { size: 100 })).length, 20);
  });

  flow('many workers do every job once', async () => {
    const kJobs = 400;
    await queue.saveAll(Array.from({ length: kJobs }, (_, index) => queue.createJob({ index })));
    const done = [];
    let finish;
    const finished = new Promise((resolve) => { finish = resolve; });
    for (let count = 0; count < 3; ++count) {
      const worker = await startWorker(async () => {}, { concurrency: 20, removeOnSuccess: true });
      worker.on('succeeded', (job) => { if (done.push(job.id) === kJobs) finish(); });
    }
    await finished;
    assert.equal(new Set(done).size, kJobs);
    assert.deepEqual(await client.hkeys('bq:work:jobs'), []);
  });

  flow('a delayed job waits for its time', async () => {
    const began = Date.now();
    const heard = listen(await startWorker(async () => Date.now() - began), 'succeeded');
    await queue.createJob({}).setId('later').delayUntil(began + 200).save();
    await queue.createJob({}).setId('never').delayUntil(began + 3600000).save();
    assert.equal((await queue.checkHealth()).delayed, 2);
    await queue.createJob({}).setId('now').save();
    const [[now], [later, waited]] = await heard.takeMany(2);
    assert.deepEqual([now.id, later.id], ['now', 'later']);
    assert.ok(waited >= 200);
    assert.deepEqual((await queue.getJobs('delayed', { start: 0, end: 10 })).map((job) => job.id), ['never']);
  });

  flow('a failing job is tried again after its back-off, then fails, and can be retried', async () => {
    let broken = true;
    const times = [];
    const worker = await startWorker(async () => {
      times.push(Date.now());
      if (broken) throw new Error(`attempt ${times.length}`);
    });
    const [retrying, failed, done] = ['job retrying', 'job failed', 'job succeeded'].map((name) => listen(queue, name));
    const again = listen(worker, 'retrying');
    const job = await queue.createJob({}).retries(2).backoff('exponential', 80).save();
    assert.deepEqual((await retrying.takeMany(2)).map(([id, error]) => [id, error.message]),
                     [[job.id, 'attempt 1'], [job.id, 'attempt 2']]);
    assert.equal((await failed.take())[1].message, 'attempt 3');
    assert.equal((await again.takeMany(2)).length, 2);
    assert.ok(times[1] - times[0] >= 80);
    assert.ok(times[2] - times[1] >= 160);
    assert.equal((await queue.checkHealth()).failed, 1);
    const [stored] = await queue.getJobs('failed', { size: 10 });
    assert.equal(stored.id, job.id);

    broken = false;
    await stored.retry();
    assert.equal((await done.take())[0], job.id);
  });

  flow('a job that takes too long fails', async () => {
    await startWorker(() => new Promise(() => {}));
    const failed = listen(queue, 'job failed');
    await queue.createJob({}).timeout(50).save();
    assert.match((await failed.take())[1].message, /timed out/);
  });

  flow('the job of a killed worker stalls and another worker takes it', async () => {
    const job = await queue.createJob({ text: 'hello' }).save();
    const stuck = crew.spawn(kStuck, String(server.port));
    assert.equal(await stuck.lines.take(), job.id);
    await stuck.kill();
    const worker = await startWorker(async (taken) => taken.data.text, { stallInterval: 100 });
    const [stalled, done] = [listen(worker, 'stalled'), listen(worker, 'succeeded')];
    worker.checkStalledJobs(100);
    assert.deepEqual(await stalled.take(), [job.id]);
    const [rescued, text] = await done.take();
    assert.deepEqual([rescued.id, text], [job.id, 'hello']);
  });

  flow('a job with a known id is saved once, and jobs can be removed', async () => {
    await queue.createJob({ n: 1 }).setId('mine').save();
    const second = await queue.createJob({ n: 2 }).setId('mine').save();
    assert.equal(second.id, null);
    assert.deepEqual((await queue.getJob('mine')).data, { n: 1 });
    await queue.removeJob('mine');
    assert.equal(await queue.getJob('mine'), null);
    await queue.createJob({}).save();
    await until(1, async () => (await queue.checkHealth()).waiting);
    await queue.destroy();
    assert.deepEqual(await client.keys('bq:work:*'), []);
  });
});
