'use strict';
// Flows over commands that no client library knows by name. `call(...words)` sends one request and hands out its reply.
const assert = require('node:assert/strict');

/** Priorities and arrival numbers (2,1) (1,2) (3,3) (1,4) (2,5) (1,6). */
const kArrivals = [['A', 2], ['B', 1], ['C', 3], ['D', 1], ['E', 2], ['F', 1]];

async function compositePriorities(call) {
  for (const [index, [member, priority]] of kArrivals.entries()) {
    const [score, counter] = await call('TIER.PUSH', 'tiers', 'tiers:counter', String(priority), member);
    assert.equal(Number(counter), index + 1);
    assert.equal(Number(score), priority * 2 ** 32 + index + 1);
  }
  const order = [];
  for (let popped = await call('ZPOPMIN', 'tiers'); popped.length > 0; popped = await call('ZPOPMIN', 'tiers')) {
    order.push(String(popped[0]));
  }
  assert.equal(order.join(''), 'BDFAEC');
  assert.equal(String(await call('GET', 'tiers:counter')), '6');
  await assert.rejects(call('TIER.PUSH', 'tiers', 'tiers:counter', '-1', 'G'), /^\w*Error: \S+ /);
  assert.equal(String(await call('GET', 'tiers:counter')), '6');
}

async function fairTurns(call) {
  const ids = {};
  for (const [lane, payload] of [['ann', 'a1'], ['ann', 'a2'], ['ann', 'a3'], ['bob', 'b1']]) {
    ids[payload] = await call('LANE.ENQUEUE', 'mail', lane, '*', payload);
    assert.match(ids[payload], /^JOB[0-9A-Za-z]{11}$/);
  }
  assert.equal(await call('LANE.ENQUEUE', 'mail', 'bob', ids.b1, 'again'), null);
  assert.equal(await call('LANE.DEPTH', 'mail'), 4);

  for (const [payload, lane] of [['a1', 'ann'], ['b1', 'bob'], ['a2', 'ann']]) {
    assert.deepEqual(await call('LANE.CLAIM', 'mail', '30000'), [ids[payload], payload, 1, lane]);
  }
  await assert.rejects(call('LANE.COMPLETE', 'mail', ids.a1, '2'), /EMQSTALE/);
  assert.equal(await call('LANE.COMPLETE', 'mail', ids.a1, '1'), 1);
  assert.equal(await call('LANE.COMPLETE', 'mail', ids.a1, '1'), 0);
  assert.deepEqual(await call('LANE.COMPLETE', 'mail', ids.b1, '1', 'NEXT', '30000'), [1, [ids.a3, 'a3', 1, 'ann']]);
  assert.equal(await call('LANE.COMPLETE', 'mail', ids.a2, '1'), 1);
  assert.deepEqual(await call('LANE.COMPLETE', 'mail', ids.a3, '1', 'NEXT', '30000'), [1, null]);
  assert.equal(await call('LANE.CLAIM', 'mail', '30000'), null);
  assert.equal(await call('EXISTS', `emq:{mail}:job:${ids.a1}`), 0);
}

async function weightedTurns(call) {
  assert.equal(await call('LANE.WEIGHT', 'mail', 'heavy', '3'), 'OK');
  for (let index = 0; index < 6; ++index) {
    await call('LANE.ENQUEUE', 'mail', 'heavy', `heavy-${index}`, 'work');
    await call('LANE.ENQUEUE', 'mail', 'light', `light-${index}`, 'work');
  }
  const lanes = [];
  for (let turn = 0; turn < 4; ++turn) {
    for (const job of await call('LANE.WCLAIM', 'mail', '30000')) lanes.push(job[3][0]);
  }
  assert.equal(lanes.join(''), 'hhhlhhhl');
}

/** A worker parked on an empty queue gets the job that arrives. `worker` is a second connection's call. */
async function parkedWorker(call, worker, untilParked) {
  const claim = worker('LANE.WCLAIM', 'mail', '30000', 'COUNT', '10', 'BLOCK', '0');
  await untilParked();
  const id = await call('LANE.ENQUEUE', 'mail', 'ann', '*', 'late');
  assert.deepEqual(await claim, [[id, 'late', 1, 'ann']]);
  assert.deepEqual(await worker('LANE.WCLAIM', 'mail', '30000', 'COUNT', '10', 'BLOCK', '20'), []);
}

module.exports = { compositePriorities, fairTurns, weightedTurns, parkedWorker };
