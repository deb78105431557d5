import { expect } from 'vitest';
import { type AccountBytes, type BookBodies, bookBodies } from './local-books.js';
import type { Reading } from './service-probe.js';

/** Every served body equals the book rebuilt from these accounts; returns the rebuilt books. */
export function expectBooks(
  { moment, books }: Reading,
  accounts: readonly AccountBytes[],
): readonly BookBodies[] {
  const expected = bookBodies(accounts, moment);
  expect([...books.keys()].sort()).toEqual(expected.map((book) => book.marketName).sort());
  for (const book of expected) {
    const { l2, l3 } = books.get(book.marketName) ?? { l2: {}, l3: {} };
    const { marketName, head, prices, bids, asks } = book;
    const at = { slot: Number(moment.slot), state: 'live', seq: l2['seq'] };
    const levels = { bids: bids.levels, asks: asks.levels, ...head, ...prices, ...at };
    const rows = { bids: bids.rows, asks: asks.rows, ...head, ...at };
    expect(unversioned(l2), `/l2 of ${marketName}`).toEqual(levels);
    expect(unversioned(l3), `/l3 of ${marketName}`).toEqual(rows);
  }
  return expected;
}

/** Removes the members that no account contains. */
function unversioned(body: Readonly<Record<string, unknown>>) {
  const { ts, epoch, marketSlot, ...rest } = body;
  expect([typeof ts, typeof epoch, typeof marketSlot]).toEqual(['number', 'string', 'number']);
  return rest;
}
