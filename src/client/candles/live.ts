/**
 * The candles of one market and resolution since the subscription: live candles, and missed
 * candles, which are fetched before anything newer is emitted.
 */

import type { Candle } from '../generated/candles.js';
import type { Resolution } from '../generated/lists.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import { type MarketConnection, MarketSubscription } from '../stream/market-subscription.js';
import { lengthOf } from './candle.js';
import { CandleSeries, isNewer } from './series.js';

/** Fetches all candles from `fromTs` on, including candles that begin during the fetch. */
export type FetchFrom = (fromTs: number, signal: AbortSignal) => Promise<readonly Candle[]>;

/** The market and resolution. */
export interface LiveName {
  /** As the service names it. */
  readonly symbol: string;
  readonly resolution: Resolution;
}

/** A followed series. */
export class LiveCandles {
  /** Emits every new or changed candle in time order; a late change is emitted late. */
  readonly updates = new Listeners<Candle>();
  /** Emits when the subscription is acknowledged, or a first candle has arrived. */
  readonly starts = new Listeners<void>();
  readonly series = new CandleSeries();
  readonly name: LiveName;
  /** Its subscription on the socket. */
  readonly subscription: MarketSubscription;
  readonly #fetchFrom: FetchFrom;
  /** Candles that arrive while missed candles are being fetched; undefined without a fetch. */
  #held: Map<number, Candle> | undefined;
  /** The newest start time of the changed candles that are older than the series. */
  #lateTs = Number.NEGATIVE_INFINITY;

  constructor(name: LiveName, connection: MarketConnection, fetchFrom: FetchFrom) {
    this.name = name;
    this.#fetchFrom = fetchFrom;
    this.subscription = new MarketSubscription(connection, name, () => {
      this.#held = undefined;
    });
  }

  /** Whether the series equals the service's, without a gap. */
  get isWhole(): boolean {
    return this.subscription.isOn && this.#held === undefined && this.series.last !== undefined;
  }

  /** Handles the acknowledgement; only after it the missed range is known. */
  handleAcknowledged(): void {
    if (!this.subscription.handleAcknowledged()) return;
    this.starts.emit();
    this.#fetchMissed();
  }

  /**
   * Handles the candle from which live updates continue: at the start, and when the service has
   * omitted updates.
   */
  handleInit(candle: Candle): void {
    if (this.subscription.isOn) this.#fetchMissed();
    this.handleCandle(candle);
  }

  /** Handles a candle of the socket. */
  handleCandle(candle: Candle): void {
    this.handleAcknowledged();
    if (!this.subscription.isOn) return;
    const { last } = this.series;
    const isFar = last !== undefined && candle.ts - last.ts > lengthOf(this.name.resolution).maxS;
    if (isFar && this.#held === undefined) this.#fetchMissed();
    if (this.#held !== undefined) this.#held.set(candle.ts, candle);
    else if (this.#putCandle(candle)) this.updates.emit(candle);
  }

  /**
   * Prepends older candles, which must reach up to the series. Versions that changed since they
   * were fetched may be outdated.
   */
  addOlder(candles: readonly Candle[]): void {
    const { first } = this.series;
    if (first === undefined) return;
    const older = candles.filter(({ ts }) => ts < first.ts && ts > this.#lateTs);
    for (const candle of older.slice(-limits.CANDLES_KEPT_MAX).reverse()) {
      this.series.mergeCandle(candle);
    }
  }

  /**
   * Puts a candle into the series; a candle before the series would leave a gap, so it is emitted
   * but not added.
   */
  #putCandle(candle: Candle): boolean {
    if (candle.ts >= (this.series.first?.ts ?? candle.ts)) return this.series.putCandle(candle);
    this.#lateTs = Math.max(this.#lateTs, candle.ts);
    return true;
  }

  /** Candles before the last one may have changed as well; those before the read ones are forgotten. */
  #fetchMissed(): void {
    this.series.keepNewest(limits.CANDLES_REREAD);
    const fromTs = this.series.first?.ts;
    if (fromTs === undefined) return;
    this.#held ??= new Map();
    this.subscription.startRepair((signal) => this.#fetchFrom(fromTs, signal), {
      onRead: (missed) => this.#mergeMissed(missed),
      onFailure: () => this.subscription.scheduleRetry(() => this.#fetchMissed()),
    });
  }

  /** Candles that arrived during the fetch may be older or newer than the fetched ones. */
  #mergeMissed(missed: readonly Candle[]): void {
    const held = this.#held ?? new Map<number, Candle>();
    this.#held = undefined;
    for (const candle of missed) {
      const live = held.get(candle.ts);
      if (live === undefined || isNewer(candle, live)) held.set(candle.ts, candle);
    }
    const candles = [...held.values()].sort((one, other) => one.ts - other.ts);
    const changed = candles.filter((candle) => this.#putCandle(candle));
    for (const candle of changed) this.updates.emit(candle);
  }
}
