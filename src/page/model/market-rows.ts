/** The rows of the table of all markets: their figures, and their order. */
import type { MarketLiquidity } from '@slotbook/client';
import { changeOf, type ListedMarket } from './market-list.js';

/**
 * Figures of a market, amounts in the chosen unit, rates as fractions an hour, the next one's time in
 * Unix seconds; null where there is none.
 */
export type MarketRow = ReturnType<typeof marketRow>;

/** The distance of the depth, basis points. */
export const DEPTH_BPS = 10;
/** A program sets a funding rate after each whole hour. */
const HOUR_SECONDS = 3_600;

/** The conditions of a book that are named. */
const LABELS: Readonly<Record<string, string>> = {
  ...{ crossed: 'crossed book', locked: 'locked book' },
  ...{ oneSided: 'one side empty', empty: 'no orders' },
};

/** Returns the name of a condition, unless newer best prices are as usual. */
function labelOf(condition: string, best: RowView['best']): string {
  const isUsual = best !== undefined && best.bid < best.ask;
  return isUsual ? '' : (LABELS[condition] ?? '');
}

/** The newest best prices of a market, raw, and the unit of amounts. */
interface RowView {
  readonly best: { readonly bid: bigint; readonly ask: bigint } | undefined;
  readonly unit: 'base' | 'quote';
}

/** Returns the figures of a market. */
export function marketRow(
  { market, stats }: ListedMarket,
  liquidity: MarketLiquidity | undefined,
  { best, unit }: RowView,
) {
  const isBase = unit === 'base';
  const near = liquidity?.depth.find(({ bps }) => bps === DEPTH_BPS);
  const sides = isBase ? [near?.bidBase, near?.askBase] : [near?.bidQuote, near?.askQuote];
  const perp = market.marketType === 'perp' ? stats : null;
  const thinner = Math.min(Number(near?.bidQuote), Number(near?.askQuote)) / 1e6;
  const mid = best === undefined ? null : Number(best.bid + best.ask) / 2;
  return {
    market,
    symbol: market.symbol,
    /** What is unusual about the book; empty for nothing. */
    label: labelOf(liquidity?.condition ?? '', best),
    price: mid === null ? (stats?.price ?? stats?.oraclePrice ?? null) : mid / 1e6,
    change: changeOf(stats),
    volume: stats?.[isBase ? 'baseVolume24h' : 'volume24h'] ?? null,
    openInterest: perp?.[isBase ? 'longOpenInterest' : 'openInterest'] ?? null,
    funding: perp?.fundingRate ?? null,
    fundingAt: nextFunding(perp?.fundingRateTs ?? null),
    /** Amounts in quote, by which markets are sorted in either unit. */
    value: {
      volume: stats?.volume24h ?? null,
      openInterest: perp?.openInterest ?? null,
      depth: near === undefined ? null : thinner,
    },
    /** Negative where the book is crossed. */
    spreadBps: best && mid ? (Number(best.ask - best.bid) / mid) * 1e4 : null,
    /** The smaller side within {@link DEPTH_BPS} of the mid price. */
    depth: near === undefined ? null : Math.min(...sides.map(Number)) / (isBase ? 1e9 : 1e6),
  };
}

function nextFunding(ts: number | null): number | null {
  return ts === null ? null : (Math.floor(ts / HOUR_SECONDS) + 1) * HOUR_SECONDS;
}

/** The figures by which rows are sorted. */
export type SortKey = Exclude<keyof MarketRow, 'market' | 'fundingAt' | 'label' | 'value'>;

/** Which rows are shown, and in which order. */
interface RowOrder {
  readonly find: string;
  readonly key: SortKey;
  readonly isRising: boolean;
  /** The names of markets that come first. */
  readonly favourites: readonly string[];
}

/** Returns the rows that are looked for: favourites first, and rows without a figure last. */
export function orderRows(
  rows: readonly MarketRow[],
  { find, key, isRising, favourites }: RowOrder,
): readonly MarketRow[] {
  const text = find.trim().toUpperCase();
  const found = rows.filter(({ symbol }) => symbol.toUpperCase().includes(text));
  const isFavourite = ({ symbol }: MarketRow): number => Number(favourites.includes(symbol));
  return found.sort((one, other) => {
    const [a, b] = [{ ...one, ...one.value }[key], { ...other, ...other.value }[key]];
    const byKind = isFavourite(other) - isFavourite(one) || Number(a === null) - Number(b === null);
    if (byKind !== 0 || a === null || b === null) return byKind;
    return (a < b ? -1 : Number(a > b)) * (isRising ? 1 : -1);
  });
}

/** Returns the path of a line through values, 80 wide and 20 high; empty for fewer than two. */
export function sparklinePath(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (values.length < 2) return '';
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * 80;
    return `${x.toFixed(1)} ${(19 - ((value - low) / (high - low || 1)) * 18).toFixed(1)}`;
  });
  return `M${points.join('L')}`;
}
