import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { withDuckdb } from '../../test/support/duckdb.js';
import {
  cleanUp,
  fill,
  MIDNIGHT,
  newFolder,
  newStore,
  transaction,
} from '../history/store/testing.js';
import { type ExportFlags, exportRows } from './export-command.js';

afterEach(cleanUp);

const never = new AbortController().signal;

/** A data folder with three fills of perp market 0, newest stored first, and one of another market. */
async function storedTrades(): Promise<string> {
  const folder = newFolder();
  const store = await newStore(folder);
  const fills = [
    fill({
      fillRecordId: 3n,
      ts: MIDNIGHT + 60,
      takerOrderDirection: 'short',
      makerOrderDirection: 'long',
    }),
    fill({ fillRecordId: 2n, ts: MIDNIGHT, baseAssetAmountFilled: 1n, quoteAssetAmountFilled: 0n }),
    fill({ fillRecordId: 1n, takerOrderDirection: 'long' }),
  ];
  fills.forEach((one, at) => {
    store.writeBatch({ transactions: [transaction({ slot: 100 - at, fills: [one] })] });
  });
  store.close();
  return folder;
}

async function exported(folder: string, flags: ExportFlags = {}): Promise<string> {
  const format = flags.format ?? 'tardis-csv';
  const out = path.join(newFolder(), `out.${format.split('-').at(-1)}`);
  const asked = { market: 'perp_0', channel: 'trades', ...flags, out };
  expect(await exportRows(folder, asked, never)).toBe(true);
  return out;
}

test('trades come oldest first in the form of Tardis', async () => {
  const text = readFileSync(await exported(await storedTrades()), 'utf8');
  expect(text.trim().split('\n')).toEqual([
    'exchange,symbol,timestamp,local_timestamp,id,side,price,amount',
    `slotbook,PERP_0,${MIDNIGHT}000000,${MIDNIGHT}000000,1,buy,100,2`,
    `slotbook,PERP_0,${MIDNIGHT}000000,${MIDNIGHT}000000,2,buy,0,0.000000001`,
    `slotbook,PERP_0,${MIDNIGHT + 60}000000,${MIDNIGHT + 60}000000,3,sell,100,2`,
  ]);
});

test('DuckDB loads trades as Parquet and JSON lines, of a part of the time', async (context) => {
  const folder = await storedTrades();
  await withDuckdb(context, async ({ query }) => {
    for (const format of ['parquet', 'jsonl']) {
      const file = await exported(folder, { format, from: `${MIDNIGHT + 1}000` });
      const rows = await query(
        `select id, side, price::double, amount::double, slot from '${file}'`,
      );
      expect(rows).toEqual([['3', 'sell', 100, 2, '100']]);
    }
  });
});

test('a price of more than 64 bits is exact', async (context) => {
  const folder = newFolder();
  const store = await newStore(folder);
  const fills = [fill({ baseAssetAmountFilled: 1n, quoteAssetAmountFilled: 2n ** 62n })];
  store.writeBatch({ transactions: [transaction({ slot: 100, fills })] });
  store.close();
  await withDuckdb(context, async ({ query }) => {
    for (const format of ['parquet', 'jsonl']) {
      const file = await exported(folder, { format });
      const [[price] = []] = await query(`select price::text from '${file}'`);
      expect(`${price}`.replace(/\.0+$/, '')).toBe(`${2n ** 62n * 1_000n}`);
    }
  });
});

test('trades are those of a service that has the file open, of file and log, and nothing stays of the copy', async () => {
  const folder = newFolder();
  const store = await newStore(folder);
  const write = (slot: number): void => {
    const fills = [fill({ fillRecordId: BigInt(slot), ts: MIDNIGHT + slot })];
    store.writeBatch({ transactions: [transaction({ slot, fills })] });
  };
  try {
    for (let slot = 1; slot <= 300; slot += 1) {
      write(slot);
      if (slot % 60 > 0) continue;
      const rows = readFileSync(await exported(folder), 'utf8')
        .trim()
        .split('\n');
      expect(rows).toHaveLength(1 + slot);
      expect(readdirSync(folder).filter((name) => name.startsWith('export-'))).toEqual([]);
    }
  } finally {
    store.close();
  }
});

test('a folder without a history, and a market that is not known, are one line', async () => {
  const flags = { market: 'SOL-PERP', channel: 'trades' };
  await expect(exportRows(newFolder(), flags, never)).rejects.toThrow(
    'must be the data folder of a service, with the history of one chain',
  );
  await expect(exportRows(await storedTrades(), flags, never)).rejects.toThrow(
    '--market was SOL-PERP, must be a market of the journal, or perp_0 and the like',
  );
});

test('a time without trades and a market without any are told apart', async () => {
  const folder = await storedTrades();
  const asked = { market: 'perp_0', channel: 'trades' };
  const later = exportRows(folder, { ...asked, from: '2040-01-01' }, never);
  await expect(later).rejects.toThrow(
    '--from was 2040-01-01, must be a time with trades of PERP_0',
  );
  const other = exportRows(folder, { ...asked, market: 'perp_7', from: '2020-01-01' }, never);
  await expect(other).rejects.toThrow('--market was PERP_7, must be a market with trades');
});
