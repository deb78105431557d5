import type { MarketKey } from '../model/records.js';

/**
 * Names for what is stored of each market. No name is used twice, not by another run either, and each
 * is told before the first body that it stands for.
 */
export class Versions {
  readonly #nonce = Date.now().toString(36);
  readonly #known = new Set<MarketKey>();
  #count = 0;

  /** New names for the markets that changed. */
  bump(markets: Iterable<MarketKey>): readonly (readonly [MarketKey, string])[] {
    this.#count += 1;
    const version = `${this.#nonce}.${this.#count.toString(36)}`;
    return [...markets].map((market) => {
      this.#known.add(market);
      return [market, version] as const;
    });
  }

  /** Another store is open: whatever was told of the last one, of these and others, is no longer so. */
  renew(markets: Iterable<MarketKey>): readonly (readonly [MarketKey, string])[] {
    return this.bump(new Set([...this.#known, ...markets]));
  }
}
