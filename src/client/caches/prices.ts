/** The mark and oracle prices of markets, by market key. */
import type { Price } from '../amounts.js';
import type { L2Book } from '../generated/books.js';
import { type MarketKey, marketKey } from '../keys.js';
import { type Lookup, LookupCache } from './lookup.js';

/** The mark price of a market, and the best prices from which it is derived. */
export interface MarkPriceData {
  readonly markPrice: Price;
  /** Null where the side is empty. */
  readonly bestBid: Price | null;
  readonly bestAsk: Price | null;
  readonly lastUpdateSlot: number;
}

/** The price of a market's oracle. */
export interface OraclePriceData {
  readonly price: Price;
  /**
   * Of perp markets: the price of the market makers' oracle while the program uses it, otherwise
   * the market's oracle price; gains are computed at this price. Null when the service does not
   * send it.
   */
  readonly mmPrice: Price | null;
  /** The slot of the oracle price. */
  readonly slot: number;
  readonly confidence: Price;
  readonly hasSufficientNumberOfDataPoints: boolean;
}

/**
 * Mark prices. Callbacks receive the markets that have changed.
 *
 * @example
 * const marks = new MarkPriceCache();
 * marks.updateMarkPrices([await http.l2({ marketName: 'SOL-PERP' })]);
 * marks.getMarkPrice('perp_0');
 */
export class MarkPriceCache {
  readonly #cache = new LookupCache<MarkPriceData>();

  /** All cached prices. */
  get store(): Lookup<MarkPriceData> {
    return this.#cache.store;
  }

  /** Registers a listener for changed markets; returns its unsubscribe function. */
  onUpdate(listener: (changed: Lookup<MarkPriceData>) => void): () => void {
    return this.#cache.onUpdate(listener);
  }

  /** Clears all prices and listeners. */
  destroy(): void {
    this.#cache.destroy();
  }

  /** Updates mark prices from /l2 books that are newer than the cached prices. */
  updateMarkPrices(books: Iterable<L2Book>): void {
    this.#cache.update(
      Array.from(books, (book) => {
        const { markPrice, bestBidPrice, bestAskPrice, slot, ts, epoch } = book;
        const best = { bestBid: bestBidPrice, bestAsk: bestAskPrice };
        const value = { markPrice, ...best, lastUpdateSlot: slot };
        return { key: keyOf(book), value, stamp: { slot, ts, epoch } };
      }),
    );
  }

  /** Null before the first. */
  getMarkPrice(key: MarketKey): Price | null {
    return this.#cache.get(key)?.markPrice ?? null;
  }

  /** Null before the first. */
  getMarkPriceData(key: MarketKey): MarkPriceData | null {
    return this.#cache.get(key) ?? null;
  }
}

/**
 * Oracle prices. Callbacks receive the markets that have changed.
 *
 * @example
 * const oracles = new OraclePriceCache();
 * oracles.updateOraclePrices([await http.l2({ marketName: 'SOL-PERP' })]);
 * oracles.getOraclePrice('perp_0');
 */
export class OraclePriceCache {
  readonly #cache = new LookupCache<OraclePriceData>();

  /** All cached prices. */
  get store(): Lookup<OraclePriceData> {
    return this.#cache.store;
  }

  /** Registers a listener for changed markets; returns its unsubscribe function. */
  onUpdate(listener: (changed: Lookup<OraclePriceData>) => void): () => void {
    return this.#cache.onUpdate(listener);
  }

  /** Clears all prices and listeners. */
  destroy(): void {
    this.#cache.destroy();
  }

  /** Updates oracle prices from /l2 books that are newer than the cached prices. */
  updateOraclePrices(books: Iterable<L2Book>): void {
    this.#cache.update(Array.from(books).flatMap((book) => oracleOf(book)));
  }

  /** Null before the first. */
  getOraclePrice(key: MarketKey): Price | null {
    return this.#cache.get(key)?.price ?? null;
  }

  /** Null before the first. */
  getOraclePriceData(key: MarketKey): OraclePriceData | null {
    return this.#cache.get(key) ?? null;
  }
}

function oracleOf(book: L2Book) {
  const { price, slot, confidence, hasSufficientNumberOfDataPoints } = book.oracleData;
  if (price === undefined || slot === undefined || confidence === undefined) return [];
  const value: OraclePriceData = {
    price,
    mmPrice: book.mmOracleData.price ?? null,
    slot: Number(slot),
    confidence,
    hasSufficientNumberOfDataPoints: hasSufficientNumberOfDataPoints ?? false,
  };
  const stamp = { slot: value.slot, ts: book.ts, epoch: book.epoch };
  return [{ key: keyOf(book), value, stamp }];
}

function keyOf({ marketType, marketIndex }: L2Book): MarketKey {
  return marketKey(marketType, marketIndex);
}
