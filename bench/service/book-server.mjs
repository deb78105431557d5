/**
 * The service's own parts under a workload: Engine, handler and transport as `main.ts` composes
 * them, with a workload file in the place of the feed. Commands: see `verbs`.
 */
import { createHandler } from '../../dist/src/server/http.js';
import { listen } from '../../dist/src/server/uws.js';
import { answerCommands } from './commands.mjs';
import { WorkloadBook } from './workload-book.mjs';

/** Each so often the accounts that have fallen due are one turn. */
const TURN_MS = 10;

let book;
let churn;
let churned = 0;

const verbs = {
  /** `load PATH`: opens the book of a workload file. */
  load(path) {
    book = new WorkloadBook(path);
    return { markets: book.marketNames };
  },

  /** `listen`: answers HTTP on a free port of loopback. */
  async listen() {
    const readiness = () => ({ everLive: true, state: 'live', reason: null, slot: 0 });
    const handler = createHandler({
      book: book.engine,
      readiness,
      feed: () => ({ slotAgeMs: 0, events: {} }),
      build: { name: 'slotbook', version: '0', commit: null },
    });
    const onFault = (error) => process.stderr.write(`bench: ${error.stack}\n`);
    const listener = await listen({ host: '127.0.0.1', port: 0, handler, onFault });
    return { port: listener.port };
  },

  /** `churn RATE`: applies so many accounts a second from now on; 0 for none. */
  churn(rate) {
    clearInterval(churn);
    churned = 0;
    if (Number(rate) > 0) churn = startChurn(Number(rate));
    return {};
  },

  /** `churned`: accounts applied since the last `churn`. */
  churned() {
    return { accounts: churned };
  },

  /** `body MARKET DEPTH`: the engine's own /l2 body. */
  body(market, depth) {
    const body = book.engine.l2({ market: Number(market), depth: Number(depth) });
    return { body: Buffer.from(body).toString() };
  },
};

/** Catches up when a timer came late, so that the count depends on the time alone. */
function startChurn(rate) {
  const startMs = performance.now();
  return setInterval(() => {
    const due = Math.floor(((performance.now() - startMs) * rate) / 1_000) - churned;
    if (due <= 0) return;
    book.push(due);
    book.engine.endTurn(Date.now());
    churned += due;
  }, TURN_MS);
}

await answerCommands(verbs);
