/** The comparison of two servers' books, on plain data. */
import { expect, test } from 'vitest';
import { MarketPair, type ShadowSide } from './market-pair.js';
import { shadowReport } from './report.js';
import { readServerBook } from './server-book.js';

type Bids = Readonly<Record<string, number>>;

const start = () => new MarketPair('SOL-PERP', 0, 1);

function rowsOf(bids: Bids): ReadonlyMap<string, string> {
  return new Map(Object.entries(bids).map(([price, size]) => [`bid level ${price}`, `${size}`]));
}

/** Polls one server, whose slots take 400 ms; without `chain` nothing judges the book. */
function poll(
  pair: MarketPair,
  side: ShadowSide,
  shown: {
    readonly atMs: number;
    readonly bids: Bids;
    readonly slot?: number;
    readonly chain?: Bids;
  },
): void {
  const { atMs, bids, slot = Math.floor(atMs / 400), chain } = shown;
  const book = { slot, rows: rowsOf(bids), reaches: () => true };
  const rows = rowsOf(chain ?? {});
  const around = { before: rows, after: rows, slot: Math.floor(atMs / 400) };
  pair.addBook({ side, book, atMs, chain: chain === undefined ? null : around });
}

test('a level that one server lacks for seconds is its fault when the chain has the level', () => {
  const pair = start();
  const chain = { 10: 5, 9: 7 };
  for (let atMs = 0; atMs <= 5_000; atMs += 500) {
    poll(pair, 'slotbook', { atMs, bids: chain, chain });
    poll(pair, 'other', { atMs, bids: { 10: 5 }, chain });
  }
  expect([...pair.sides.slotbook.wrong]).toEqual([]);
  expect([...pair.sides.other.wrong]).toEqual(['bid level 9']);
  expect(pair.listDifferences()).toEqual([
    {
      ...{ market: 'SOL-PERP', level: 'bid level 9' },
      ...{ slotbook: '7', other: null, chain: '7', right: 'slotbook' },
    },
  ]);
  expect(pair.counts).toMatchObject({ pairs: 11, sameSlot: 11, differing: 11 });
});

test('a level of which the chain knows nothing is wrong on the side that shows it', () => {
  const pair = start();
  for (let atMs = 0; atMs <= 5_000; atMs += 500) {
    poll(pair, 'slotbook', { atMs, bids: { 10: 5, 8: 1 }, chain: { 10: 5 } });
    poll(pair, 'other', { atMs, bids: { 10: 5 }, chain: { 10: 5 } });
  }
  expect(pair.listDifferences()).toMatchObject([{ level: 'bid level 8', right: 'other' }]);
  expect([...pair.sides.slotbook.wrong]).toEqual(['bid level 8']);
});

test('without a chain a lasting difference is told, and not judged', () => {
  const pair = start();
  for (let atMs = 0; atMs <= 5_000; atMs += 500) {
    poll(pair, 'slotbook', { atMs, bids: { 10: 5 } });
    poll(pair, 'other', { atMs, bids: { 10: 6 } });
  }
  expect(pair.listDifferences()).toMatchObject([
    { level: 'bid level 10', slotbook: '5', other: '6', right: 'not judged' },
  ]);
});

test('an update in flight is a lead of the server that showed it first', () => {
  const pair = start();
  for (let step = 0; step < 10; step += 1) {
    const [atMs, chain] = [step * 1_000, { 10: step + 1 }];
    poll(pair, 'slotbook', { atMs, bids: chain, chain });
    poll(pair, 'other', { atMs: atMs + 100, bids: { 10: Math.max(1, step) }, chain });
    poll(pair, 'other', { atMs: atMs + 300, bids: chain, chain });
  }
  expect(pair.listDifferences()).toEqual([]);
  expect(pair.counts.differing).toBeGreaterThan(0);
  expect(pair.sides.slotbook.leads).toEqual(Array(9).fill(300));
  expect(pair.sides.other.leads).toEqual([]);
});

test('a book that stands still is stale, is no pair, and is wrong when it lags too far', () => {
  const pair = start();
  const chain = { 10: 5 };
  for (let atMs = 0; atMs <= 20_000; atMs += 500) {
    poll(pair, 'slotbook', { atMs, bids: chain, chain });
    poll(pair, 'other', { atMs, slot: 3, bids: chain, chain });
  }
  const { slotbook, other } = pair.sides;
  for (const side of [slotbook, other]) side.moveSlot(Number.POSITIVE_INFINITY, 20_000);
  expect([slotbook.staleMs, other.staleMs]).toEqual([0, 20_000]);
  expect([...pair.sides.other.wrong]).toEqual(['slot']);
  expect(pair.counts.pairs).toBeLessThan(12);
});

test('a body of a dlob-server: orders alone, as far as its depth reaches', () => {
  const level = (price: number, sources: object) => ({ price: `${price}`, size: '9', sources });
  const body = JSON.stringify({
    bids: [level(10, { vamm: '9' }), level(9, { dlob: '4', vamm: '5' }), level(8, { vamm: '9' })],
    asks: [level(11, { dlob: '9' })],
    slot: 7,
  });
  const book = readServerBook(body, 3, false);
  expect(book).toMatchObject({ slot: 7 });
  expect([...book.rows]).toEqual([
    ['bid level 9', '4'],
    ['ask level 11', '9'],
  ]);
  const names = ['bid level 8', 'bid level 7', 'ask level 99'];
  expect(names.map(book.reaches)).toEqual([true, false, true]);
  expect(() => readServerBook(body, 3, true)).toThrow('the book is undefined');
});

test('levels beyond the reach of the other book are no difference', () => {
  const pair = start();
  const book = { slot: 1 };
  const far = { ...book, rows: rowsOf({ 10: 1, 9: 1 }), reaches: () => true };
  const near = { ...book, rows: rowsOf({ 10: 1 }), reaches: (name: string) => /10$/.test(name) };
  pair.addBook({ side: 'slotbook', book: far, atMs: 0, chain: null });
  pair.addBook({ side: 'other', book: near, atMs: 0, chain: null });
  expect(pair.counts).toMatchObject({ pairs: 1, sameSlot: 1, levels: 1, differing: 0 });
});

test('the page has no script, and escapes text', () => {
  const pair = new MarketPair('<script>&"', 0, 1);
  for (let atMs = 0; atMs <= 5_000; atMs += 500) {
    poll(pair, 'slotbook', { atMs, bids: { 10: 5 } });
    poll(pair, 'other', { atMs, bids: {} });
  }
  const { html } = shadowReport([pair], { slotbook: 'a:1', other: 'b:2' }, 5);
  expect(html).toContain('<li>&#60;script&#62;&#38;&#34; bid level 10: slotbook 5, other none');
  expect(html).not.toMatch(/<script|https?:|<link|<img/);
});
