/**
 * Liquidity over time as numbers: the columns of a heatmap, and its scales. Times are Unix
 * milliseconds, prices and sizes decimals.
 */
import { BASE_DECIMALS, type LiquidityHistory, PRICE_DECIMALS } from '@slotbook/client';
import { HEAT_PADDING } from './limits.js';
import { DEPTH_BPS } from './market-rows.js';

type HistoryRow = LiquidityHistory['rows'][number];

/** The sizes of adjacent bands of price. */
interface HeatBands {
  /** Lower price of the first band. */
  readonly from: number;
  /** From one band to the next, negative for bids. */
  readonly step: number;
  readonly sizes: readonly number[];
}

/** A market at one moment. */
export interface HeatColumn {
  readonly ts: number;
  readonly bid: number;
  readonly ask: number;
  readonly spreadBps: number;
  /** Base within ten basis points of the mid price. */
  readonly bidDepth: number;
  readonly askDepth: number;
  readonly bids: HeatBands;
  readonly asks: HeatBands;
}

/** The drawn time and prices. */
export interface HeatView {
  readonly fromTs: number;
  readonly toTs: number;
  /** Distance of two columns. */
  readonly stepMs: number;
  readonly low: number;
  readonly high: number;
  /** The size of the strongest colour. */
  readonly sizeMax: number;
}

/** A cell of the picture: its part of the strongest colour, 0 to 1. */
type Paint = (at: { readonly x: number; readonly y: number }, part: number, side: HeatSide) => void;
type HeatSide = 'bid' | 'ask';

const priceOf = (raw: bigint): number => Number(raw) / 10 ** PRICE_DECIMALS;
const sizeOf = (raw: bigint): number => Number(raw) / 10 ** BASE_DECIMALS;

/** Returns the column of a row; undefined where a side of the book is empty. */
export function columnOf(row: HistoryRow): HeatColumn | undefined {
  const { ts, bestBidPrice, bestAskPrice, spreadBps, bandStep, bidBand, askBand } = row;
  if (bestBidPrice === null || bestAskPrice === null || bandStep === null) return undefined;
  const near = row.depth.find(({ bps }) => bps === DEPTH_BPS);
  const step = priceOf(bandStep);
  return {
    ts,
    bid: priceOf(bestBidPrice),
    ask: priceOf(bestAskPrice),
    spreadBps: spreadBps ?? 0,
    bidDepth: sizeOf(near?.bidBase ?? 0n),
    askDepth: sizeOf(near?.askBase ?? 0n),
    bids: { from: priceOf(bidBand ?? 0n), step: -step, sizes: row.bids.map(sizeOf) },
    asks: { from: priceOf(askBand ?? 0n), step, sizes: row.asks.map(sizeOf) },
  };
}

/** Returns the scales that show the orders of all columns around the mid prices. */
export function viewOf(
  columns: readonly HeatColumn[],
  time: Pick<HeatView, 'fromTs' | 'toTs' | 'stepMs'>,
): HeatView {
  const mids = columns.map(midOf);
  const ends = columns.flatMap(({ bids, asks }) => [endOf(bids), endOf(asks)]);
  const tallest = columns
    .map(({ bids, asks }) => Math.max(0, ...bids.sizes, ...asks.sizes))
    .sort((left, right) => left - right);
  return {
    ...time,
    low: Math.max(Math.min(...mids) * (1 - HEAT_PADDING), Math.min(...ends)),
    high: Math.min(Math.max(...mids) * (1 + HEAT_PADDING), Math.max(...ends)),
    // The median, so that one large order does not pale all others.
    sizeMax: tallest[Math.floor(tallest.length / 2)] || 1,
  };
}

/** The far end of the last band. */
function endOf({ from, step, sizes }: HeatBands): number {
  return from + (sizes.length + 1) * step;
}

/** The mid price of a column. */
export function midOf({ bid, ask }: HeatColumn): number {
  return (bid + ask) / 2;
}

/** Calls `paint` for each cell of a picture of that many rows that has liquidity. */
export function paintHeat(
  columns: readonly HeatColumn[],
  { view, height }: { readonly view: HeatView; readonly height: number },
  paint: Paint,
): void {
  const { low, high, fromTs, stepMs, sizeMax } = view;
  const rowOf = (price: number): number => ((high - price) / (high - low)) * height;
  for (const { ts, bids, asks } of columns) {
    const x = Math.floor((ts - fromTs) / stepMs);
    for (const [side, { from, step, sizes }] of [
      ['bid', bids],
      ['ask', asks],
    ] as const) {
      for (const [index, size] of sizes.entries()) {
        if (size === 0) continue;
        const price = from + index * step;
        const top = Math.max(0, Math.round(rowOf(price + Math.abs(step))));
        // At least one row, also for a narrow band.
        const end = Math.min(height, Math.max(top + 1, Math.round(rowOf(price))));
        const part = Math.sqrt(Math.min(1, size / sizeMax));
        for (let y = top; y < end; y += 1) paint({ x, y }, part, side);
      }
    }
  }
}

/** Returns the newest column at or before a time. */
export function columnAt(columns: readonly HeatColumn[], ts: number): HeatColumn | undefined {
  return columns.findLast((column) => column.ts <= ts);
}
