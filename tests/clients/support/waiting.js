'use strict';
// Waiting for what the server does, without sleeping.

/** Things that arrive one after the other, and whoever waits for the next one. */
class Mailbox {
  #arrived = [];
  #waiting = [];

  put(item) {
    const taker = this.#waiting.shift();
    if (taker) taker(item);
    else this.#arrived.push(item);
  }

  take() {
    if (this.#arrived.length > 0) return Promise.resolve(this.#arrived.shift());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async takeMany(count) {
    const items = [];
    while (items.length < count) items.push(await this.take());
    return items;
  }

  get empty() {
    return this.#arrived.length === 0;
  }
}

/** Asks until so many clients are blocked. `info` resolves to the text of INFO CLIENTS. */
async function untilBlocked(info, count) {
  while (!(await info()).includes(`blocked_clients:${count}\r\n`));
}

module.exports = { Mailbox, untilBlocked };
