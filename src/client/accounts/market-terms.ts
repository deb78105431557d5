/** Markets, their prices, and the terms that positions need from them. */
import { type MarketKey, marketIdOfKey, marketKey } from '../keys.js';
import type { MarketTermsSource } from './account-margin.js';
import type { OracleMarkets } from './liquidation-price.js';
import { FIRST_TOO_VOLATILE_RATIO, isMmOracleUsed } from './math/mm-oracle.js';
import { type PerpMarketFacts, type PerpTerms, perpTerms } from './math/perp.js';
import {
  balanceUnitOf,
  isAverageMoved,
  type SpotMarketFacts,
  type SpotTerms,
  spotTerms,
} from './math/spot.js';

/**
 * The prices of one market, 1e6; null for an unknown price. A price that is not positive counts as
 * unknown.
 */
export interface MarketPrices {
  /** The exchange's oracle. */
  readonly oracle: bigint | null;
  /**
   * Of perp markets: the price of the market makers' oracle while the program uses it, otherwise
   * the price of the market's own oracle, as the service reports it. Null: the price in the market
   * account is used if `isMmOracleUsed`.
   */
  readonly mmOracle: bigint | null;
  /** Of perp markets, the mark price. */
  readonly mark: bigint | null;
  /**
   * The slot of the market's own oracle; without it the market makers' price in the account is
   * never used.
   */
  readonly oracleSlot?: bigint | null;
  /** The sequence id of the oracle account, which orders its updates; null when it has none. */
  readonly oracleSequenceId?: bigint | null;
}

/** The prices of a market whose prices are unknown. */
const NO_PRICES: MarketPrices = { oracle: null, mmOracle: null, mark: null };

/** The price of the quote token when its market has no oracle account. */
const QUOTE_ASSET_PRICE = 1_000_000n;

/**
 * The terms of all markets. All computations use the prices of one moment: the terms of a market
 * are computed on the first read, and again only after its account, price, average or quote market
 * changes.
 *
 * @example
 * const markets = new MarketTerms();
 * const margin = accountMargin(user, markets);
 */
export class MarketTerms implements MarketTermsSource, OracleMarkets {
  readonly #perpFacts = new Map<number, PerpMarketFacts>();
  readonly #spotFacts = new Map<number, SpotMarketFacts>();
  readonly #prices = new Map<MarketKey, MarketPrices>();
  readonly #perpTerms = new Map<number, PerpTerms | null>();
  readonly #spotTerms = new Map<number, SpotTerms | null>();
  /** The time of the last update, seconds, at which live averages are computed. */
  #now = 0n;

  /** Updates a perp market's account. Returns the markets whose terms change. */
  setPerpMarket(facts: PerpMarketFacts, nowS: number): readonly MarketKey[] {
    const known = this.#perpFacts.get(facts.marketIndex)?.amm.oracle;
    this.#perpFacts.set(facts.marketIndex, facts);
    const key = marketKey('perp', facts.marketIndex);
    if (known === facts.amm.oracle) return this.#noteChanged([key], nowS);
    return this.#noteChanged(
      [key, ...this.#readersOf(known), ...this.#readersOf(facts.amm.oracle)],
      nowS,
    );
  }

  /**
   * Updates a spot market's account. Returns the markets whose terms change. Throws
   * MALFORMED_ACCOUNT for more decimals than a token can have, so that later computations never
   * throw.
   */
  setSpotMarket(facts: SpotMarketFacts, nowS: number): readonly MarketKey[] {
    balanceUnitOf(facts);
    const known = this.#spotFacts.get(facts.marketIndex)?.oracle;
    this.#spotFacts.set(facts.marketIndex, facts);
    const key = marketKey('spot', facts.marketIndex);
    if (known === facts.oracle) return this.#noteChanged([key], nowS);
    return this.#noteChanged(
      [key, ...this.#readersOf(known), ...this.#readersOf(facts.oracle)],
      nowS,
    );
  }

  /**
   * Updates the prices of a market. Returns the markets whose terms change; for unchanged prices,
   * the markets whose average has moved with time. Throws INVALID_KEY.
   */
  setPrices(key: MarketKey, prices: MarketPrices, nowS: number): readonly MarketKey[] {
    marketIdOfKey(key);
    const { oracle, mark } = this.prices(key);
    const mmOracle = this.#mmOracle(key);
    const next = {
      ...prices,
      oracle: positivePrice(prices.oracle),
      mmOracle: positivePrice(prices.mmOracle),
      mark: positivePrice(prices.mark),
    };
    this.#prices.set(key, next);
    const isSame = oracle === next.oracle && mark === next.mark && mmOracle === this.#mmOracle(key);
    return this.#noteChanged(isSame ? [] : [key], nowS);
  }

  /** Returns the prices of a market as they were last set. */
  prices(key: MarketKey): MarketPrices {
    return this.#prices.get(key) ?? NO_PRICES;
  }

  /** The facts of a perp market's account. */
  perpMarket(marketIndex: number): PerpMarketFacts | null {
    return this.#perpFacts.get(marketIndex) ?? null;
  }

  /** The facts of a spot market's account. */
  spotMarket(marketIndex: number): SpotMarketFacts | null {
    return this.#spotFacts.get(marketIndex) ?? null;
  }

  /**
   * Returns the terms of a perp market; null while its account, a price or its quote market is
   * unknown.
   */
  perp(marketIndex: number): PerpTerms | null {
    let terms = this.#perpTerms.get(marketIndex);
    if (terms === undefined) {
      terms = this.#newPerpTerms(marketIndex);
      this.#perpTerms.set(marketIndex, terms);
    }
    return terms;
  }

  /** Returns the terms of a spot market; null while its account or price is unknown. */
  spot(marketIndex: number): SpotTerms | null {
    let terms = this.#spotTerms.get(marketIndex);
    if (terms === undefined) {
      terms = this.#newSpotTerms(marketIndex);
      this.#spotTerms.set(marketIndex, terms);
    }
    return terms;
  }

  spotOfOracle(oracle: string): number | null {
    return firstIndex(this.#spotFacts, (facts) => facts.oracle === oracle);
  }

  perpOfOracle(oracle: string): number | null {
    return firstIndex(this.#perpFacts, ({ amm }) => amm.oracle === oracle);
  }

  #newPerpTerms(marketIndex: number): PerpTerms | null {
    const facts = this.#perpFacts.get(marketIndex);
    const key = marketKey('perp', marketIndex);
    const { oracle, mark } = this.prices(key);
    if (facts === undefined) return null;
    // A settled position's value does not depend on the oracle.
    const price = oracle ?? (facts.status === 'settlement' ? facts.expiryPrice : null);
    const quote = this.spot(facts.quoteSpotMarketIndex);
    if (quote === null || price === null) return null;
    return perpTerms(facts, { oracle: price, mmOracle: this.#mmOracle(key) ?? price, mark }, quote);
  }

  /** Returns the price for gains: the price that was set, otherwise the price from the accounts. */
  #mmOracle(key: MarketKey): bigint | null {
    const { marketType, marketIndex } = marketIdOfKey(key);
    const prices = this.prices(key);
    const { mmOracle, oracle } = prices;
    const facts = marketType === 'perp' ? this.#perpFacts.get(marketIndex) : undefined;
    if (mmOracle !== null || oracle === null || facts === undefined) return mmOracle;
    return isOwnMmOracleUsed(facts, { ...prices, oracle }) ? facts.amm.mmOraclePrice : oracle;
  }

  #newSpotTerms(marketIndex: number): SpotTerms | null {
    const facts = this.#spotFacts.get(marketIndex);
    const price = facts === undefined ? null : this.#spotPrice(facts);
    if (facts === undefined || price === null) return null;
    return spotTerms(facts, price, this.#now);
  }

  /**
   * Returns the market's own price, or the price of a perp market that uses the same oracle and
   * oracle source.
   */
  #spotPrice(facts: SpotMarketFacts): bigint | null {
    const { oracle: own } = this.prices(marketKey('spot', facts.marketIndex));
    if (own !== null) return own;
    if (facts.oracleSource === 'quoteAsset') return QUOTE_ASSET_PRICE;
    const perp = firstIndex(this.#perpFacts, (other) => isSameOracle(facts, other));
    return perp === null ? null : this.prices(marketKey('perp', perp)).oracle;
  }

  /** Invalidates terms after changes of markets or time. Returns the affected markets. */
  #noteChanged(keys: readonly MarketKey[], nowS: number): readonly MarketKey[] {
    const changed = new Set<MarketKey>();
    for (const key of [...keys, ...this.#movedBy(BigInt(Math.floor(nowS)))]) {
      this.#addReached(key, changed);
    }
    for (const key of changed) {
      const { marketType, marketIndex } = marketIdOfKey(key);
      (marketType === 'perp' ? this.#perpTerms : this.#spotTerms).delete(marketIndex);
    }
    return [...changed];
  }

  /** Sets the time. Returns the spot markets whose live average changes with it. */
  #movedBy(now: bigint): readonly MarketKey[] {
    if (now === this.#now) return [];
    this.#now = now;
    return Array.from(this.#spotTerms, ([marketIndex, terms]) => ({ marketIndex, terms }))
      .filter(({ terms }) => terms !== null && isAverageMoved(terms, now))
      .map(({ marketIndex }) => marketKey('spot', marketIndex));
  }

  /** Adds a market and all markets whose terms depend on it. */
  #addReached(key: MarketKey, changed: Set<MarketKey>): void {
    if (changed.has(key)) return;
    changed.add(key);
    const { marketType, marketIndex } = marketIdOfKey(key);
    const others =
      marketType === 'perp' ? this.#spotsPricedBy(marketIndex) : this.#perpsQuotedIn(marketIndex);
    for (const other of others) this.#addReached(other, changed);
  }

  #spotsPricedBy(perpIndex: number): readonly MarketKey[] {
    const perp = this.#perpFacts.get(perpIndex);
    if (perp === undefined) return [];
    return [...this.#spotFacts.values()]
      .filter((facts) => isSameOracle(facts, perp))
      .map((facts) => marketKey('spot', facts.marketIndex))
      .filter((key) => this.prices(key).oracle === null);
  }

  #perpsQuotedIn(spotIndex: number): readonly MarketKey[] {
    return [...this.#perpFacts.values()]
      .filter((facts) => facts.quoteSpotMarketIndex === spotIndex)
      .map((facts) => marketKey('perp', facts.marketIndex));
  }

  /** Returns the markets that use an oracle; the first counts for liquidation prices. */
  #readersOf(oracle: string | undefined): readonly MarketKey[] {
    const perps = [...this.#perpFacts.values()].filter(({ amm }) => amm.oracle === oracle);
    const spots = [...this.#spotFacts.values()].filter((facts) => facts.oracle === oracle);
    return [
      ...perps.map(({ marketIndex }) => marketKey('perp', marketIndex)),
      ...spots.map(({ marketIndex }) => marketKey('spot', marketIndex)),
    ];
  }
}

function positivePrice(price: bigint | null): bigint | null {
  return price !== null && price > 0n ? price : null;
}

function isOwnMmOracleUsed(
  { amm }: PerpMarketFacts,
  { oracle, oracleSlot, oracleSequenceId }: MarketPrices & { readonly oracle: bigint },
): boolean {
  // The price of a prelaunch oracle always counts as of the current slot, so it is never older than
  // the market makers' price.
  if (!oracleSlot || amm.oracleSource === 'prelaunch') return false;
  const { mmOraclePrice: price, mmOracleSlot: slot, mmOracleSequenceId: sequenceId } = amm;
  return isMmOracleUsed(
    { price: oracle, slot: oracleSlot, sequenceId: oracleSequenceId ?? 0n },
    { price, slot, sequenceId },
    {
      lastTwap: amm.historicalOracleData.lastOraclePriceTwap,
      tooVolatileRatio: FIRST_TOO_VOLATILE_RATIO,
      ageless: null,
    },
  );
}

function isSameOracle(spot: SpotMarketFacts, { amm }: PerpMarketFacts): boolean {
  return spot.oracle === amm.oracle && spot.oracleSource === amm.oracleSource;
}

function firstIndex<Facts>(
  markets: ReadonlyMap<number, Facts>,
  holds: (facts: Facts) => boolean,
): number | null {
  let found: number | null = null;
  for (const [index, facts] of markets) {
    if ((found === null || index < found) && holds(facts)) found = index;
  }
  return found;
}
