import type { Core } from '@slotbook/core';

/** What a market holds as hashes, 16 hexadecimal digits each. */
export interface MarketHash {
  /** What the chain says: orders, the accounts of market and exchange, and the oracle. */
  readonly chain: string;
  /** What makers and venues offer besides; zeros for nothing. */
  readonly offers: string;
}

/** What the hash of a market is made of. */
export interface MarketHashParts {
  readonly orders: string;
  readonly account: string;
  readonly exchange: string;
  readonly oracle: string;
  readonly indicative: string;
  readonly external: string;
}

/** One open order, shown or not. */
export interface OrderHash {
  /** The user account, base58. */
  readonly maker: string;
  readonly orderId: number;
  readonly hash: string;
}

/** Slot and unix seconds of the clock come first, then two numbers a market. */
const CLOCK_BYTES = 16;
const MARKET_BYTES = 16;

/**
 * The hashes of what the markets of one core hold, as of the last turn: equal for cores that hold the same, however they came
 * to it.
 */
export class MarketHashes {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** All markets by their ids. The first call reads all orders, later ones take microseconds. */
  readAll(): readonly MarketHash[] {
    const bytes = this.#core.marketHashes();
    const hex = (at: number): string => bytes.readBigUInt64LE(at).toString(16).padStart(16, '0');
    const count = (bytes.length - CLOCK_BYTES) / MARKET_BYTES;
    return Array.from({ length: count }, (_, id) => {
      const at = CLOCK_BYTES + id * MARKET_BYTES;
      return { chain: hex(at), offers: hex(at + 8) };
    });
  }

  /** The parts of a market's hash; null for an id without a market. */
  readParts(market: number): MarketHashParts | null {
    const text = this.#core.marketHashParts(market);
    return text === null ? null : (JSON.parse(text) as MarketHashParts);
  }

  /** All open orders of a market, by maker and id. Reads all orders of all markets. */
  readOrders(market: number): readonly OrderHash[] {
    return JSON.parse(this.#core.orderHashes(market)) as readonly OrderHash[];
  }
}
