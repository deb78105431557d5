/** One client of the streaming channel that checks every frame. Commands: see `verbs`. */
import { Follower } from '../../dist/src/follow/follower.js';
import { answerCommands } from './commands.mjs';

let follower;

await answerCommands({
  /** `start URL MARKET DEPTH`: resolves with the first book. */
  async start(url, market, depth) {
    const topic = { channel: 'book', market, depth: Number(depth) };
    await new Promise((resolve) => {
      follower = new Follower({ url, topic, onFrame: resolve });
      follower.start();
    });
    return {};
  },

  /** `tally`: frames so far, and all that was wrong. */
  tally() {
    const { frames, broken, resets, reconnects, messages } = follower.tally;
    return { deltas: frames.delta, broken, resets, reconnects, told: messages };
  },

  async stop() {
    await follower.stop();
    return {};
  },
});
