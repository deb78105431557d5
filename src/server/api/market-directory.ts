import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';

/**
 * Returns a directory of the markets with these names, in any case; without names, of all markets. The
 * spot markets of Velocity have no orders, and are not listed.
 */
export function directoryOf(
  markets: MarketDirectory & Pick<BookSource, 'program'>,
  names: readonly string[],
): MarketDirectory {
  const isWhole = names.length === 0 && markets.program === 'drift';
  return isWhole ? markets : new FilteredDirectory(markets, names);
}

/** Returns the names that no market has, in the given order. */
export function missingMarkets(
  markets: Pick<MarketDirectory, 'markets'>,
  names: readonly string[],
): readonly string[] {
  const known = new Set(markets.markets().map(({ symbol }) => symbol.toUpperCase()));
  return names.filter((name) => !known.has(name.toUpperCase()));
}

/**
 * Lists only the markets that are served. The book also holds the other markets, because the name
 * of a market is known only after its account has been read.
 */
class FilteredDirectory implements MarketDirectory {
  readonly #all: MarketDirectory & Pick<BookSource, 'program'>;
  readonly #names: ReadonlySet<string>;
  #lastOfAll: readonly MarketInfo[] = [];
  #listed: readonly MarketInfo[] = [];

  constructor(all: MarketDirectory & Pick<BookSource, 'program'>, names: readonly string[]) {
    this.#all = all;
    this.#names = new Set(names.map((name) => name.toUpperCase()));
  }

  markets(): readonly MarketInfo[] {
    const all = this.#all.markets();
    if (all !== this.#lastOfAll) {
      this.#lastOfAll = all;
      this.#listed = all.filter((market) => this.#isListed(market));
    }
    return this.#listed;
  }

  findMarket(name: string): MarketInfo | undefined {
    const market = this.#all.findMarket(name);
    return market !== undefined && this.#isListed(market) ? market : undefined;
  }

  #isListed({ symbol, marketType }: MarketInfo): boolean {
    if (marketType === 'spot' && this.#all.program === 'velocity') return false;
    return this.#names.size === 0 || this.#names.has(symbol.toUpperCase());
  }
}

/**
 * Sorts perpetual markets first, each kind by index, so that the order in which accounts arrived
 * has no effect.
 */
export function sortedMarkets(directory: Pick<MarketDirectory, 'markets'>): readonly MarketInfo[] {
  return [...directory.markets()].sort((left, right) => {
    if (left.marketType !== right.marketType) return left.marketType === 'perp' ? -1 : 1;
    return left.marketIndex - right.marketIndex;
  });
}
