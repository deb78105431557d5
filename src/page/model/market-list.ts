/** The markets of a search, and their figures. */
import type { MarketInfo, MarketStats } from '@slotbook/client';

/** A market with its statistics; null until they arrive. */
export interface ListedMarket {
  readonly market: MarketInfo;
  readonly stats: MarketStats | null;
}

/** All markets but the quote asset, which has no book, by descending volume. */
export function listMarkets(
  markets: readonly MarketInfo[],
  stats: readonly MarketStats[],
): readonly ListedMarket[] {
  const byName = new Map(stats.map((one) => [one.symbol, one]));
  const traded = markets.filter(({ symbol, quoteAsset }) => symbol !== quoteAsset);
  const listed = traded.map((market) => ({ market, stats: byName.get(market.symbol) ?? null }));
  const volumeOf = ({ stats }: ListedMarket): number => stats?.volume24h ?? 0;
  return listed.sort((one, other) => volumeOf(other) - volumeOf(one));
}

/**
 * Returns the market to open: the named one in any case, or without a name the first perpetual
 * market; undefined when no market has the name.
 */
export function openingMarket(
  markets: readonly MarketInfo[],
  named: string | null,
): MarketInfo | undefined {
  if (named === null) return markets.find((one) => one.marketType === 'perp') ?? markets[0];
  const name = named.toUpperCase();
  return markets.find((one) => one.symbol.toUpperCase() === name);
}

/** Returns the markets whose name contains the text; names that begin with it come first. */
export function searchMarkets(
  listed: readonly ListedMarket[],
  searched: string,
): readonly ListedMarket[] {
  const text = searched.trim().toUpperCase();
  const names = ({ market }: ListedMarket): string => market.symbol.toUpperCase();
  const found = listed.filter((one) => names(one).includes(text));
  const begins = found.filter((one) => names(one).startsWith(text));
  const others = found.filter((one) => !names(one).startsWith(text));
  return [...begins, ...others];
}

/**
 * Returns the change of the last price over 24 hours, as a fraction; null when either price is
 * unknown.
 */
export function changeOf(stats: MarketStats | null): number | null {
  const now = stats?.price ?? null;
  const before = stats?.price24hAgo ?? null;
  return now === null || before === null || before === 0 ? null : now / before - 1;
}
