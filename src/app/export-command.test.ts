import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { cleanUp, journalOfLife, newFolder } from '../journal/testing.js';
import { type ExportFlags, exportBook } from './export-command.js';

afterEach(cleanUp);

const MARKET = 'SOL-PERP';
const never = new AbortController().signal;

async function exported(folder: string, flags: ExportFlags = {}): Promise<readonly string[]> {
  const out = path.join(newFolder(), 'out');
  expect(await exportBook(folder, { market: MARKET, out, ...flags }, never)).toBe(true);
  expect(existsSync(`${out}.part`)).toBe(false);
  return readFileSync(out, 'utf8').trim().split('\n');
}

/** The levels that rows make, moment by moment, as `side price amount` in order. */
function levelsAt(rows: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const levels = new Map<string, string>();
  const moments = new Map<string, readonly string[]>();
  for (const row of rows.slice(1)) {
    const [exchange, symbol, ts = '', localTs, , side, price, amount = ''] = row.split(',');
    expect([exchange, symbol, localTs]).toEqual(['slotbook', MARKET, ts]);
    if (amount === '0') levels.delete(`${side} ${price}`);
    else levels.set(`${side} ${price}`, amount);
    moments.set(ts, [...levels].map((level) => level.join(' ')).sort());
  }
  return moments;
}

/** The levels of each /l2 that was served, in the same form. */
function levelsShown(shown: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const moments = [...shown].map(([moment, text]) => {
    const bodies = text
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line));
    const body = bodies.find(
      (one) => one.marketName === MARKET && !('maker' in (one.bids[0] ?? {})),
    );
    const rows = (['bid', 'ask'] as const).flatMap((side) =>
      body[`${side}s`].flatMap(
        ({ price, sources }: { price: string; sources: { dlob?: string } }) =>
          sources.dlob === undefined
            ? []
            : [`${side} ${Number(price) / 1e6} ${Number(sources.dlob) / 1e9}`],
      ),
    );
    return [`${moment.split(' ')[1]}000`, rows.sort()] as const;
  });
  return new Map(moments);
}

test('the rows of an export make the book of each moment, from any time on', async () => {
  const { folder, book } = await journalOfLife();
  const shown = levelsShown(book.shown);
  const from = '1750000010000';
  for (const flags of [{}, { from, to: '1750000015000' }]) {
    const rows = await exported(folder, flags);
    expect(rows[0]).toBe('exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount');
    const made = levelsAt(rows);
    expect(made.size).toBeGreaterThan(3);
    const [[first = ''] = [], [last = ''] = []] = [[...made.keys()], [...made.keys()].slice(-1)];
    let levels: readonly string[] | undefined;
    for (const [ts, expected] of shown) {
      if (ts < first || ts > last) continue;
      levels = made.get(ts) ?? levels;
      expect(levels, ts).toEqual(expected);
    }
  }
});

test('lines of JSON have slot and seq', async () => {
  const { folder } = await journalOfLife();
  const [line = ''] = await exported(folder, { format: 'jsonl' });
  expect(JSON.parse(line)).toMatchObject({ slot: 350_000_000, seq: 1, isSnapshot: true });
});

test('an export that is stopped or fails leaves no file', async () => {
  const { folder } = await journalOfLife();
  const out = path.join(newFolder(), 'out');
  expect(await exportBook(folder, { market: MARKET, out }, AbortSignal.abort())).toBe(false);
  await expect(exportBook(folder, { market: 'X-PERP', out }, never)).rejects.toThrow(
    '--market was X-PERP',
  );
  expect([existsSync(out), existsSync(`${out}.part`)]).toEqual([false, false]);
});
