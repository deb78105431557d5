/**
 * The service's own HTTP over a store, in one process: its server, its parameters and its bodies, with the
 * store in the place of the worker. No answer is kept, so each is read.
 */
import { makeBody } from '../../dist/src/history/bodies/make-body.js';
import { storeReader } from '../../dist/src/history/worker/store-manager.js';
import { systemTimers } from '../../dist/src/rpc/timers.js';
import { createHandlers } from '../../dist/src/server/routes/http.js';
import { listen } from '../../dist/src/server/transport/uws.js';

export const SYMBOL = 'SOL-PERP';
const row = { id: 0, symbol: SYMBOL, marketType: 'perp', marketIndex: 0, decimals: 9 };
const market = { ...row, key: 'perp_0' };
/** Of the book nothing but the names of its markets is asked. */
const book = {
  epoch: 'bench',
  state: 'live',
  markets: () => [row],
  findMarket,
  stats: () => ({ leftOut: {} }),
};

function findMarket(name) {
  return name.toUpperCase() === SYMBOL ? row : undefined;
}

/** Listens on a free port of loopback; the time is that of `nowMs`. */
export async function serve(store, nowMs) {
  const readiness = () => ({ everLive: true, state: 'live', reason: null, slot: 0 });
  const handlers = createHandlers({
    timers: { ...systemTimers, unixMs: nowMs },
    ...{ book, directory: book, readiness, history: historyOf(store) },
    feed: () => ({ slotAgeMs: 0, events: {} }),
    build: { name: 'slotbook', version: '0', commit: null },
  });
  const onFault = (error) => process.stderr.write(`bench: ${error.stack}\n`);
  return listen({
    timers: systemTimers,
    host: '127.0.0.1',
    port: 0,
    handler: handlers.main,
    onFault,
  });
}

function historyOf(store) {
  const reader = storeReader(() => store);
  let asked = 0;
  return {
    query: async (query) => makeBody(query, { reader, market, finalisedSlot: 0 }),
    // Another one for each request, as if a trade had come in between.
    version: () => {
      asked += 1;
      return String(asked);
    },
    readStats: () => ({ state: 'live', reason: null }),
    readMarketStats: () => new Map(),
  };
}
