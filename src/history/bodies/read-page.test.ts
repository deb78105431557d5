/** Pages have no duplicates or holes while rows arrive and their positions change. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TradesQuery } from '../../contract/history-queries.js';
import { cursorOf } from './cursor.js';
import { makeBody } from './make-body.js';
import { fundingRow, MemoryRows, SOL_PERP, tradeRow } from './testing.js';

const QUERY: TradesQuery = { kind: 'trades', market: 'perp_0', limit: 10, form: 'spec' };

interface Read {
  readonly ids: readonly number[];
  readonly next: string | null;
  readonly isFinal: boolean | undefined;
}

function read(reader: MemoryRows, change: Partial<TradesQuery> = {}, finalisedSlot = 0): Read {
  const context = { reader, market: SOL_PERP, finalisedSlot };
  const { body, nextCursor, isFinal } = makeBody({ ...QUERY, ...change }, context);
  const rows: { fillRecordId: number }[] = JSON.parse(Buffer.from(body).toString());
  return { ids: rows.map(({ fillRecordId }) => fillRecordId), next: nextCursor, isFinal };
}

/** `slots[n]` is the slot of fill n + 1; places and indexes ascend. */
function rowsAt(slots: readonly number[]): MemoryRows {
  const reader = new MemoryRows();
  for (const [at, slot] of slots.entries()) {
    reader.tradeRows.push(tradeRow({ slot, place: at, index: 0, fillRecordId: BigInt(at + 1) }));
  }
  return reader;
}

function countDown(from: number, to: number): number[] {
  return Array.from({ length: from - to + 1 }, (_, at) => from - at);
}

function numbers(count: number, slotOf: (at: number) => number): number[] {
  return Array.from({ length: count }, (_, at) => slotOf(at));
}

/** Follows the cursors to the end, with a callback before each further page. */
function walk(reader: MemoryRows, limit: number, between: (page: number) => void = () => {}) {
  const ids: number[] = [];
  let before: string | null = null;
  for (let page = 0; page < 1_000; page += 1) {
    const found: Read = read(reader, before === null ? { limit } : { limit, before });
    ids.push(...found.ids);
    if (found.next === null) return ids;
    before = found.next;
    between(page);
  }
  throw new Error('the pages have no end');
}

describe('pages by cursor', () => {
  // Specification: path-trades, path-trades-page.
  test.each([1, 2, 3, 7, 10, 99, 100, 101])('of %i rows are all rows, each once', (limit) => {
    const reader = rowsAt(numbers(100, (at) => 10 + Math.floor(at / 3)));
    expect(walk(reader, limit)).toEqual(countDown(100, 1));
  });

  test('trades that arrive between pages move nothing', () => {
    const reader = rowsAt(numbers(50, (at) => at));
    let id = 50n;
    const arrive = (): void => {
      id += 1n;
      reader.tradeRows.push(tradeRow({ slot: Number(id), fillRecordId: id }));
    };
    expect(walk(reader, 7, arrive)).toEqual(countDown(50, 1));
  });

  test('a trade that is found later, in front of the last of a page, is on the next', () => {
    const reader = rowsAt([10, 10, 20]);
    const [late] = reader.tradeRows.splice(0, 1);
    const first = read(reader, { limit: 1 });
    expect(first).toMatchObject({ ids: [3] });
    const second = read(reader, { limit: 1, before: first.next ?? '' });
    // The provisional place of fill 2 was 0, which is now the place of fill 1.
    reader.tradeRows[0] = tradeRow({ slot: 10, place: 1, index: 0, fillRecordId: 2n });
    if (late !== undefined) reader.tradeRows.push(late);
    const again = read(reader, { limit: 1, before: first.next ?? '' });
    expect(second).toEqual({ ids: [2], next: null, isFinal: false });
    expect(again.ids).toEqual([2]);
    expect(read(reader, { limit: 1, before: again.next ?? '' }).ids).toEqual([1]);
  });

  test('places that move within a slot between pages move nothing', () => {
    const reader = rowsAt(numbers(60, (at) => Math.floor(at / 20)));
    const shuffle = (page: number): void => {
      const moved = reader.tradeRows.map((row, at) => ({
        ...row,
        place: (at * 7 + page * 3) % 20,
      }));
      reader.tradeRows.splice(0, 60, ...moved);
    };
    shuffle(0);
    expect(walk(reader, 7, shuffle)).toEqual(countDown(60, 1));
  });

  test('places that are equal by chance lose nothing', () => {
    const reader = rowsAt(numbers(90, (at) => Math.floor(at / 45)));
    const same = reader.tradeRows.map((row) => ({ ...row, place: 0 }));
    reader.tradeRows.splice(0, 90, ...same);
    expect(walk(reader, 3)).toEqual(countDown(90, 1));
  });

  test('more rows of one slot than a page and a half have do not stop it', () => {
    const reader = rowsAt(numbers(200, () => 9));
    expect(walk(reader, 3)).toEqual(countDown(200, 1));
  });

  test('a page costs the same wherever it is', () => {
    const reader = rowsAt(numbers(1_000, (at) => at));
    const cost = (id: number): number => {
      reader.rowsRead = 0;
      read(reader, { before: cursorOf({ slot: id - 1, id: BigInt(id) }, QUERY) });
      return reader.rowsRead;
    };
    expect([cost(1_000), cost(500), cost(100)]).toEqual([cost(60), cost(60), cost(60)]);
    expect(cost(60)).toBeLessThan(50);
  });

  test('a page of finalised trades without a hole is final, and no other', () => {
    const reader = rowsAt(numbers(40, (at) => at));
    const before = cursorOf({ slot: 30, id: 31n }, QUERY);
    expect(read(reader, { before }, 30)).toMatchObject({ ids: countDown(30, 21), isFinal: true });
    expect(read(reader, { before }, 29).isFinal).toBe(false);
    expect(read(reader, { before, limit: 30 }, 30).isFinal).toBe(false);
    expect(read(reader, { pageIndex: 1 }, 40).isFinal).toBeUndefined();
    reader.tradeRows.splice(25, 1);
    expect(read(reader, { before }, 30).isFinal).toBe(false);
  });
});

describe('pages by number', () => {
  test('are all rows, each once, the newest first', () => {
    const reader = rowsAt(numbers(25, (at) => Math.floor(at / 4)));
    const pages = [0, 1, 2, 3].map((pageIndex) => read(reader, { pageIndex }).ids);
    expect(pages.flat()).toEqual(countDown(25, 1));
    expect(pages.map((ids) => ids.length)).toEqual([10, 10, 5, 0]);
  });

  test.each([1, 2, 3, 7, 10, 33, 64])(
    'of %i rows lose and double nothing while the places of a slot are not those of its numbers',
    (limit) => {
      const slotRows = [1, 2, 31, 1, 90, 5, 33, 32, 6];
      const reader = rowsAt(slotRows.flatMap((count, slot) => numbers(count, () => slot)));
      const all = reader.tradeRows.length;
      const orders = [(at: number) => 200 - at, (at: number) => (at * 7) % 20, () => 0];
      for (const placeOf of orders) {
        const moved = reader.tradeRows.map((row, at) => ({ ...row, place: placeOf(at) }));
        reader.tradeRows.splice(0, all, ...moved);
        const pages = numbers(Math.ceil(all / limit) + 1, (pageIndex) => pageIndex);
        const ids = pages.flatMap((pageIndex) => read(reader, { limit, pageIndex }).ids);
        expect(ids).toEqual(countDown(all, 1));
      }
    },
  );

  test('go on by cursor where they end', () => {
    const reader = rowsAt(numbers(25, (at) => at));
    const { next } = read(reader, { pageIndex: 1 });
    expect(read(reader, { before: next ?? '' }).ids).toEqual(countDown(5, 1));
    expect(read(reader, { pageIndex: 2 }).next).toBeNull();
  });
});

describe('a cursor', () => {
  const reader = rowsAt([1, 2, 3]);
  const good = read(reader, { limit: 1 }).next ?? '';
  const refused = (before: string, change: Partial<TradesQuery> = {}) => {
    try {
      read(reader, { before, ...change });
      return undefined;
    } catch (error) {
      return error;
    }
  };

  test('of another market is refused', () => {
    for (const market of ['perp_1', 'spot_0', 'perp_65535'] as const) {
      const message = expect.stringContaining('of this market');
      expect(refused(good, { market })).toMatchObject({ code: 'INVALID_PARAM', message });
    }
  });

  test('of funding rates is refused', () => {
    const rates = new MemoryRows();
    rates.fundingRows.push(fundingRow(), fundingRow({ slot: 2, recordId: 2n }));
    const query = { kind: 'fundingRates', market: 'perp_0', limit: 1, since: 0 } as const;
    const context = { reader: rates, market: SOL_PERP, finalisedSlot: 0 };
    const { nextCursor } = makeBody({ ...query, form: 'spec' }, context);
    expect(nextCursor).not.toBeNull();
    expect(refused(nextCursor ?? '')).toMatchObject({ code: 'INVALID_PARAM', param: 'before' });
  });

  test.each([
    ['empty', ''],
    ['short', good.slice(1)],
    ['long', `${good}A`],
    ['padded', `${good.slice(0, 22)}==`],
    ['of the other alphabet', `${good.slice(0, 23)}+`],
    ['with a byte of zero', `${good.slice(0, 23)}\0`],
    ['of nothing', 'A'.repeat(24)],
    ['of everything', '_'.repeat(24)],
    ['JSON', Buffer.from('{"slot":9999999999}').toString('base64url')],
    ['a number', '123'],
  ])('that is %s is refused by its parameter', (_, before) => {
    expect(refused(before)).toMatchObject({ code: 'INVALID_PARAM', param: 'before' });
    const records = refused(before, { form: 'records' });
    expect(records).toMatchObject({ code: 'INVALID_PARAM', param: 'page' });
  });

  test('of any text or bytes is answered or refused, and never anything else', () => {
    const head = Buffer.from(good, 'base64url').subarray(0, 4);
    const made = fc
      .uint8Array({ minLength: 14, maxLength: 14 })
      .map((bytes) => Buffer.concat([head, bytes]).toString('base64url'));
    const bytes = fc
      .uint8Array({ maxLength: 40 })
      .map((some) => Buffer.from(some).toString('base64url'));
    fc.assert(
      fc.property(made, (before) => {
        expect(refused(before)).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), bytes), (before) => {
        expect(refused(before)).toMatchObject({ code: 'INVALID_PARAM', param: 'before' });
      }),
    );
  });

  test('of any slot and number is answered', () => {
    for (const slot of [0, 2 ** 48 - 2]) {
      for (const id of [-1n, 0n, 2n ** 64n - 1n]) {
        expect(read(reader, { before: cursorOf({ slot, id }, QUERY) }).next).toBeNull();
      }
    }
  });

  test('is read as it was written', () => {
    expect(good).toMatch(/^[\w-]{24}$/);
    expect(cursorOf({ slot: 3, id: 3n }, QUERY)).toBe(good);
  });
});
