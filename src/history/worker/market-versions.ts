import type { MarketKey } from '../../contract/markets.js';
import { newNonce } from '../model/nonce.js';

/**
 * Names for what is stored of each market. No name is used twice, not by another run either, and each
 * is posted before the first body that it stands for.
 */
export class MarketVersions {
  readonly #nonce: string;
  readonly #known = new Set<MarketKey>();
  #count = 0;

  constructor(random: () => number) {
    this.#nonce = newNonce(random);
  }

  /** New names for the markets that changed. */
  bumpVersions(markets: Iterable<MarketKey>): readonly (readonly [MarketKey, string])[] {
    this.#count += 1;
    const version = `${this.#nonce}.${this.#count.toString(36)}`;
    return [...markets].map((market) => {
      this.#known.add(market);
      return [market, version] as const;
    });
  }

  /** New names for these markets and all earlier ones, because another store is open. */
  renewVersions(markets: Iterable<MarketKey>): readonly (readonly [MarketKey, string])[] {
    return this.bumpVersions(new Set([...this.#known, ...markets]));
  }
}
