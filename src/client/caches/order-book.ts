/**
 * The order book of the displayed market: one at a time; its market, grouping and depth can change
 * while it is followed.
 *
 * ```ts
 * const book = new OrderBookCache(stream);
 * book.onUpdate(({ bids, asks, bestBidPrice, bestAskPrice }) => draw(bids, asks));
 * book.updateSubscription({ market: 'SOL-PERP', grouping: 10 });
 * book.updateSubscription({ grouping: 100 });
 * ```
 */
import { ClientError } from '../error.js';
import type { Level } from '../generated/rows.js';
import { LatestValues, Listeners } from '../listeners.js';
import type { StreamClient } from '../stream/client.js';
import type { Subscription } from '../stream/subscription.js';
import type { Best, BookTopic, BookView, StreamDepth } from '../stream/topic.js';

/** The requested book; omitted members are unchanged. */
export interface BookRequest {
  readonly market?: string;
  /** Ticks a group, 1 at first. */
  readonly grouping?: number;
  /** Levels a side, 50 at first. */
  readonly depth?: StreamDepth;
  /** Whether the AMM's levels are included; true by default. */
  readonly includeVamm?: boolean;
  /** Whether indicative quotes of makers are included; false by default. */
  readonly includeIndicative?: boolean;
}

/**
 * An order book with listeners. Its best prices are those of the market, even when levels are
 * grouped and the best group has another price.
 *
 * @example
 * const cache = new OrderBookCache(stream);
 * cache.onUpdate(({ bids, asks }) => console.log(bids[0]?.price, asks[0]?.price));
 * cache.updateSubscription({ market: 'SOL-PERP', grouping: 10 });
 */
export class OrderBookCache implements AsyncIterable<BookView<Level>> {
  readonly #stream: StreamClient;
  readonly #updates = new Listeners<BookView<Level>>();
  readonly #errors = new Listeners<ClientError>();
  readonly #retries = new Listeners<ClientError>();
  readonly #loops = new Set<LatestValues<BookView<Level>>>();
  /** The last accepted topic, which is restored when a request is rejected. */
  #topic: BookTopic = { channel: 'book', market: '', includeVamm: true };
  #requested = this.#topic;
  #current: ComposedBook | undefined;
  #pending: ComposedBook | undefined;
  #store: BookView<Level> | undefined;
  #isDestroyed = false;

  /** The caller owns the stream: this cache does not close it. */
  constructor(stream: StreamClient) {
    this.#stream = stream;
  }

  /** The newest book; undefined before the first book and after `unsubscribe`. */
  get store(): BookView<Level> | undefined {
    return this.#store;
  }

  /**
   * Requests another book, or other parameters of the same book. The old book stays until the new
   * one arrives, unless the market changes. A request that the service rejects is dropped: the next
   * request builds on the last accepted one. Throws INVALID_OPTION without a market, and CLOSED
   * after `destroy`.
   */
  updateSubscription(request: BookRequest): void {
    if (this.#isDestroyed) throw new ClientError('CLOSED', 'the cache was destroyed');
    const topic = { ...this.#requested, ...request };
    if (topic.market === '') {
      throw new ClientError(
        'INVALID_OPTION',
        'market is missing: no request has named one yet',
        {},
        { param: 'market' },
      );
    }
    const pending = new ComposedBook(this.#stream, topic);
    if (topic.market !== this.#requested.market) this.unsubscribe();
    this.#pending?.close();
    this.#requested = topic;
    this.#pending = pending;
    pending.notifyOwner({
      onUpdate: () => this.#handleUpdate(pending),
      onError: (error) => this.#handleRefusal(pending, error),
      onRetry: (error) => this.#retries.emit(error),
    });
  }

  /** Stops following the book; listeners stay for the next book. */
  unsubscribe(): void {
    this.#current?.close();
    this.#pending?.close();
    this.#current = undefined;
    this.#pending = undefined;
    this.#store = undefined;
  }

  /** Registers a listener for every book; returns its unsubscribe function. */
  onUpdate(listener: (book: BookView<Level>) => void): () => void {
    return this.#updates.add(listener);
  }

  /**
   * Registers a listener for rejections of the requested book, including later ones; returns its
   * unsubscribe function.
   */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#errors.add(listener);
  }

  /**
   * Registers a listener for temporary errors, after which the subscription is retried; returns its
   * unsubscribe function.
   */
  onRetry(listener: (error: ClientError) => void): () => void {
    return this.#retries.add(listener);
  }

  /** Ends everything, including loops. */
  destroy(): void {
    this.#isDestroyed = true;
    this.unsubscribe();
    for (const listeners of [this.#updates, this.#errors, this.#retries]) listeners.clear();
    for (const loop of [...this.#loops]) loop.end();
  }

  /**
   * Iterates over the newest book after each change; leaving the loop does not end the
   * subscription.
   */
  [Symbol.asyncIterator](): AsyncIterator<BookView<Level>> {
    const offs: (() => void)[] = [];
    const values = new LatestValues<BookView<Level>>(() => {
      for (const off of offs) off();
      this.#loops.delete(values);
    });
    this.#loops.add(values);
    offs.push(
      this.#updates.add((book) => values.push(book)),
      this.#errors.add((error) => values.end({ error })),
    );
    if (this.#store !== undefined) values.push(this.#store);
    if (this.#isDestroyed) values.end();
    return values;
  }

  #handleUpdate(from: ComposedBook): void {
    const { view } = from;
    if (view === undefined) return;
    if (from === this.#pending) {
      this.#current?.close();
      this.#current = from;
      this.#pending = undefined;
      this.#topic = from.topic;
    }
    if (from === this.#current) this.#emitView(view);
  }

  #handleRefusal(from: ComposedBook, error: ClientError): void {
    from.close();
    if (from === this.#pending) {
      this.#pending = undefined;
      this.#requested = this.#topic;
    } else if (this.#store?.isFollowing === true) {
      // The other part was valid until now.
      this.#emitView({ ...this.#store, isFollowing: false });
    }
    this.#errors.emit(error);
  }

  #emitView(view: BookView<Level>): void {
    this.#store = view;
    this.#updates.emit(view);
  }
}

interface ComposedBookOwner {
  onUpdate(): void;
  onError(error: ClientError): void;
  onRetry(error: ClientError): void;
}

/**
 * A requested book combined with the best prices of the market, because the first group of grouped
 * levels has the price of the group.
 */
class ComposedBook {
  readonly topic: BookTopic;
  readonly #levels: Subscription<Level>;
  readonly #best: Subscription<Best> | undefined;

  constructor(stream: StreamClient, topic: BookTopic) {
    this.topic = topic;
    const { market, grouping = 1, includeVamm = false, includeIndicative = false } = topic;
    const best = { channel: 'bbo', market, includeVamm, includeIndicative } as const;
    this.#levels = stream.subscribe(topic);
    this.#best = grouping === 1 ? undefined : stream.subscribe(best);
  }

  /** The newest book; undefined until both parts have arrived. */
  get view(): BookView<Level> | undefined {
    const levels = this.#levels.view;
    if (this.#best === undefined || levels === undefined) return levels;
    const best = this.#best.view;
    if (best === undefined) return undefined;
    const { bestBidPrice, bestAskPrice } = best;
    const isFollowing = levels.isFollowing && best.isFollowing;
    return { ...levels, bestBidPrice, bestAskPrice, isFollowing };
  }

  /** Notifies the owner from now on, and immediately of the current book. */
  notifyOwner(owner: ComposedBookOwner): void {
    for (const part of [this.#levels, this.#best]) {
      part?.onError((error) => owner.onError(error));
      part?.onRetry((error) => owner.onRetry(error));
      part?.onUpdate(() => owner.onUpdate());
    }
  }

  close(): void {
    this.#levels.close();
    this.#best?.close();
  }
}
