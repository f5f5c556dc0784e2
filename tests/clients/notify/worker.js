'use strict';

async function settle(client, ...words) {
  try {
    await client.sendCommand(words.map(String));
  } catch (refused) {
    // The lease ended before the delivery did, and the job went to another worker: it is no longer ours to settle.
    if (!refused.message.startsWith('EMQSTALE')) throw refused;
  }
}

async function work(client, deliver, { lease = 30000, backOff = 1000, maxAttempts = 5 } = {}) {
  const claim = ['LANE.WCLAIM', 'notify', String(lease), 'COUNT', '10', 'BLOCK', '5000'];
  for (;;) {
    for (const [job, text, token, chat] of await client.sendCommand(claim)) {
      try {
        await deliver(chat, text);
      } catch (error) {
        const delay = backOff * 2 ** (token - 1);
        await settle(client, 'LANE.RETRY', 'notify', job, token, delay, maxAttempts, error.message);
        continue;
      }
      await settle(client, 'LANE.COMPLETE', 'notify', job, token);
    }
  }
}

if (require.main === module) {
  const client = require('redis').createClient({ url: `redis://127.0.0.1:${process.argv[2]}` });
  client.connect().then(() => work(client, console.log));
}

module.exports = { work };
