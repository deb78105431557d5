/** Row `copy`: trades on their way into a Postgres server, copied from a file, and written as back-fill writes them. */
import { fileURLToPath } from 'node:url';
import { LOAD_CPU, pinned } from './cpu.mjs';
import { EngineProcess } from './engine-process.mjs';
import { hasPostgres, PostgresProcess } from './postgres.mjs';
import { median } from './rounds.mjs';

const TRADES = 60_000;
const COPIES_MAX = 3;
/** One takes several times as long. */
const WRITES = 2;

/** The row's results; none where there is no Postgres. */
export async function copySpeed(bench) {
  if (!hasPostgres()) {
    process.stderr.write('bench: row copy needs Postgres 15: npm run test:tools\n');
    return [];
  }
  const script = fileURLToPath(new URL('../history/copy.mjs', import.meta.url));
  const server = await PostgresProcess.start();
  const { command, args } = pinned(`0,${LOAD_CPU}`, process.execPath, [script]);
  const store = new EngineProcess(command, args);
  try {
    return await measure({ server, store, rounds: Math.min(bench.rounds, COPIES_MAX) });
  } finally {
    await store.stop();
    await server.stop();
  }
}

async function measure({ server, store, rounds }) {
  await store.ask(`make ${TRADES}`);
  const copies = [];
  for (let round = 0; round < rounds; round += 1) {
    copies.push(perSecond(await store.ask(`copy ${await server.makeDatabase(`copied${round}`)}`)));
  }
  const writes = [];
  for (let round = 0; round < WRITES; round += 1) {
    const url = await server.makeDatabase(`written${round}`);
    writes.push(perSecond(await store.ask(`write ${url} ${TRADES}`)));
  }
  await assertWhole(server, store);
  const written = `${TRADES} trades written, 2,000 a transaction, all candles with them`;
  return [
    resultOf(copies, {
      work: `${TRADES} trades of a file copied by COPY, candles with them`,
      bar: 20_000,
    }),
    resultOf(writes, { work: written, bar: null }),
  ];
}

/** The copy and the original have the same rows. */
async function assertWhole(server, store) {
  const { checks } = await store.ask('checks');
  const [copied, written] = await Promise.all(
    ['copied0', 'written0'].map((database) => server.readRows(database, checks)),
  );
  const [text, other] = [copied, written].map((rows) => JSON.stringify(rows));
  if (text !== other) throw new Error(`the copy has ${text}, must have ${other}`);
}

function perSecond({ operations, wallNs }) {
  return operations / (wallNs / 1e9);
}

function resultOf(rates, { work, bar }) {
  const value = median(rates);
  const each = rates.map((rate) => Math.round(rate)).join(', ');
  return {
    ...{ row: 'copy', work, bar, value, wish: null, better: 'higher', unit: 'trades/s' },
    data: '20 markets, two fills a transaction; Postgres 15 with its own settings',
    shown: `${Math.round(value)} a second (${each})`,
  };
}
