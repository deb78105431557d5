/**
 * The store of the market data: a million trades written, and then, with ten million, pages of trades
 * and candles at both ends of what is stored. What a reading by cursor costs must not depend on where
 * it is, so the far end is held against the near one.
 */
import { fileURLToPath } from 'node:url';
import { pinned, SERVER_CPU } from './cpu.mjs';
import { EngineProcess } from './engine-process.mjs';
import { timeInTurns } from './rounds.mjs';

const WRITTEN = 1_000_000;
const STORED = Number(process.env.HISTORY_TRADES ?? 10_000_000);
/** Pages of 20: the last is two million trades down a market of six million. */
const LAST_PAGE = STORED / 100;
const PAGES = 200;
const READINGS = 20;

/** The row `history`. */
export async function historyStore(bench) {
  const script = fileURLToPath(new URL('../history/store.mjs', import.meta.url));
  const { command, args } = pinned(SERVER_CPU, process.execPath, [script]);
  const store = new EngineProcess(command, args);
  const first = await store.ask(`fill ${Math.min(WRITTEN, STORED)}`);
  const results = [written(first, 'into an empty store')];
  if (STORED > WRITTEN) {
    results.push(written(await store.ask(`fill ${STORED}`), `up to ${STORED} stored ones`));
  }
  results.push(
    await inTurns(store, bench.rounds, {
      work: `page ${LAST_PAGE} of 20 trades by cursor, against page 1`,
      check: 'checkPage',
      far: ['page', LAST_PAGE],
      near: ['page', 1],
      repeats: PAGES,
    }),
    await inTurns(store, bench.rounds, {
      work: '1,000 candles of a minute, the oldest against the newest',
      check: 'checkCandles',
      far: ['candles', 'oldest'],
      near: ['candles', 'newest'],
      repeats: READINGS,
    }),
  );
  await store.stop();
  return results;
}

function written({ operations, wallNs, cpuNs, longestWriteMs, bytes }, where) {
  const perSecond = operations / (wallNs / 1e9);
  const micros = (ns) => (ns / operations / 1_000).toFixed(1);
  return {
    row: 'history',
    work: `${operations} trades written ${where}, 2,000 a write, all candles with them`,
    data: '20 markets, two fills a transaction',
    value: perSecond,
    shown:
      `${Math.round(perSecond)} a second, ${micros(wallNs)} us each (CPU ${micros(cpuNs)}), ` +
      `longest write ${longestWriteMs.toFixed(0)} ms, file ${(bytes / 1e6).toFixed(0)} MB`,
    bar: null,
    wish: null,
    better: 'higher',
    unit: 'trades/s',
  };
}

async function inTurns(store, rounds, { work, check, far, near, repeats }) {
  let checked = 0;
  for (const [, where] of [far, near]) {
    checked += (await store.ask(`${check} ${where}`)).compared;
  }
  const ask = (words) => () => store.ask(`${words.join(' ')} ${repeats}`);
  const times = await timeInTurns({
    ours: ask(far),
    peer: ask(near),
    rounds,
    warmUp: [ask(far), ask(near)],
    better: 'lower',
  });
  return {
    row: 'history',
    work,
    data: `${STORED} trades, 20 markets`,
    against: 'itself, at the newest',
    checked,
    ...times,
    bar: 1.25,
    wish: 1.1,
    better: 'lower',
  };
}
