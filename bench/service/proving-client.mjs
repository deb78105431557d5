/** A client of @slotbook/client that follows one market, with or without its proofs. Commands: see `verbs`. */
import { WebSocket } from 'ws';
import { StreamClient } from '../../dist/src/client/index.js';
import { answerCommands } from './commands.mjs';

let client;
let subscription;
let views = 0;
let proofs = 0;

await answerCommands({
  /** `start URL MARKET CHANNEL [KEY]`: resolves with the first book. */
  async start(url, market, channel, key) {
    client = new StreamClient({ url, WebSocket });
    const options = key === undefined ? {} : { prove: key };
    subscription = client.subscribe({ channel, market, depth: 500 }, options);
    await new Promise((resolve) => {
      subscription.onUpdate(() => {
        views += 1;
        resolve();
      });
    });
    let last = -1;
    setInterval(() => {
      const size = subscription.proven?.size ?? -1;
      if (size > last) proofs += 1;
      last = size;
    }, 500).unref();
    return {};
  },

  /** `spent`: CPU so far, microseconds, and what it was spent on. */
  spent() {
    if (subscription.error !== undefined) throw subscription.error;
    const { user, system } = process.cpuUsage();
    return { cpuUs: user + system, views, proofs };
  },

  stop() {
    client.close();
    return {};
  },
});
