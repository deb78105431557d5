/**
 * The store of the market data: a million trades written, and then, with ten million, pages of
 * trades and candles at both ends of the store, directly and over HTTP. The cost of a page must not
 * depend on its position, so the far end is compared with the near end.
 */
import { fileURLToPath } from 'node:url';
import { cpuNsOf, pinned, SERVER_CPU } from './cpu.mjs';
import { EngineProcess } from './engine-process.mjs';
import { rawGet } from './raw-get.mjs';
import { timeInTurns } from './rounds.mjs';
import { load } from './wrk.mjs';

const WRITTEN = 1_000_000;
const STORED = Number(process.env.HISTORY_TRADES ?? 10_000_000);
/** Pages of 20: the last is two million trades down a market of six million. */
const LAST_PAGE = STORED / 100;
const PAGES = 200;
const READINGS = 20;
/** The history's maximum number of concurrent queries. */
const LOAD = { seconds: 3, connections: 4 };

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
  const { port } = await store.ask('listen');
  results.push(
    await servedInTurns(store, bench.rounds, {
      work: `GET /trades, page ${LAST_PAGE} of 20 by cursor, against page 1`,
      port,
      far: `pagePath ${LAST_PAGE}`,
      near: 'pagePath 1',
    }),
    await servedInTurns(store, bench.rounds, {
      work: 'GET /candles, 1,000 of a minute, the oldest against the newest',
      port,
      far: 'candlesPath oldest',
      near: 'candlesPath newest',
    }),
  );
  await store.stop();
  return results;
}

function written({ operations, wallNs, cpuNs, longestWriteMs, bytes }, where) {
  // Of a core: a disk and other processes make the wall clock wait.
  const perSecond = operations / (cpuNs / 1e9);
  const micros = (ns) => (ns / operations / 1_000).toFixed(1);
  return {
    row: 'history',
    work: `${operations} trades written ${where}, 2,000 a write, all candles with them`,
    data: '20 markets, two fills a transaction',
    value: perSecond,
    shown:
      `${Math.round(perSecond)} a second of a core, ${micros(wallNs)} us each (CPU ${micros(cpuNs)}), ` +
      `longest write ${longestWriteMs.toFixed(0)} ms, file ${(bytes / 1e6).toFixed(0)} MB`,
    bar: 25_000,
    wish: null,
    better: 'higher',
    unit: 'trades/s',
  };
}

const againstNewest = {
  row: 'history',
  data: `${STORED} trades, 20 markets`,
  against: 'itself, at the newest',
  bar: 1.1,
  wish: null,
  better: 'lower',
};

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
  return { work, checked, ...times, ...againstNewest };
}

/** CPU of the server a request, where no response is cached. */
async function servedInTurns(store, rounds, { work, port, far, near }) {
  const paths = {};
  let checked = 0;
  for (const [side, ask] of Object.entries({ far, near })) {
    const { path, rows } = await store.ask(ask);
    checked += assertRows(await rawGet(port, path), rows, path);
    paths[side] = path;
  }
  const run = (path) => async () => {
    const [cpu, wall] = [cpuNsOf(store.pid), process.hrtime.bigint()];
    const operations = await load(`http://127.0.0.1:${port}${path}`, LOAD);
    const wallNs = Number(process.hrtime.bigint() - wall);
    return { operations, wallNs, cpuNs: cpuNsOf(store.pid) - cpu };
  };
  const times = await timeInTurns({
    ours: run(paths.far),
    peer: run(paths.near),
    rounds,
    warmUp: [run(paths.far), run(paths.near)],
    judge: 'cpu',
    better: 'lower',
  });
  return { work, checked, ...times, ...againstNewest };
}

/** Each row of the response has the members of its row in `rows`, and is in its place. */
function assertRows({ body }, rows, path) {
  const told = JSON.parse(body);
  if (told.length !== rows.length) throw new Error(`${path} had ${told.length} rows`);
  for (const [at, row] of rows.entries()) {
    for (const [name, value] of Object.entries(row)) {
      if (told[at][name] !== value)
        throw new Error(`${path}, row ${at}: ${name} was ${told[at][name]}`);
    }
  }
  return rows.length;
}
