/** The candles of one market and resolution in order: fetched and live candles in one series. */

import type { Candle } from '../generated/candles.js';
import { CANDLES_KEPT_MAX } from '../limits.js';

/** A series without gaps from its first candle on. */
export class CandleSeries {
  #candles: Candle[] = [];

  get first(): Candle | undefined {
    return this.#candles[0];
  }

  get last(): Candle | undefined {
    return this.#candles.at(-1);
  }

  /** Returns the candles that start in a range of unix seconds, both inclusive. */
  candlesBetween(fromTs: number, toTs: number): Candle[] {
    return this.#candles.filter(({ ts }) => ts >= fromTs && ts <= toTs);
  }

  /** Puts a live candle, which replaces the stored version. Returns false when nothing changes. */
  putCandle(candle: Candle): boolean {
    const index = this.#indexOf(candle.ts);
    const known = this.#candles[index];
    const isThere = known?.ts === candle.ts;
    if (isThere && isEqual(known, candle)) return false;
    this.#candles.splice(index, isThere ? 1 : 0, candle);
    this.keepNewest(CANDLES_KEPT_MAX);
    return true;
  }

  /** Removes all but the newest candles. */
  keepNewest(count: number): void {
    this.#candles.splice(0, Math.max(0, this.#candles.length - count));
  }

  /** Adds a fetched candle, unless the series has a newer version. */
  mergeCandle(candle: Candle): boolean {
    const known = this.#candles[this.#indexOf(candle.ts)];
    return known?.ts === candle.ts && isNewer(known, candle) ? false : this.putCandle(candle);
  }

  #indexOf(ts: number): number {
    let low = 0;
    let high = this.#candles.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#candles[middle] as Candle).ts < ts) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Returns whether `one` is the newer version: it has the later trade, or the larger volume when
 * pages lack the trade's number.
 */
export function isNewer(one: Candle, other: Candle): boolean {
  const id = one.lastFillRecordId;
  const otherId = other.lastFillRecordId;
  if (id !== undefined && otherId !== undefined && id !== otherId) return id > otherId;
  return one.baseVolume > other.baseVolume;
}

function isEqual(one: Candle, other: Candle): boolean {
  const names = Object.keys(other) as (keyof Candle)[];
  return names.every((name) => one[name] === other[name]);
}
