/** Files changed on disk: a damaged value is never returned as valid. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../sim/random.js';
import { CHECKED_ROWS_PER_SLICE } from '../model/limits.js';
import { StoreError } from './error.js';
import { FileConnection } from './file-connection.js';
import { storeFile } from './open.js';
import type { HistoryStore } from './store.js';
import {
  accountKey,
  cleanUp,
  fill,
  fundingRate,
  GENESIS,
  MIDNIGHT,
  newFolder,
  newStore,
  readFundingRates,
  readTrades,
  transaction,
} from './testing.js';

const SEED = Number(process.env['SEED'] ?? 20_261_122);
const FILES = Number(process.env['DAMAGED_FILES'] ?? 25);
const TRADES = 684;
const FLIPS = 20;
const PAGE = 20;

afterEach(cleanUp);

/** Trades, two per transaction and a minute apart, with a funding rate every tenth. */
function batch(count: number) {
  return Array.from({ length: count / 2 }, (_, at) => {
    const ts = MIDNIGHT + at * 60;
    const fills = [0, 1].map((index) => {
      const fillRecordId = BigInt(at * 2 + index + 1);
      return fill({ index, ts, fillRecordId, taker: accountKey(at % 50), marketIndex: index });
    });
    const fundingRates = at % 10 === 0 ? [fundingRate({ index: 9, ts, recordId: BigInt(at) })] : [];
    return transaction({ slot: at + 1, isFinal: true, fills, fundingRates });
  });
}

async function filled(folder: string, count = TRADES): Promise<HistoryStore> {
  const store = await newStore(folder);
  store.writeBatch({ transactions: batch(count) });
  return store;
}

/** The defects that a walk over the whole file finds. */
function walk(store: HistoryStore): readonly string[] {
  const found: string[] = [];
  for (;;) {
    const { rows, damaged, isEnd } = store.checkSlice();
    expect(rows).toBeLessThanOrEqual(CHECKED_ROWS_PER_SLICE);
    found.push(...damaged);
    if (isEnd) return found;
  }
}

/** All bodies, each page as text, or its failure. */
function pagesOf(store: HistoryStore): readonly string[] {
  const pages: string[] = [];
  const read = (rows: () => unknown): void => {
    try {
      pages.push(
        JSON.stringify(rows(), (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
      );
    } catch (error) {
      expect(error).toBeInstanceOf(StoreError);
      pages.push('refused');
    }
  };
  for (const market of ['perp_0', 'perp_1'] as const) {
    for (let offset = 0; offset < TRADES / 2; offset += PAGE) {
      read(() => readTrades(store, { market, limit: PAGE, offset }));
      read(() => readFundingRates(store, { market, limit: PAGE, offset }));
    }
    for (const minutes of [1, 60, 1_440] as const) {
      for (let from = MIDNIGHT; from < MIDNIGHT + TRADES * 30; from += 3_600) {
        read(() => store.readCandles({ market, minutes, from, to: from + 3_599, limit: 60 }));
      }
    }
  }
  return pages;
}

describe('a file with some bytes flipped', () => {
  let bytes: Buffer;
  let whole: readonly string[];

  beforeAll(async () => {
    const store = await filled(newFolder());
    whole = pagesOf(store);
    store.close();
    bytes = readFileSync(store.file);
    cleanUp();
  });

  test(`never serves anything else than what was written (SEED=${SEED})`, async () => {
    const random = new Random(SEED);
    const counts = { refused: 0, missing: 0 };
    for (let file = 0; file < FILES; file += 1) {
      const folder = newFolder();
      const damaged = Buffer.from(bytes);
      for (let flip = 0; flip < FLIPS; flip += 1) {
        // The first page is the schema's: the database rejects the file then.
        const at = 4_096 + random.nextBelow(damaged.length - 4_096);
        damaged[at] = (damaged[at] ?? 0) ^ (1 + random.nextBelow(255));
      }
      writeFileSync(storeFile(folder, GENESIS), damaged);
      const store = await newStore(folder).catch((error: unknown) => {
        expect(error).toBeInstanceOf(StoreError);
        return null;
      });
      if (store === null) continue;
      const pages = pagesOf(store);
      const changed = pages.filter((page, at) => page !== whole[at]);
      const missing = changed.filter((page) => page !== 'refused').length;
      counts.refused += changed.length - missing;
      counts.missing += missing;
      // A page that lost rows looks intact: the check finds the surplus index entries.
      if (missing > 0) expect(walk(store)).not.toEqual([]);
    }
    expect(counts.refused).toBeGreaterThan(FILES);
    expect(counts.missing).toBeLessThan(counts.refused);
  }, 120_000);
});

describe('the check of a file', () => {
  test.each([
    ['progress', "value = cast(x'ff' as text)"],
    ['meta', "value = cast(x'80' as text) where name = 'totals'"],
    ['records', "fraction = cast(x'ff31' as text) where slot = 7"],
    ['kysely_migration', "timestamp = cast(x'ff' as text)"],
  ])(
    'a text in %s that is none ends in an error, and not the process: %s',
    async (table, change) => {
      const store = await filled(newFolder());
      store.writeBatch({ transactions: [], progress: { mark: 'x' } });
      store.close();
      const file = new FileConnection(store.file);
      file.runStatements(`update ${table} set ${change}`);
      file.close();
      const opened = await openedOrDamaged(store.file);
      if (opened === null) return;
      expect(walk(opened)).toContainEqual(expect.stringMatching(`^${table} `));
      expect(pagesOf(opened).includes('refused')).toBe(table !== 'progress');
    },
  );

  test.each([
    ['records', "bytes = x'00' where kind = 1 and slot = 7"],
    ['records', 'ts = ts + 1 where kind = 1 and slot = 7'],
    ['records', 'fraction = 5 where kind = 5 and slot = 11'],
    ['parties', 'slot = 8 where slot = 7'],
    ['transactions', `signature = x'${'11'.repeat(64)}' where id = 3`],
    ['meta', "value = '{}' where name = 'totals'"],
  ])('finds what was changed in %s: %s', async (table, change) => {
    const store = await filled(newFolder());
    expect(walk(store)).toEqual([]);
    store.close();
    const file = new FileConnection(store.file);
    file.runStatements(`update ${table} set ${change}`);
    file.close();
    const opened = await openedOrDamaged(store.file);
    if (opened !== null) expect(walk(opened)).toContainEqual(expect.stringMatching(`^${table} `));
  });

  test('makes a candle again of what it is made of, where that is there', async () => {
    const folder = newFolder();
    const store = await filled(folder);
    const whole = pagesOf(store);
    store.close();
    const file = new FileConnection(store.file);
    file.runStatements('update candles set base = 1 where minutes in (1, 60, 1440)');
    file.close();
    const damaged = await newStore(folder);
    expect(pagesOf(damaged)).toContain('refused');
    expect(walk(damaged)).toEqual([]);
    expect(pagesOf(damaged)).toEqual(whole);
  });

  test('a damaged candle that the next trade extends is made again', async () => {
    const folder = newFolder();
    const [first, all] = [await filled(folder, TRADES - 2), await filled(newFolder())];
    first.close();
    const file = new FileConnection(first.file);
    file.runStatements('update candles set base = 1 where minutes = 1440');
    file.close();
    const store = await newStore(folder);
    store.writeBatch({ transactions: batch(TRADES) });
    const days = (of: HistoryStore) =>
      of.readCandles({ market: 'perp_0', minutes: 1_440, limit: 9 });
    expect(days(store)).toEqual(days(all));
  });

  test('goes on beside writes, and finds none of them damaged', async () => {
    const store = await newStore();
    const all = batch(TRADES);
    for (const [at, one] of all.entries()) {
      store.writeBatch({ transactions: [{ ...one, isFinal: false }] });
      expect(store.checkSlice().damaged).toEqual([]);
      const { signature, slot } = one;
      store.finaliseTransactions([{ signature, slot, place: at % 5 }]);
    }
    expect([...walk(store), ...walk(store)]).toEqual([]);
    expect(readTrades(store, { market: 'perp_0', limit: 1_000 })).toHaveLength(TRADES / 2);
  });
});

/** Null when opening the file already finds the damage. */
async function openedOrDamaged(file: string): Promise<HistoryStore | null> {
  const folder = newFolder();
  copyFileSync(file, storeFile(folder, GENESIS));
  return newStore(folder).catch((error: unknown) => {
    expect(error).toMatchObject({ reason: 'corrupt' });
    return null;
  });
}
