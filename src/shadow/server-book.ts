/** Parses an /l2 body of a slotbook or of a dlob-server: the levels of orders on chain. */
import { integer, list, object, parseExact, record, text, whole } from '../client/fields.js';
import type { Rows } from '../verify/book-text.js';

/** A book as a server showed it. */
export interface ServerBook {
  readonly slot: number;
  /** The size of orders, at 1e9, by `bid level PRICE` and `ask level PRICE`. */
  readonly rows: Rows;
  /** Whether the book reaches as far as a level, whether or not it has the level. */
  readonly reaches: (name: string) => boolean;
}

const level = object({ price: integer, size: integer }, { sources: record(integer) });
const l2 = object({ slot: whole, bids: list(level), asks: list(level) }, { state: text });

/**
 * Parses a body that was asked for with this depth. Levels of an AMM and indicative quotes are left
 * out. Throws an error when the body is invalid, or of a slotbook that is not live.
 */
export function readServerBook(body: string, depth: number, isSlotbook: boolean): ServerBook {
  const { slot, state, bids, asks } = l2(parseExact(body), 'the body');
  if (isSlotbook && state !== 'live') throw new Error(`the book is ${state}`);
  const rows = new Map<string, string>();
  for (const [side, levels] of [['bid', bids] as const, ['ask', asks] as const]) {
    for (const { price, size, sources } of levels) {
      const ofOrders = sources === undefined ? size : (sources['dlob'] ?? 0n);
      const name = `${side} level ${price}`;
      if (ofOrders > 0n) rows.set(name, `${ofOrders + BigInt(rows.get(name) ?? 0)}`);
    }
  }
  const lastOf = (levels: typeof bids) =>
    levels.length < depth ? undefined : levels.at(-1)?.price;
  const [lastBid, lastAsk] = [lastOf(bids), lastOf(asks)];
  const reaches = (name: string): boolean => {
    const price = BigInt(name.split(' ')[2] ?? 0);
    if (name.startsWith('bid')) return lastBid === undefined || price >= lastBid;
    return lastAsk === undefined || price <= lastAsk;
  };
  return { slot, rows, reaches };
}

/** Returns the rows as far as a book reaches. */
export function rowsWithin(rows: Rows, { reaches }: ServerBook): Rows {
  return new Map([...rows].filter(([name]) => reaches(name)));
}
