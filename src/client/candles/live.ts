/**
 * One market and resolution as it is now and since the subscription: what came live, and what was
 * missed, fetched before anything newer is told.
 */

import type { Clock } from '../environment.js';
import { ClientError } from '../error.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import type { Candle } from './candle.js';
import { lengthOf, type Resolution } from './resolution.js';
import { CandleSeries, isNewer } from './series.js';

/** The socket and the pages as a live series sees them. */
export interface CandleSource {
  readonly clock: Clock;
  sendMessage(message: object): void;
  restart(): void;
  /** All candles from one on, also those that began while it was fetched. */
  fetchFrom(fromTs: number, signal: AbortSignal): Promise<readonly Candle[]>;
}

/** What is followed. */
export interface LiveName {
  /** As the service names it. */
  readonly symbol: string;
  readonly resolution: Resolution;
}

/** A followed series. */
export class LiveCandles {
  /** Every new or changed candle, in the order of time; one that changes late comes late. */
  readonly updates = new Listeners<Candle>();
  /** The service refuses it for good. */
  readonly ends = new Listeners<ClientError>();
  /** It has been acknowledged, or has said something. */
  readonly starts = new Listeners<void>();
  /** What was missed could not be fetched yet, or the service cannot do it now; it is tried again. */
  readonly retries = new Listeners<ClientError>();
  readonly series = new CandleSeries();
  #state: 'off' | 'asked' | 'on' | 'ended' = 'off';
  /** What comes while what was missed is fetched. */
  #held: Map<number, Candle> | undefined;
  #mending: AbortController | undefined;
  #cancelTimer: () => void = () => {};
  /** The newest of the candles that changed and are older than the series. */
  #lateTs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly name: LiveName,
    private readonly source: CandleSource,
  ) {}

  /** Whether the series is that of the service, without a hole. */
  get isWhole(): boolean {
    return this.#state === 'on' && this.#held === undefined && this.series.last !== undefined;
  }

  get isSubscribing(): boolean {
    return this.#state === 'asked';
  }

  get isOn(): boolean {
    return this.#state === 'on';
  }

  subscribe(): void {
    if (this.#state === 'ended') return;
    this.#state = 'asked';
    this.#cancelTimer();
    this.#cancelTimer = this.source.clock.after(limits.ANSWER_MS_MAX, () => this.source.restart());
    this.source.sendMessage({ type: 'subscribe', ...this.name });
  }

  unsubscribe(): void {
    if (this.#state === 'asked' || this.#state === 'on') {
      this.source.sendMessage({ type: 'unsubscribe', ...this.name });
    }
    this.#off('ended');
  }

  handleDisconnect(): void {
    if (this.#state !== 'ended') this.#off('off');
  }

  /** What is asked for from now on is of this subscription: only now is it known what was missed. */
  handleAcknowledged(): void {
    if (this.#state !== 'asked') return;
    this.#cancelTimer();
    this.#state = 'on';
    this.starts.emit();
    if (this.series.last !== undefined) this.#fetchMissed(this.series.last.ts);
  }

  /** Takes the candle that the service goes on from: at the start, and where it has left something out. */
  handleInit(candle: Candle): void {
    const { last } = this.series;
    const isAgain = this.#state === 'on' && last !== undefined;
    if (isAgain && this.#held === undefined) this.#fetchMissed(last.ts);
    this.handleCandle(candle);
  }

  /** Takes a candle that came on the socket. */
  handleCandle(candle: Candle): void {
    this.handleAcknowledged();
    if (this.#state !== 'on') return;
    const { last } = this.series;
    const isFar = last !== undefined && candle.ts - last.ts > lengthOf(this.name.resolution).maxS;
    if (isFar && this.#held === undefined) this.#fetchMissed(last.ts);
    if (this.#held !== undefined) this.#held.set(candle.ts, candle);
    else if (this.#putCandle(candle)) this.updates.emit(candle);
  }

  /** The service cannot do it now. */
  postponed(error: ClientError): void {
    if (this.#state === 'ended') return;
    this.#off('off');
    this.#cancelTimer = this.source.clock.after(limits.RESUBSCRIBE_MS, () => this.subscribe());
    this.retries.emit(error);
  }

  /** The service never does it. */
  refused(error: ClientError): void {
    if (this.#state === 'ended') return;
    this.#off('ended');
    this.ends.emit(error);
  }

  /** Takes candles of before, which reach up to the series; what changed since may be wrong in them. */
  addOlder(candles: readonly Candle[]): void {
    const { first } = this.series;
    if (first === undefined) return;
    const older = candles.filter(({ ts }) => ts < first.ts && ts > this.#lateTs);
    for (const candle of older.slice(-limits.CANDLES_KEPT_MAX).reverse())
      this.series.mergeCandle(candle);
  }

  /** One of before the series would leave a hole behind it: it is told, and not kept. */
  #putCandle(candle: Candle): boolean {
    if (candle.ts >= (this.series.first?.ts ?? candle.ts)) return this.series.putCandle(candle);
    this.#lateTs = Math.max(this.#lateTs, candle.ts);
    return true;
  }

  #off(state: 'off' | 'ended'): void {
    this.#state = state;
    this.#cancelTimer();
    this.#mending?.abort();
    this.#mending = undefined;
    this.#held = undefined;
  }

  #fetchMissed(fromTs: number): void {
    const ending = new AbortController();
    this.#mending?.abort();
    this.#mending = ending;
    this.#held = new Map();
    this.source.fetchFrom(fromTs, ending.signal).then(
      (missed) => {
        if (!ending.signal.aborted) this.#mergeMissed(missed);
      },
      (error: unknown) => {
        if (!ending.signal.aborted) this.#mendLater(fromTs, error);
      },
    );
  }

  /** What came live meanwhile may be older than what was fetched, or newer. */
  #mergeMissed(missed: readonly Candle[]): void {
    const held = this.#held ?? new Map<number, Candle>();
    this.#held = undefined;
    this.#mending = undefined;
    for (const candle of missed) {
      const live = held.get(candle.ts);
      if (live === undefined || isNewer(candle, live)) held.set(candle.ts, candle);
    }
    const candles = [...held.values()].sort((one, other) => one.ts - other.ts);
    const changed = candles.filter((candle) => this.#putCandle(candle));
    for (const candle of changed) this.updates.emit(candle);
  }

  #mendLater(fromTs: number, error: unknown): void {
    const cause = { cause: error };
    const coded =
      error instanceof ClientError
        ? error
        : new ClientError('UNREACHABLE', 'what was missed could not be fetched', {}, cause);
    const held = this.#held;
    this.#cancelTimer = this.source.clock.after(limits.RESUBSCRIBE_MS, () => {
      this.#fetchMissed(fromTs);
      this.#held = held;
    });
    this.retries.emit(coded);
  }
}
