'use strict';
// Unusual in what the library asks of a server: packed arguments that scripts open with cmsgpack, events that scripts
// add to streams with MAXLEN ~, redis.pcall, BZPOPMIN with a time-out of a few milliseconds, INFO for the version and
// the memory policy.
const assert = require('node:assert/strict');
const { after, afterEach, before, beforeEach, describe, test } = require('node:test');
const Redis = require('ioredis');
const { startServer } = require('./support/server');
const { Crew, listen, until } = require('./support/crew');

// A worker that says which job it has, and never comes to the end of it.
const kStuck = `
const { Worker } = require(process.argv[1]);
const connection = { host: '127.0.0.1', port: Number(process.argv[2]), maxRetriesPerRequest: null };
new Worker('work', (job) => {
  console.log(job.name);
  return new Promise(() => {});
}, { connection, lockDuration: 200, stalledInterval: 100 });
`;

function suite(library) {
  const { FlowProducer, Queue, QueueEvents, RateLimitError, UnrecoverableError, Worker } = require(library);
  let server;
  let client;
  let queue;
  let crew;

  /** A test that ends by itself when what it waits for does not come. */
  const flow = (name, body) => test(name, { timeout: 15000 }, body);
  const connection = () => ({ host: server.host, port: server.port, maxRetriesPerRequest: null });
  const openQueue = (name) => crew.join(new Queue(name, { connection: connection() }));

  /** A running worker of the queue; stalled jobs are looked for only where a test asks for it. */
  function startWorker(work, options = {}) {
    return crew.join(new Worker(options.name ?? 'work', work, { connection: connection(), ...options }));
  }

  /** From the first event of the queue on: a reader from now on may start later than what the test does next. */
  async function openEvents() {
    const events = crew.join(new QueueEvents('work', { connection: connection(), lastEventId: '0' }));
    await events.waitUntilReady();
    return events;
  }

  /** The names of the next jobs, in the order in which the worker completed them. */
  async function completed(heard, count) {
    return (await heard.takeMany(count)).map(([job]) => job.name);
  }

  before(async () => { server = await startServer(); });
  after(async () => { assert.equal(await server.stop(), 0); });
  beforeEach(async () => {
    crew = new Crew();
    client = new Redis(server.port, server.host);
    await client.flushall();
    queue = openQueue('work');
  });
  afterEach(async () => {
    client.disconnect();
    await crew.closeAll();
  });

  flow('works jobs off in the order they came, and tells of every step', async () => {
    const events = await openEvents();
    const [active, progress, done] = ['active', 'progress', 'completed'].map((name) => listen(events, name));
    const jobs = await queue.addBulk(
      Array.from({ length: 20 }, (_, index) => ({ name: `job-${index}`, data: { index } })));
    assert.equal(await queue.getWaitingCount(), 20);
    const worker = startWorker(async (job) => {
      await job.updateProgress(job.data.index * 5);
      await job.log(`works on ${job.name}`);
      return { square: job.data.index ** 2 };
    });
    const names = await completed(listen(worker, 'completed'), 20);
    assert.deepEqual(names, jobs.map((job) => job.name));

    const ids = jobs.map((job) => job.id);
    assert.deepEqual((await active.takeMany(20)).map(([event]) => event.jobId), ids);
    assert.deepEqual((await progress.takeMany(20)).map(([event]) => event.data), ids.map((_, index) => index * 5));
    assert.deepEqual((await done.takeMany(20)).map(([event]) => event.returnvalue.square),
                     ids.map((_, index) => index ** 2));
    const last = await queue.getJob(ids[19]);
    assert.equal(await last.getState(), 'completed');
    assert.deepEqual(last.returnvalue, { square: 361 });
    assert.deepEqual(await queue.getJobLogs(last.id), { logs: ['works on job-19'], count: 1 });
    assert.deepEqual(await queue.getJobCounts('active', 'completed'), { active: 0, completed: 20 });
  });

  flow('a job can be waited for, and fails with the error of the worker', async () => {
    const events = await openEvents();
    startWorker(async (job) => {
      if (job.name === 'bad') throw new Error('no such chat');
      return job.data.text.toUpperCase();
    });
    assert.equal(await (await queue.add('good', { text: 'grüße' })).waitUntilFinished(events), 'GRÜSSE');
    const bad = await queue.add('bad', {});
    await assert.rejects(bad.waitUntilFinished(events), { message: 'no such chat' });
    assert.equal((await queue.getJob(bad.id)).failedReason, 'no such chat');
  });

  flow('many workers do every job once', async () => {
    const kJobs = 400;
    await queue.addBulk(Array.from({ length: kJobs }, (_, index) => ({ name: `job-${index}`, data: {} })));
    const done = [];
    let finish;
    const finished = new Promise((resolve) => { finish = resolve; });
    for (let count = 0; count < 3; ++count) {
      startWorker(async (job) => job.name, { concurrency: 20 }).on('completed', (job) => {
        done.push(job.name);
        if (done.length === kJobs) finish();
      });
    }
    await finished;
    assert.equal(new Set(done).size, kJobs);
    assert.equal(await queue.getCompletedCount(), kJobs);
  });

  flow('a delayed job waits for its time, which can be changed', async () => {
    const worker = startWorker(async (job) => Date.now() - job.timestamp);
    const heard = listen(worker, 'completed');
    const later = await queue.add('later', {}, { delay: 250 });
    const never = await queue.add('promoted', {}, { delay: 3600000 });
    const sooner = await queue.add('sooner', {}, { delay: 3600000 });
    assert.equal(await later.getState(), 'delayed');
    assert.equal(await queue.getDelayedCount(), 3);
    await sooner.changeDelay(120);
    await never.promote();
    assert.deepEqual(await completed(heard, 3), ['promoted', 'sooner', 'later']);
    assert.ok((await queue.getJob(later.id)).returnvalue >= 250);
    assert.ok((await queue.getJob(sooner.id)).returnvalue >= 120);
  });

  flow('priorities decide, then the order of arrival; a job without one goes first, a lifo one before it', async () => {
    for (const [name, priority] of [['c3', 3], ['a1', 1], ['b2', 2], ['a2', 1], ['c4', 3]]) {
      await queue.add(name, {}, { priority });
    }
    await queue.add('plain', {});
    await queue.add('last in', {}, { lifo: true });
    assert.deepEqual(await queue.getCountsPerPriority([0, 1, 2, 3]), { 0: 2, 1: 2, 2: 1, 3: 2 });
    const raised = (await queue.getPrioritized()).find((job) => job.name === 'c4');
    await raised.changePriority({ priority: 2 });
    const worker = startWorker(async () => {});
    assert.deepEqual(await completed(listen(worker, 'completed'), 7),
                     ['last in', 'plain', 'a1', 'a2', 'b2', 'c4', 'c3']);
  });

  flow('a scheduler repeats its job', async () => {
    const heard = listen(startWorker(async (job) => job.data.text), 'completed');
    await queue.upsertJobScheduler('tick', { every: 100, limit: 3 }, { name: 'tick', data: { text: 'tock' } });
    const ticks = (await heard.takeMany(3)).map(([job]) => job);
    assert.deepEqual(ticks.map((job) => job.returnvalue), ['tock', 'tock', 'tock']);
    // A late first tick does not move the others.
    assert.ok(ticks[2].processedOn > ticks[0].processedOn);

    await queue.upsertJobScheduler('second', { pattern: '* * * * * *' }, { name: 'second' });
    const [scheduled] = (await queue.getJobSchedulers()).filter((one) => one.key === 'second');
    assert.equal(scheduled.pattern, '* * * * * *');
    const [[second]] = await heard.takeMany(1);
    assert.equal(second.name, 'second');
    await until(1, () => queue.getDelayedCount());
    assert.equal(await queue.removeJobScheduler('second'), true);
    assert.equal(await queue.getDelayedCount(), 0);
  });

  if (library === 'bullmq-5') {
    flow('a job added with the older repeat option comes again', async () => {
      const heard = listen(startWorker(async () => {}), 'completed');
      await queue.add('tick', {}, { repeat: { every: 100, limit: 3 } });
      assert.deepEqual(await completed(heard, 3), ['tick', 'tick', 'tick']);
      await queue.add('rare', {}, { repeat: { every: 3600000 } });
      assert.ok((await queue.getRepeatableJobs()).some((one) => one.name === 'rare'));
      assert.equal(await queue.removeRepeatable('rare', { every: 3600000 }), true);
      assert.equal(await queue.getDelayedCount(), 0);
    });
  }

  flow('a failing job is tried again after its back-off, then fails, and can be retried', async () => {
    let broken = true;
    const times = [];
    const worker = startWorker(async (job) => {
      times.push(Date.now());
      if (job.name === 'hopeless') throw new UnrecoverableError('not again');
      if (broken) throw new Error(`attempt ${job.attemptsMade + 1}`);
    });
    const [failed, done] = [listen(worker, 'failed'), listen(worker, 'completed')];
    const job = await queue.add('flaky', {}, { attempts: 3, backoff: { type: 'exponential', delay: 80 } });
    const errors = (await failed.takeMany(3)).map(([, error]) => error.message);
    assert.deepEqual(errors, ['attempt 1', 'attempt 2', 'attempt 3']);
    assert.ok(times[1] - times[0] >= 80);
    assert.ok(times[2] - times[1] >= 160);
    await until('failed', () => job.getState());
    const stored = await queue.getJob(job.id);
    assert.deepEqual([stored.attemptsMade, stored.failedReason, stored.stacktrace.length], [3, 'attempt 3', 3]);

    broken = false;
    await stored.retry('failed');
    await done.take();
    assert.equal(await job.getState(), 'completed');

    await queue.add('hopeless', {}, { attempts: 5 });
    const [[hopeless]] = await failed.takeMany(1);
    assert.equal(hopeless.attemptsMade, 1);
    assert.equal(await hopeless.getState(), 'failed');
  });

  flow('a rate limit spreads the jobs, and a worker can ask for a pause itself', async () => {
    await queue.addBulk(Array.from({ length: 5 }, (_, index) => ({ name: `job-${index}`, data: {} })));
    const times = [];
    const began = Date.now();
    const limited = startWorker(async () => { times.push(Date.now()); }, { limiter: { max: 2, duration: 250 } });
    await listen(limited, 'completed').takeMany(5);
    // Two, two and one: the last stands behind two full periods, within the rounding of two clocks.
    assert.ok(times[4] - began >= 2 * 250 - 5, String(times));
    await limited.close();

    let refused;
    const other = openQueue('other');
    const worker = startWorker(async () => {
      if (refused) return;
      refused = Date.now();
      await worker.rateLimit(200);
      throw new RateLimitError();
    }, { name: 'other', limiter: { max: 100, duration: 100 } });
    await other.add('asks', {});
    const [job] = await listen(worker, 'completed').take();
    assert.ok(job.processedOn - refused >= 190);
  });

  flow('a parent runs behind its children and has their values', async () => {
    const producer = crew.join(new FlowProducer({ connection: connection() }));
    const heard = listen(startWorker(async (job) => {
      const values = Object.values(await job.getChildrenValues());
      return values.reduce((sum, value) => sum + value, job.data.own);
    }, { concurrency: 5 }), 'completed');
    const leaf = (name, own) => ({ name, queueName: 'leaves', data: { own } });
    const tree = await producer.add({
      name: 'root', queueName: 'work', data: { own: 1000 }, children: [leaf('leaf-1', 1), {
        name: 'branch', queueName: 'work', data: { own: 100 }, children: [leaf('leaf-2', 2), leaf('leaf-3', 3)],
      }],
    });
    assert.equal(await tree.job.getState(), 'waiting-children');
    assert.equal(await queue.getWaitingChildrenCount(), 2);
    startWorker(async (job) => job.data.own, { name: 'leaves' });
    const order = (await heard.takeMany(2)).map(([job]) => [job.name, job.returnvalue]);
    assert.deepEqual(order, [['branch', 105], ['root', 1106]]);
    const { processed, unprocessed } = await tree.job.getDependencies();
    assert.deepEqual([Object.values(processed).sort(), unprocessed], [[1, 105], []]);
  });

  flow('a child that fails can take its parent with it', async () => {
    const events = await openEvents();
    const producer = crew.join(new FlowProducer({ connection: connection() }));
    startWorker(async (job) => { if (job.name === 'child') throw new Error('broken'); });
    const { job } = await producer.add({
      name: 'parent', queueName: 'work',
      children: [{ name: 'child', queueName: 'work', opts: { failParentOnFailure: true } }],
    });
    await assert.rejects(job.waitUntilFinished(events), /child .* failed/);
    assert.equal(await job.getState(), 'failed');
  });

  flow('a paused queue keeps its jobs until it is resumed', async () => {
    const events = await openEvents();
    const [paused, resumed] = [listen(events, 'paused'), listen(events, 'resumed')];
    await queue.pause();
    await paused.take();
    const heard = listen(startWorker(async () => {}), 'completed');
    await queue.add('kept', {});
    assert.equal(await queue.isPaused(), true);
    assert.equal(await queue.count(), 1);
    await new Promise((resolve) => { setTimeout(resolve, 100); });
    assert.ok(heard.empty);
    await queue.resume();
    await resumed.take();
    assert.deepEqual(await completed(heard, 1), ['kept']);
    assert.equal(await queue.isPaused(), false);
  });

  flow('the job of a killed worker stalls and another worker takes it', async () => {
    const events = await openEvents();
    const stalled = listen(events, 'stalled');
    const job = await queue.add('abandoned', {});
    const stuck = crew.spawn(kStuck, library, String(server.port));
    assert.equal(await stuck.lines.take(), 'abandoned');
    assert.equal(await job.getState(), 'active');
    await stuck.kill();
    const worker = startWorker(async () => 'rescued', { stalledInterval: 100, lockDuration: 1000 });
    const [rescued] = await listen(worker, 'completed').take();
    assert.deepEqual([rescued.id, rescued.returnvalue, rescued.stalledCounter], [job.id, 'rescued', 1]);
    assert.equal((await stalled.take())[0].jobId, job.id);
  });

  flow('jobs with one id or one deduplication id are added once', async () => {
    const events = await openEvents();
    const again = listen(events, 'deduplicated');
    await queue.add('first', {}, { jobId: 'only-one' });
    await queue.add('second', {}, { jobId: 'only-one' });
    assert.equal((await queue.getJob('only-one')).name, 'first');
    const kept = await queue.add('mail', { n: 1 }, { deduplication: { id: 'ann' } });
    const dropped = await queue.add('mail', { n: 2 }, { deduplication: { id: 'ann' } });
    assert.equal(dropped.id, kept.id);
    assert.equal((await again.take())[0].deduplicationId, 'ann');
    assert.equal(await queue.getWaitingCount(), 2);
    await kept.updateData({ n: 3 });
    assert.deepEqual((await queue.getJob(kept.id)).data, { n: 3 });
  });

  flow('finished jobs are kept as asked, and a queue can be cleaned, drained and obliterated', async () => {
    const worker = startWorker(async (job) => { if (job.name === 'bad') throw new Error('bad'); },
                               { removeOnComplete: { count: 2 }, metrics: { maxDataPoints: 10 } });
    const [done, failed] = [listen(worker, 'completed'), listen(worker, 'failed')];
    await queue.addBulk(Array.from({ length: 5 }, (_, index) => ({ name: `job-${index}`, data: {} })));
    await queue.addBulk(Array.from({ length: 3 }, () => ({ name: 'bad', data: {} })));
    await done.takeMany(5);
    await failed.takeMany(3);
    assert.deepEqual((await queue.getCompleted()).map((job) => job.name), ['job-4', 'job-3']);
    assert.equal((await queue.getMetrics('completed')).meta.count, 5);
    assert.equal((await queue.getMetrics('failed')).meta.count, 3);

    await worker.close();
    await queue.retryJobs({ count: 10 });
    assert.deepEqual([await queue.getWaitingCount(), await queue.getFailedCount()], [3, 0]);
    assert.equal((await queue.clean(0, 10, 'completed')).length, 2);
    const [first] = await queue.getWaiting();
    await first.remove();
    assert.equal(await queue.getWaitingCount(), 2);
    await queue.add('later', {}, { delay: 60000 });
    await queue.drain(true);
    assert.equal(await queue.count(), 0);
    await queue.obliterate();
    assert.deepEqual(await client.keys('bull:work:*'), []);
  });

  flow('jobs can be taken and finished by hand', async () => {
    await queue.addBulk([{ name: 'one', data: {} }, { name: 'two', data: {} }, { name: 'three', data: {} }]);
    const hand = crew.join(new Worker('work', null, { connection: connection() }));
    const one = await hand.getNextJob('token');
    assert.equal(one.name, 'one');
    assert.equal(await one.extendLock('token', 5000), 1);
    await assert.rejects(one.moveToCompleted('x', 'other token', false), /Missing lock|[Ll]ock mismatch/);
    await one.moveToCompleted('done', 'token', false);
    const two = await hand.getNextJob('token');
    await two.moveToFailed(new Error('no'), 'token', false);
    assert.deepEqual([await one.getState(), await two.getState()], ['completed', 'failed']);
    const three = await hand.getNextJob('token');
    await three.moveToDelayed(Date.now() + 60000, 'token');
    assert.equal(await three.getState(), 'delayed');
    assert.equal(await hand.getNextJob('token', { block: false }), undefined);
  });

  flow('one job at a time in all workers together, when the queue says so', async () => {
    await queue.setGlobalConcurrency(1);
    let running = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => { setTimeout(resolve, 5); });
      --running;
    };
    const heard = [startWorker(work, { concurrency: 5 }), startWorker(work, { concurrency: 5 })]
      .map((worker) => listen(worker, 'completed'));
    await queue.addBulk(Array.from({ length: 10 }, () => ({ name: 'alone', data: {} })));
    await until(10, () => queue.getCompletedCount());
    assert.equal(most, 1);
    assert.ok(!heard[0].empty || !heard[1].empty);
  });
}

// Together less than CTest's limit, so that a server that answers nothing well still gets its list of failures. A suite
// that runs out of time leaves its server and its connections open, and these would keep the process.
setTimeout(() => process.exit(1), 100000).unref();
describe('BullMQ 5', { timeout: 45000 }, () => suite('bullmq-5'));
describe('BullMQ 6', { timeout: 45000 }, () => suite('bullmq'));
