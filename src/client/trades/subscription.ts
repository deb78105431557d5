import { ClientError } from '../error.js';
import { Listeners } from '../listeners.js';
import type { TradeBatch } from './trade.js';
import { TradeLoop } from './trade-loop.js';

/** Where trades come from. */
export interface TradeSource<Trade> {
  /** What a newcomer is told at once. */
  readonly init: TradeBatch<Trade> | undefined;
  readonly updates: Listeners<TradeBatch<Trade>>;
  readonly ends: Listeners<ClientError>;
  readonly retries: Listeners<ClientError>;
}

/** How it is followed. */
export interface TradeOptions {
  /** Ends the subscription; loops are thrown ABORTED. */
  readonly signal?: AbortSignal | undefined;
  /** How many trades wait for a loop; 10,000 by default. */
  readonly waitingMax?: number | undefined;
}

/** One interest in the trades of a market. Each trade comes once to every callback and loop. */
export class TradeSubscription<Trade> implements AsyncIterable<TradeBatch<Trade>> {
  readonly #loops = new Set<TradeLoop<Trade>>();
  readonly #offs = new Set<() => void>();
  readonly #errors = new Listeners<ClientError>();
  #error: ClientError | undefined;
  #isOpen = true;

  /** The client makes it; `onClose` is called once. */
  constructor(
    private readonly line: TradeSource<Trade>,
    private readonly onClose: () => void,
    private readonly options: { readonly waitingMax: number; readonly signal?: AbortSignal },
  ) {
    this.#offs.add(line.ends.add((error) => this.#end(error)));
    const { signal } = options;
    if (signal === undefined) return;
    const abort = (): void => {
      const { reason } = signal;
      this.#end(new ClientError('ABORTED', 'the subscription was aborted', {}, { cause: reason }));
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#offs.add(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  }

  /** Why it has ended; undefined while it has not, and when it was closed. */
  get error(): ClientError | undefined {
    return this.#error;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Calls with all trades from now on, and at once with the newest that are there. */
  onTrades(listener: (batch: TradeBatch<Trade>) => void): () => void {
    if (!this.#isOpen) return () => {};
    const { init } = this.line;
    const off = this.#keep(this.line.updates.add(listener));
    if (init !== undefined) listener(init);
    return off;
  }

  /** Calls with what failed and is tried again by itself. */
  onRetry(listener: (error: ClientError) => void): () => void {
    return this.#keep(this.line.retries.add(listener));
  }

  /** Calls once when it ends otherwise than by `close`: the service refuses it, or an abort. */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#errors.add(listener);
  }

  /** Ends it: nothing is called any more, and loops end. */
  close(): void {
    this.#end(undefined);
  }

  /** Leaving the loop closes the subscription. An error of the service is thrown in the loop. */
  [Symbol.asyncIterator](): AsyncIterator<TradeBatch<Trade>> {
    const loop = new TradeLoop<Trade>(this.options.waitingMax, () => {
      this.#loops.delete(loop);
      this.close();
    });
    if (!this.#isOpen) {
      loop.end(this.#error === undefined ? {} : { error: this.#error });
      return loop;
    }
    this.#loops.add(loop);
    this.onTrades((batch) => loop.push(batch));
    return loop;
  }

  /** What ends with the subscription, and is not kept once it has ended before. */
  #keep(stop: () => void): () => void {
    const off = (): void => {
      stop();
      this.#offs.delete(off);
    };
    this.#offs.add(off);
    return off;
  }

  #end(error: ClientError | undefined): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#error = error;
    for (const loop of [...this.#loops]) loop.end(error === undefined ? {} : { error });
    for (const off of this.#offs) off();
    this.onClose();
    if (error !== undefined) this.#errors.emit(error);
    this.#errors.clear();
  }
}
