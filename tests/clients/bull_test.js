'use strict';
// Unusual in what the library asks of a server: packed arguments that scripts open with cmsgpack, bit.band in scripts,
// LINSERT to keep a list by priority, SCAN within a script, PUBLISH from scripts.
const assert = require('node:assert/strict');
const { after, afterEach, before, beforeEach, describe, test } = require('node:test');
const Queue = require('bull');
const Redis = require('ioredis');
const { startServer } = require('./support/server');
const { Crew, listen, until } = require('./support/crew');

// A worker that says which job it has, and never comes to the end of it.
const kStuck = `
const Queue = require('bull');
const queue = new Queue('work', { redis: { host: '127.0.0.1', port: Number(process.argv[1]) },
                                  settings: { lockDuration: 200, stalledInterval: 100 } });
queue.process('*', (job) => {
  console.log(job.name);
  return new Promise(() => {});
});
`;

describe('Bull 4', { timeout: 90000 }, () => {
  let server;
  let client;
  let queue;
  let crew;

  /** A test that ends by itself when what it waits for does not come. */
  const flow = (name, body) => test(name, { timeout: 15000 }, body);
  const openQueue = (options = {}) =>
    crew.join(new Queue('work', { redis: { host: server.host, port: server.port }, ...options }));

  /** A queue that works on jobs of any name. The promise of process() ends with the queue. */
  function startWorker(work, { concurrency = 1, ...options } = {}) {
    const worker = openQueue(options);
    worker.process('*', concurrency, work);
    return worker;
  }

  /** What all workers tell, from now on: events of the queue that travel through channels of the server. */
  async function listenEverywhere(...names) {
    const heard = names.map((name) => listen(queue, `global:${name}`));
    const channels = names.map((name) => `bull:work:${name}`);
    await until(names.length, async () => (await client.pubsub('CHANNELS', 'bull:work:*'))
      .filter((channel) => channels.includes(channel)).length);
    return heard;
  }

  async function completed(heard, count) {
    return (await heard.takeMany(count)).map(([job]) => job.name);
  }

  before(async () => { server = await startServer(); });
  after(async () => { assert.equal(await server.stop(), 0); });
  beforeEach(async () => {
    crew = new Crew();
    client = new Redis(server.port, server.host);
    await client.flushall();
    queue = openQueue();
    await queue.isReady();
  });
  afterEach(async () => {
    client.disconnect();
    await crew.closeAll();
  });

  flow('works jobs off in the order they came, and tells of every step', async () => {
    const [progress, done] = await listenEverywhere('progress', 'completed');
    const first = await queue.add('job-0', { index: 0 });
    const value = first.finished();
    const jobs = [first, ...await queue.addBulk(
      Array.from({ length: 19 }, (_, index) => ({ name: `job-${index + 1}`, data: { index: index + 1 } })))];
    assert.equal(await queue.getWaitingCount(), 20);
    const worker = startWorker(async (job) => {
      await job.progress(job.data.index * 5);
      await job.log(`works on ${job.name}`);
      return { square: job.data.index ** 2 };
    });
    assert.deepEqual(await completed(listen(worker, 'completed'), 20), jobs.map((job) => job.name));
    assert.deepEqual(await value, { square: 0 });

    const heard = await done.takeMany(20);
    assert.deepEqual(heard.map(([id, result]) => [id, JSON.parse(result).square]),
                     jobs.map((job, index) => [job.id, index ** 2]));
    assert.deepEqual((await progress.takeMany(20)).map(([, share]) => share), jobs.map((_, index) => index * 5));
    assert.deepEqual(await queue.getJobLogs(jobs[19].id), { logs: ['works on job-19'], count: 1 });
    const { waiting, active, completed: finished } = await queue.getJobCounts();
    assert.deepEqual([waiting, active, finished], [0, 0, 20]);
  });

  flow('many workers do every job once', async () => {
    const kJobs = 400;
    await queue.addBulk(Array.from({ length: kJobs }, (_, index) => ({ name: `job-${index}`, data: {} })));
    const done = [];
    const finished = new Promise((resolve) => {
      for (let count = 0; count < 3; ++count) {
        startWorker(async () => {}, { concurrency: 20 }).on('completed', (job) => {
          if (done.push(job.name) === kJobs) resolve();
        });
      }
    });
    await finished;
    assert.equal(new Set(done).size, kJobs);
    assert.equal(await queue.getCompletedCount(), kJobs);
  });

  flow('a delayed job waits for its time, or until it is promoted', async () => {
    const heard = listen(startWorker(async (job) => Date.now() - job.timestamp), 'completed');
    const later = await queue.add('later', {}, { delay: 200 });
    const promoted = await queue.add('promoted', {}, { delay: 3600000 });
    assert.equal(await later.getState(), 'delayed');
    assert.equal(await queue.getDelayedCount(), 2);
    await promoted.promote();
    assert.deepEqual(await completed(heard, 2), ['promoted', 'later']);
    assert.ok((await queue.getJob(later.id)).returnvalue >= 200);
  });

  flow('priorities decide, then the order of arrival; a lifo job goes first', async () => {
    for (const [name, priority] of [['c1', 3], ['a1', 1], ['b1', 2], ['a2', 1], ['c2', 3]]) {
      await queue.add(name, {}, { priority });
    }
    await queue.add('last in', {}, { lifo: true });
    const worker = startWorker(async () => {});
    assert.deepEqual(await completed(listen(worker, 'completed'), 6), ['last in', 'a1', 'a2', 'b1', 'c1', 'c2']);
  });

  flow('a repeated job comes again until its limit, or until it is removed', async () => {
    const heard = listen(startWorker(async () => {}), 'completed');
    await queue.add('tick', {}, { repeat: { every: 100, limit: 2 } });
    assert.deepEqual(await completed(heard, 2), ['tick', 'tick']);
    await queue.add('second', {}, { repeat: { cron: '* * * * * *' } });
    assert.ok((await queue.getRepeatableJobs()).some((one) => one.cron === '* * * * * *'));
    assert.deepEqual(await completed(heard, 1), ['second']);
    await until(1, () => queue.getDelayedCount());
    await queue.removeRepeatable('second', { cron: '* * * * * *' });
    assert.equal(await queue.getDelayedCount(), 0);
  });

  flow('a failing job is tried again after its back-off, then fails, and can be retried', async () => {
    let broken = true;
    const times = [];
    const worker = startWorker(async (job) => {
      times.push(Date.now());
      if (broken) throw new Error(`attempt ${job.attemptsMade + 1}`);
    });
    const [failed, done] = [listen(worker, 'failed'), listen(worker, 'completed')];
    const job = await queue.add('flaky', {}, { attempts: 3, backoff: { type: 'fixed', delay: 80 } });
    assert.deepEqual((await failed.takeMany(3)).map(([, error]) => error.message),
                     ['attempt 1', 'attempt 2', 'attempt 3']);
    assert.ok(times[1] - times[0] >= 80);
    assert.ok(times[2] - times[1] >= 80);
    await assert.rejects(job.finished(), { message: 'attempt 3' });
    const stored = await queue.getJob(job.id);
    assert.deepEqual([stored.attemptsMade, stored.failedReason, stored.stacktrace.length], [3, 'attempt 3', 3]);
    broken = false;
    await stored.retry();
    await done.take();
    assert.equal(await job.getState(), 'completed');
  });

  flow('a rate limit spreads the jobs', async () => {
    const limiter = { max: 2, duration: 250 };
    const times = [];
    const began = Date.now();
    const worker = startWorker(async () => { times.push(Date.now()); }, { limiter });
    await queue.addBulk(Array.from({ length: 5 }, (_, index) => ({ name: `job-${index}`, data: {} })));
    await listen(worker, 'completed').takeMany(5);
    // Two, two and one: the last stands behind two full periods, within the rounding of two clocks.
    assert.ok(times[4] - began >= 2 * 250 - 5, String(times));
  });

  flow('a paused queue keeps its jobs until it is resumed', async () => {
    const [paused, resumed] = await listenEverywhere('paused', 'resumed');
    const heard = listen(startWorker(async () => {}), 'completed');
    await queue.pause();
    await paused.take();
    await queue.add('kept', {});
    assert.equal(await queue.isPaused(), true);
    assert.equal(await queue.getPausedCount(), 1);
    assert.ok(heard.empty);
    await queue.resume();
    await resumed.take();
    assert.deepEqual(await completed(heard, 1), ['kept']);
  });

  flow('the job of a killed worker stalls and another worker takes it', async () => {
    const job = await queue.add('abandoned', {});
    const stuck = crew.spawn(kStuck, String(server.port));
    assert.equal(await stuck.lines.take(), 'abandoned');
    assert.equal(await job.getState(), 'active');
    await stuck.kill();
    const worker = startWorker(async () => 'rescued', { settings: { stalledInterval: 100 } });
    const [stalled, done] = [listen(worker, 'stalled'), listen(worker, 'completed')];
    assert.equal((await stalled.take())[0].id, job.id);
    const [rescued] = await done.take();
    assert.deepEqual([rescued.id, rescued.returnvalue], [job.id, 'rescued']);
  });

  flow('finished jobs are kept as asked, and a queue can be cleaned, emptied and obliterated', async () => {
    const worker = startWorker(async (job) => { if (job.name === 'bad') throw new Error('bad'); });
    const [done, failed] = [listen(worker, 'completed'), listen(worker, 'failed')];
    await queue.add('once', {}, { jobId: 'only-one', removeOnComplete: true });
    await done.take();
    assert.equal(await queue.getJob('only-one'), null);
    await queue.addBulk(Array.from({ length: 5 }, (_, index) => ({ name: `job-${index}`, data: {},
                                                                    opts: { removeOnComplete: 2 } })));
    await queue.addBulk(Array.from({ length: 3 }, () => ({ name: 'bad', data: {} })));
    await done.takeMany(5);
    await failed.takeMany(3);
    assert.deepEqual((await queue.getCompleted()).map((job) => job.name), ['job-4', 'job-3']);
    await worker.close();

    assert.equal((await queue.clean(0, 'failed')).length, 3);
    await queue.add('first', {}, { jobId: 'mine' });
    await queue.add('again', {}, { jobId: 'mine' });
    const mine = await queue.getJob('mine');
    assert.equal(mine.name, 'first');
    await mine.update({ text: 'new' });
    assert.deepEqual((await queue.getJob('mine')).data, { text: 'new' });
    await mine.remove();
    await queue.addBulk([{ name: 'one', data: {} }, { name: 'two', data: {}, opts: { delay: 60000 } }]);
    assert.equal(await queue.count(), 2);
    await queue.removeJobs('*');
    assert.equal(await queue.count(), 0);
    await queue.add('three', {});
    await queue.empty();
    assert.equal(await queue.count(), 0);
    await queue.obliterate();
    assert.deepEqual(await client.keys('bull:work:*'), []);
  });

  flow('jobs can be taken and finished by hand', async () => {
    await queue.addBulk([{ name: 'one', data: {} }, { name: 'two', data: {} }]);
    const one = await queue.getNextJob();
    assert.equal(one.name, 'one');
    const next = await one.moveToCompleted('done', true);
    assert.equal(next[0].name, 'two');
    assert.equal(await one.getState(), 'completed');
    const two = queue.nextJobFromJobData(...next);
    await two.moveToFailed({ message: 'no' }, true);
    assert.equal(await two.getState(), 'failed');
    assert.equal((await queue.getJob(two.id)).failedReason, 'no');
  });
});
