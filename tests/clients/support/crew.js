'use strict';
// What the tests of queue libraries share: they open queues and workers, and wait for what these tell.
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { Mailbox } = require('./waiting');

/** Everything a test opened, closed in the reverse order by closeAll(), which fails on errors nobody expected. */
class Crew {
  #opened = [];
  #errors = [];

  /** Takes over a thing with close(). Its 'error' events make closeAll() fail. */
  join(thing) {
    thing.on?.('error', (error) => this.#errors.push(error));
    this.#opened.push(() => thing.close());
    return thing;
  }

  /** A node process that runs the text; it is killed at the end. Its lines arrive in `lines`. */
  spawn(text, ...words) {
    // setpriv: a test that is killed must not leave its processes behind.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, '-e', text, ...words],
                        { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const lines = new Mailbox();
    let rest = '';
    child.stdout.on('data', (chunk) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop();
      for (const part of parts) lines.put(part);
    });
    const kill = async () => {
      child.kill('SIGKILL');
      await ended;
    };
    this.#opened.push(kill);
    return { lines, kill };
  }

  async closeAll() {
    const opened = this.#opened.reverse();
    this.#opened = [];
    for (const close of opened) await close();
    const [error] = this.#errors;
    this.#errors = [];
    if (error) throw error;
  }
}

/** The events of that name, each as the array of its arguments, from now on. */
function listen(emitter, name) {
  const heard = new Mailbox();
  emitter.on(name, (...words) => heard.put(words));
  return heard;
}

/** Asks until the answer is the wanted one. The test's own time-out ends it. */
async function until(wanted, ask) {
  for (;;) {
    const seen = await ask();
    if (seen === wanted) return;
    await new Promise((resolve) => { setTimeout(resolve, 5); });
  }
}

module.exports = { Crew, listen, until };
