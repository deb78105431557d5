/**
 * Trades on their way into a Postgres server: the file of a stopped service that is copied, and batches with their candles as back-fill
 * writes them. Commands on standard input, one JSON reply a line.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { candleRules } from '../../dist/src/history/candles/rules.js';
import { copyFile } from '../../dist/src/history/postgres/copy-file.js';
import { openPostgresStore } from '../../dist/src/history/postgres/open-postgres.js';
import { openStore } from '../../dist/src/history/store/store.js';
import { answerCommands } from '../service/commands.mjs';
import { MARKETS, transactionsOf } from './trades.mjs';

const GENESIS = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY';
/** The size of a back-fill batch. */
const BATCH_TRADES = 2_000;
/** The comparisons after a copy or a write: each returns one row. */
const CHECKS = [
  'select count(*), sum(sum), sum(id) from records',
  'select count(*), sum(sum), sum(slot) from transactions',
  'select count(*), sum(account), sum(slot) from parties',
  'select count(*), sum(sum), sum(base), sum(fills) from candles',
];

const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-bench-copy-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const rules = { rules: candleRules, decimalsOf: () => 9 };
const file = path.join(folder, `${GENESIS}.db`);

function fill(store, count) {
  const ids = Array.from({ length: MARKETS }, () => 0n);
  let wallNs = 0;
  for (let from = 0; from < count; from += BATCH_TRADES) {
    const to = Math.min(from + BATCH_TRADES, count);
    const transactions = transactionsOf(from, to, ids);
    const startNs = process.hrtime.bigint();
    const { records } = store.writeBatch({ transactions, progress: { newest: String(to) } });
    wallNs += Number(process.hrtime.bigint() - startNs);
    if (records.length !== to - from) throw new Error('trades were lost');
  }
  return { operations: count, wallNs };
}

await answerCommands({
  /** `make COUNT`: the file of a service with so many trades. */
  async make(count) {
    const store = await openStore({ folder, genesisHash: GENESIS, ...rules });
    fill(store, Number(count));
    store.close();
    return {};
  },

  /** `copy URL`: the file into an empty database. */
  async copy(url) {
    const startNs = process.hrtime.bigint();
    const { records: operations } = await copyFile({ file, url });
    const wallNs = Number(process.hrtime.bigint() - startNs);
    return { operations, wallNs };
  },

  /** `write URL COUNT`: as many trades into an empty database, batch by batch. */
  write(url, count) {
    const store = openPostgresStore({
      place: { url, role: 'write' },
      genesisHash: GENESIS,
      ...rules,
    });
    const written = fill(store, Number(count));
    store.close();
    return written;
  },

  checks: () => ({ checks: CHECKS }),
});
