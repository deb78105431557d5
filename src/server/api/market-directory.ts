import type { MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';

/** Lists only the markets with these names, without regard to case; without names, all markets. */
export function directoryOf(markets: MarketDirectory, names: readonly string[]): MarketDirectory {
  return names.length === 0 ? markets : new FilteredDirectory(markets, names);
}

/** The names that no market has, in their order. */
export function missingMarkets(
  markets: Pick<MarketDirectory, 'markets'>,
  names: readonly string[],
): readonly string[] {
  const known = new Set(markets.markets().map(({ symbol }) => symbol.toUpperCase()));
  return names.filter((name) => !known.has(name.toUpperCase()));
}

/**
 * The markets that are listed and served. The book has the others as well, because a market's name is
 * known only after its account has been read.
 */
class FilteredDirectory implements MarketDirectory {
  readonly #all: MarketDirectory;
  readonly #names: ReadonlySet<string>;
  #lastOfAll: readonly MarketInfo[] = [];
  #listed: readonly MarketInfo[] = [];

  constructor(all: MarketDirectory, names: readonly string[]) {
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

  #isListed({ symbol }: MarketInfo): boolean {
    return this.#names.has(symbol.toUpperCase());
  }
}

/** Perpetual markets first, each kind by index: never the order in which accounts arrived. */
export function sortedMarkets(directory: Pick<MarketDirectory, 'markets'>): readonly MarketInfo[] {
  return [...directory.markets()].sort((left, right) => {
    if (left.marketType !== right.marketType) return left.marketType === 'perp' ? -1 : 1;
    return left.marketIndex - right.marketIndex;
  });
}
