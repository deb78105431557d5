import type { Core } from '@slotbook/core/native';

/** Hashes of a market's contents, 16 hexadecimal digits each. */
export interface MarketHash {
  /** Hash of the chain's data: orders, the market's and the exchange's accounts, and the oracle. */
  readonly chain: string;
  /** Hash of the quotes and external levels; zeros without any. */
  readonly offers: string;
}

/** The parts of a market's hash. */
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

/** The clock's slot and unix seconds come first, then two numbers for each market. */
const CLOCK_BYTES = 16;
const MARKET_BYTES = 16;

/**
 * Hashes of one core's markets as of the last turn. Cores with equal contents have equal hashes,
 * whatever the order of their updates.
 */
export class MarketHashes {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * The hashes of all markets, indexed by id. The first call reads all orders; later calls take
   * microseconds.
   */
  readAll(): readonly MarketHash[] {
    const bytes = this.#core.marketHashes();
    const hex = (at: number): string => bytes.readBigUInt64LE(at).toString(16).padStart(16, '0');
    const count = (bytes.length - CLOCK_BYTES) / MARKET_BYTES;
    return Array.from({ length: count }, (_, id) => {
      const at = CLOCK_BYTES + id * MARKET_BYTES;
      return { chain: hex(at), offers: hex(at + 8) };
    });
  }

  /** The parts of a market's hash; null for an unknown market. */
  readParts(market: number): MarketHashParts | null {
    const text = this.#core.marketHashParts(market);
    return text === null ? null : (JSON.parse(text) as MarketHashParts);
  }

  /** All open orders of a market, ordered by maker and id. Slow: reads the orders of all markets. */
  readOrders(market: number): readonly OrderHash[] {
    return JSON.parse(this.#core.orderHashes(market)) as readonly OrderHash[];
  }
}
