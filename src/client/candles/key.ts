/** The subscription of one key of a candle client, and its listeners. */
import { ClientError } from '../error.js';
import type { Candle } from '../generated/candles.js';
import { Listeners } from '../listeners.js';
import type { ConnectionState } from '../stream/connection.js';
import type { CandleFeed } from './feed.js';
import type { LiveCandles, LiveName } from './live.js';

/** The events of a key. */
export interface CandleEvents {
  /** A new or changed candle, in time order. */
  readonly 'candle-update': Candle;
  /** The connection state. */
  readonly connection: ConnectionState;
  /** A temporary error: a repair failed, or the subscription will be retried. */
  readonly retry: ClientError;
  /** The service rejected the series, or no longer serves it. */
  readonly end: ClientError;
}

/** One key. */
export class CandleKey {
  readonly #listeners = {
    'candle-update': new Listeners<Candle>(),
    connection: new Listeners<ConnectionState>(),
    retry: new Listeners<ClientError>(),
    end: new Listeners<ClientError>(),
  };
  /** Candles that arrived before the first listener, by start time. */
  #pending: Map<number, Candle> | undefined = new Map();
  #turn = 0;
  #stops: (() => void)[] = [];

  /** Registers a listener; the first listener gets the buffered candles. */
  on<Event extends keyof CandleEvents>(
    event: Event,
    listener: (value: CandleEvents[Event]) => void,
  ): () => void {
    const listeners = this.#listeners[event] as unknown as Listeners<CandleEvents[Event]>;
    const off = listeners.add(listener);
    if (event === 'candle-update') this.#emitPending();
    return off;
  }

  /**
   * Ends the subscription and starts a turn; {@link CandleKey.isTurn} is true for this turn until
   * the next one starts.
   */
  beginTurn(): number {
    for (const stop of this.#stops.splice(0)) stop();
    this.#pending?.clear();
    this.#turn += 1;
    return this.#turn;
  }

  isTurn(turn: number): boolean {
    return this.#turn === turn;
  }

  /** Ends the subscription; no listener is called any more. */
  endAll(): void {
    this.beginTurn();
    for (const listeners of Object.values(this.#listeners)) listeners.clear();
  }

  /** Calls when the turn ends. */
  onStop(call: () => void): void {
    this.#stops.push(call);
  }

  /**
   * Follows a series. Resolves when the service has acknowledged it; rejects with the service's
   * error, or with CLOSED when the turn has ended.
   */
  followSeries(feed: CandleFeed, name: LiveName): Promise<void> {
    const live = feed.joinSeries(name);
    const { connection, retry, end } = this.#listeners;
    this.#stops.push(
      () => feed.leaveSeries(live),
      live.updates.add((candle) => this.#emitCandle(candle)),
      live.subscription.retries.add((error) => retry.emit(error)),
      live.subscription.ends.add((error) => end.emit(error)),
      feed.connection.states.add((state) => connection.emit(state)),
    );
    if (!live.subscription.isOn) return this.#untilStarted(live);
    const { last } = live.series;
    if (last !== undefined) this.#emitCandle(last);
    return Promise.resolve();
  }

  #untilStarted(live: LiveCandles): Promise<void> {
    return this.untilStop(
      new Promise((resolve, reject) => {
        this.#stops.push(live.starts.add(resolve), live.subscription.ends.add(reject));
      }),
    );
  }

  /** Waits for a part of the turn; rejects with CLOSED when the turn ends before. */
  untilStop<Value>(part: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#stops.push(() => reject(closedKey()));
      part.then(resolve, reject);
    });
  }

  #emitCandle(candle: Candle): void {
    const updates = this.#listeners['candle-update'];
    if (updates.size > 0) updates.emit(candle);
    else this.#pending?.set(candle.ts, candle);
  }

  #emitPending(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    for (const candle of pending?.values() ?? []) this.#listeners['candle-update'].emit(candle);
  }
}

/** The error of a key that was given up. */
export function closedKey(): ClientError {
  return new ClientError('CLOSED', 'the key was closed');
}
