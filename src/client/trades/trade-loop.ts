import { LatestValues } from '../listeners.js';
import type { TradeBatch } from './trade.js';

/**
 * Trades for one reader with `for await`. All of them wait for it, up to a number; beyond that the
 * oldest are left out, and the next that it is given says how many.
 */
export class TradeLoop<Trade> implements AsyncIterableIterator<TradeBatch<Trade>> {
  #waiting: TradeBatch<Trade>[] = [];
  #count = 0;
  #leftOut = 0;
  #takenBack: Trade[] = [];
  readonly #signal: LatestValues<void>;

  /** `onEnd` is called once, when the reader leaves or the trades end. */
  constructor(
    private readonly waitingMax: number,
    onEnd: () => void,
  ) {
    this.#signal = new LatestValues<void>(onEnd);
  }

  push(batch: TradeBatch<Trade>): void {
    this.#waiting.push(batch);
    this.#count += batch.trades.length;
    while (this.#count > this.waitingMax) this.#dropOldest();
    this.#signal.push();
  }

  /** With an error the reader is thrown it, after what waits. */
  end(end: { readonly error?: unknown } = {}): void {
    this.#signal.end(end);
  }

  async next(): Promise<IteratorResult<TradeBatch<Trade>>> {
    for (;;) {
      const batch = this.#waiting.shift();
      if (batch !== undefined) return { done: false, value: this.#withLeftOut(batch) };
      const { done } = await this.#signal.next();
      if (done === true) return { done, value: undefined };
    }
  }

  async return(): Promise<IteratorResult<TradeBatch<Trade>>> {
    this.#waiting = [];
    await this.#signal.return();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #withLeftOut(batch: TradeBatch<Trade>): TradeBatch<Trade> {
    this.#count -= batch.trades.length;
    const leftOut = batch.leftOut + this.#leftOut;
    const takenBack = [...this.#takenBack, ...batch.takenBack];
    this.#leftOut = 0;
    this.#takenBack = [];
    return { ...batch, takenBack, leftOut };
  }

  /** Takes away from the oldest that wait: all of them, or as many as are too many of the only one. */
  #dropOldest(): void {
    const [oldest, ...others] = this.#waiting;
    if (oldest === undefined) return;
    const surplus = this.#count - this.waitingMax;
    const dropped = Math.min(surplus, oldest.trades.length);
    this.#count -= dropped;
    this.#leftOut += dropped + oldest.leftOut;
    this.#takenBack.push(...oldest.takenBack);
    const rest = { ...oldest, trades: oldest.trades.slice(dropped), takenBack: [], leftOut: 0 };
    this.#waiting = rest.trades.length === 0 && others.length > 0 ? others : [rest, ...others];
  }
}
