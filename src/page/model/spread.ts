/** Best bid and ask, and the spread. */
import { formatWhole } from './format.js';

/** A spread; raw prices. */
export interface Spread {
  /** The mid price, rounded down. */
  readonly mid: bigint;
  /** Negative where the book is crossed. */
  readonly ticks: number;
  readonly bps: number;
}

/** Returns the spread of a book; null when a side is empty. */
export function spreadOf(bid: bigint | null, ask: bigint | null, tick: bigint): Spread | null {
  if (bid === null || ask === null) return null;
  const mid = (bid + ask) / 2n;
  const width = Number(ask - bid);
  return { mid, ticks: width / Number(tick), bps: mid === 0n ? 0 : (width / Number(mid)) * 1e4 };
}

/** Formats a spread in ticks; `crossed` and `locked` books are named. */
export function spreadText({ ticks }: Pick<Spread, 'ticks'>): string {
  if (ticks === 0) return 'locked';
  return ticks < 0 ? `crossed by ${ticksText(-ticks)}` : ticksText(ticks);
}

/**
 * Formats a number of ticks; a grouped book may have a fraction.
 */
function ticksText(ticks: number): string {
  const whole = Math.round(ticks);
  return `${formatWhole(whole)} ${Math.abs(whole) === 1 ? 'tick' : 'ticks'}`;
}
