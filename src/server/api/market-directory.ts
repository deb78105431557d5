import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo, MarketType } from '../../contract/markets.js';

/**
 * Returns a directory of the markets with these names and keys; without names, of all markets. The
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
  markets: Pick<MarketDirectory, 'findMarket'>,
  names: readonly string[],
): readonly string[] {
  return names.filter((name) => markets.findMarket(name) === undefined);
}

/**
 * The markets that are listed and served. The book has the others as well, because a market's name is
 * known only after its account has been read. A market that had one of the names stays when it is renamed.
 */
class FilteredDirectory implements MarketDirectory {
  readonly #all: MarketDirectory & Pick<BookSource, 'program'>;
  readonly #names: readonly string[];
  readonly #ids = new Set<number | undefined>();
  #lastOfAll: readonly MarketInfo[] = [];
  #listed: readonly MarketInfo[] = [];

  constructor(all: MarketDirectory & Pick<BookSource, 'program'>, names: readonly string[]) {
    this.#all = all;
    this.#names = names;
  }

  markets(): readonly MarketInfo[] {
    const all = this.#all.markets();
    if (all !== this.#lastOfAll) {
      this.#lastOfAll = all;
      for (const name of this.#names) this.#ids.add(this.#all.findMarket(name)?.id);
      this.#listed = all.filter((market) => this.#isListed(market));
    }
    return this.#listed;
  }

  findMarket(name: string): MarketInfo | undefined {
    const market = this.#all.findMarket(name);
    return this.markets().find(({ id }) => id === market?.id);
  }

  #isListed({ id, marketType }: MarketInfo): boolean {
    if (marketType === 'spot' && this.#all.program === 'velocity') return false;
    return this.#names.length === 0 || this.#ids.has(id);
  }
}

/** A market as a request names it. */
export interface NamedMarket {
  readonly name: string;
  readonly type?: MarketType | undefined;
  readonly index?: number | undefined;
}

/** The first market of which all of it is true. */
export function findNamed(
  directory: MarketDirectory,
  { name, type, index }: NamedMarket,
): MarketInfo | undefined {
  const fits = ({ marketType, marketIndex }: MarketInfo): boolean =>
    (type ?? marketType) === marketType && (index ?? marketIndex) === marketIndex;
  const first = directory.findMarket(name);
  if (first === undefined || fits(first)) return first;
  const named = name.toLowerCase();
  return sortedMarkets(directory).find((row) => row.name.toLowerCase() === named && fits(row));
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
