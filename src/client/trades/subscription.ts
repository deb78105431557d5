import type { ClientError } from '../error.js';
import { LatestValues, type Listeners } from '../listeners.js';
import type { MarketSubscription } from '../stream/market-subscription.js';
import { SubscriptionCore } from '../subscription-core.js';
import type { TradeBatch } from './trade.js';

/** The source of trades. */
interface TradeSource<Trade> {
  /** The first batch for a new listener; undefined when there is none. */
  readonly init: TradeBatch<Trade> | undefined;
  readonly updates: Listeners<TradeBatch<Trade>>;
  readonly subscription: Pick<MarketSubscription, 'ends' | 'retries'>;
}

/** How trades are followed. */
export interface TradeOptions {
  /** Ends the subscription; loops throw ABORTED. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum number of trades that wait for a loop; 10,000 by default. */
  readonly waitingMax?: number | undefined;
}

/**
 * One subscription to the trades of a market. Each listener and loop gets each trade once.
 *
 * @example
 * const subscription = trades.subscribe('SOL-PERP');
 * subscription.onTrades(({ kind, trades: some }) => console.log(kind, some.length));
 */
export class TradeSubscription<Trade> implements AsyncIterable<TradeBatch<Trade>> {
  readonly #source: TradeSource<Trade>;
  readonly #waitingMax: number;
  readonly #core: SubscriptionCore<TradeLoop<Trade>>;

  /** The client creates subscriptions; `onClose` is called once. */
  constructor(
    source: TradeSource<Trade>,
    onClose: () => void,
    options: { readonly waitingMax: number; readonly signal: AbortSignal | undefined },
  ) {
    const core = new SubscriptionCore<TradeLoop<Trade>>(onClose);
    this.#source = source;
    this.#waitingMax = options.waitingMax;
    this.#core = core;
    core.addCleanup(source.subscription.ends.add((error) => core.end(error)));
    core.watchSignal(options.signal);
  }

  /** The error that ended the subscription; undefined while it is open, and after `close`. */
  get error(): ClientError | undefined {
    return this.#core.error;
  }

  /** Whether it has not ended. */
  get isOpen(): boolean {
    return this.#core.isOpen;
  }

  /**
   * Registers a listener for trades, and calls it immediately with the newest. Returns its
   * unsubscribe function.
   */
  onTrades(listener: (batch: TradeBatch<Trade>) => void): () => void {
    const { init } = this.#source;
    const remove = this.#core.addCleanup(this.#source.updates.add(listener));
    if (init !== undefined && this.isOpen) listener(init);
    return remove;
  }

  /**
   * Registers a listener for temporary errors of the subscription or of a repair, which are
   * retried. Returns its unsubscribe function.
   */
  onRetry(listener: (error: ClientError) => void): () => void {
    return this.#core.addCleanup(this.#source.subscription.retries.add(listener));
  }

  /** Registers a listener for an end other than by `close`: a rejection by the service, or an abort. */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#core.onError(listener);
  }

  /** Ends the subscription: no listener is called any more, and loops end. */
  close(): void {
    this.#core.end(undefined);
  }

  /**
   * Iterates over batches of trades. Leaving the loop closes the subscription; an error of the
   * service is thrown in the loop.
   */
  [Symbol.asyncIterator](): AsyncIterator<TradeBatch<Trade>> {
    const loop = this.#core.addLoop((onLeave) => new TradeLoop<Trade>(this.#waitingMax, onLeave));
    this.onTrades((batch) => loop.push(batch));
    return loop;
  }
}

/**
 * Trades for one `for await` reader. They are queued up to a maximum; then the oldest are dropped,
 * and the next batch contains the number of dropped trades.
 */
class TradeLoop<Trade> implements AsyncIterableIterator<TradeBatch<Trade>> {
  readonly #waitingMax: number;
  #waiting: TradeBatch<Trade>[] = [];
  #count = 0;
  #leftOut = 0;
  #takenBack: Trade[] = [];
  #lastCall: Promise<unknown> = Promise.resolve();
  readonly #signal: LatestValues<void>;

  /** `onEnd` is called once, when the reader leaves or the trades end. */
  constructor(waitingMax: number, onEnd: () => void) {
    this.#waitingMax = Math.max(0, waitingMax);
    this.#signal = new LatestValues<void>(onEnd);
  }

  push(batch: TradeBatch<Trade>): void {
    this.#waiting.push(batch);
    this.#count += batch.trades.length;
    while (this.#count > this.#waitingMax) this.#dropOldest();
    this.#signal.push();
  }

  /** Ends the trades; with an error, the reader throws it after the queued trades. */
  end(end: { readonly error?: unknown } = {}): void {
    this.#signal.end(end);
  }

  /** Concurrent calls are resolved in their order. */
  next(): Promise<IteratorResult<TradeBatch<Trade>>> {
    const result = this.#lastCall.then(() => this.#takeNext());
    this.#lastCall = result.catch(() => {});
    return result;
  }

  async return(): Promise<IteratorResult<TradeBatch<Trade>>> {
    this.#waiting = [];
    await this.#signal.return();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #takeNext(): Promise<IteratorResult<TradeBatch<Trade>>> {
    for (;;) {
      const batch = this.#waiting.shift();
      if (batch !== undefined) return { done: false, value: this.#withLeftOut(batch) };
      const { done } = await this.#signal.next();
      if (done === true) return { done, value: undefined };
    }
  }

  #withLeftOut(batch: TradeBatch<Trade>): TradeBatch<Trade> {
    this.#count -= batch.trades.length;
    const leftOut = batch.leftOut + this.#leftOut;
    const takenBack = [...this.#takenBack, ...batch.takenBack];
    this.#leftOut = 0;
    this.#takenBack = [];
    return { ...batch, takenBack, leftOut };
  }

  /** Drops the oldest waiting batch; if it is the only batch, drops only its excess trades. */
  #dropOldest(): void {
    const [oldest, ...others] = this.#waiting;
    if (oldest === undefined) return;
    const surplus = this.#count - this.#waitingMax;
    const dropped = Math.min(surplus, oldest.trades.length);
    this.#count -= dropped;
    this.#leftOut += dropped + oldest.leftOut;
    this.#takenBack.push(...oldest.takenBack);
    const rest = { ...oldest, trades: oldest.trades.slice(dropped), takenBack: [], leftOut: 0 };
    this.#waiting = rest.trades.length === 0 && others.length > 0 ? others : [rest, ...others];
  }
}
