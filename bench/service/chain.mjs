/** The demo's chain with a moving market, in a process of its own. Commands: see `verbs`. */
import { startDemo } from '../../dist/src/sim/demo/demo.js';
import { answerCommands } from './commands.mjs';

let demo;

await answerCommands({
  /**
   * `start MAKERS RATE SEED [FILLS-A-SECOND]`: resolves when every account of the first state is on the
   * chain.
   */
  async start(makers, rate, seed, fills = '1') {
    const life = { makers: Number(makers), seed: Number(seed), fillsPerSecond: Number(fills) };
    demo = await startDemo({ ...life, rate: Number(rate) });
    demo.done.catch((error) => process.stderr.write(`bench: the chain ended: ${error.stack}\n`));
    return { rpcUrl: demo.rpcUrl, wsUrl: demo.wsUrl };
  },

  /** `stats`: accounts written since the start. */
  stats: () => demo.stats(),

  async stop() {
    await demo.stop();
    return {};
  },
});
