import type { MarketKey } from '../../contract/markets.js';
import { newNonce } from '../model/nonce.js';

/**
 * The version of each market's stored data. A version is never reused, also not by another run, and
 * is posted before the first body that it covers.
 */
export class MarketVersions {
  readonly #nonce: string;
  readonly #known = new Set<MarketKey>();
  #count = 0;

  constructor(random: () => number) {
    this.#nonce = newNonce(random);
  }

  bumpVersions(markets: Iterable<MarketKey>): readonly (readonly [MarketKey, string])[] {
    this.#count += 1;
    const version = `${this.#nonce}.${this.#count.toString(36)}`;
    return [...markets].map((market) => {
      this.#known.add(market);
      return [market, version] as const;
    });
  }

  /** Returns new versions for these markets and all earlier ones, after the store was replaced. */
  renewVersions(markets: Iterable<MarketKey>): readonly (readonly [MarketKey, string])[] {
    return this.bumpVersions(new Set([...this.#known, ...markets]));
  }
}
