/**
 * The order book of the market that somebody looks at: one at a time, whose market, grouping and depth
 * can be changed while it is followed.
 *
 * ```ts
 * const book = new OrderBookCache(stream);
 * book.onUpdate(({ bids, asks, bestBidPrice, bestAskPrice }) => draw(bids, asks));
 * book.updateSubscription({ market: 'SOL-PERP', grouping: 10 });
 * book.updateSubscription({ grouping: 100 });
 * ```
 */
import { ClientError } from '../error.js';
import { LatestValues, Listeners } from '../listeners.js';
import type { Level } from '../row-shapes.js';
import type { StreamClient } from '../stream/client.js';
import type { Subscription } from '../stream/subscription.js';
import type { BookTopic, BookView, StreamDepth } from '../stream/topic.js';
import { BestPrices } from './best-prices.js';

/** What is shown; what is left out stays as it was. */
export interface BookWish {
  readonly market?: string;
  /** Ticks a group, 1 at first. */
  readonly grouping?: number;
  /** Levels a side, 50 at first. */
  readonly depth?: StreamDepth;
  /** Whether the AMM's levels are shown, true at first. */
  readonly includeVamm?: boolean;
  /** Whether quotes of makers without an order are shown, false at first. */
  readonly includeIndicative?: boolean;
}

/**
 * An order book that callbacks are told of. Its best prices are those of the market, also where levels
 * are grouped and the best group stands at another price.
 */
export class OrderBookCache implements AsyncIterable<BookView<Level>> {
  readonly #stream: StreamClient;
  readonly #updates = new Listeners<BookView<Level>>();
  readonly #errors = new Listeners<ClientError>();
  readonly #best: BestPrices;
  #topic: BookTopic = { channel: 'book', market: '', includeVamm: true };
  #shown: Subscription<Level> | undefined;
  #coming: Subscription<Level> | undefined;
  #store: BookView<Level> | undefined;

  /** The stream stays its owner's: it is not closed here. */
  constructor(stream: StreamClient) {
    this.#stream = stream;
    this.#best = new BestPrices(stream, () => this.#tell());
  }

  /** The newest book; undefined before the first, and after `unsubscribe`. */
  get store(): BookView<Level> | undefined {
    return this.#store;
  }

  /**
   * Shows another book, or the same in another way. The old one is shown until the new one is there,
   * unless it is of another market. Throws INVALID_OPTION when no market was ever named.
   */
  updateSubscription(wish: BookWish): void {
    const { market } = this.#topic;
    this.#topic = { ...this.#topic, ...wish };
    if (this.#topic.market === '') {
      throw new ClientError('INVALID_OPTION', 'there is no market yet', {}, { param: 'market' });
    }
    if (market !== this.#topic.market) this.unsubscribe();
    this.#best.follow(this.#topic);
    this.#coming?.close();
    const coming = this.#stream.subscribe(this.#topic);
    this.#coming = coming;
    coming.onError((error) => this.#errors.tell(error));
    coming.onUpdate(() => this.#take(coming));
  }

  /** Ends what is followed; listeners stay for what is followed next. */
  unsubscribe(): void {
    this.#shown?.close();
    this.#coming?.close();
    this.#best.close();
    this.#shown = undefined;
    this.#coming = undefined;
    this.#store = undefined;
  }

  /** Calls with every book; answers what ends that. */
  onUpdate(listener: (book: BookView<Level>) => void): () => void {
    return this.#updates.add(listener);
  }

  /** Calls when the service refuses what is wished for, or does not serve it any longer. */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#errors.add(listener);
  }

  /** Ends everything. */
  destroy(): void {
    this.unsubscribe();
    this.#updates.clear();
    this.#errors.clear();
  }

  /** The newest book, each time that there is another one; leaving the loop ends nothing else. */
  [Symbol.asyncIterator](): AsyncIterator<BookView<Level>> {
    const offs: (() => void)[] = [];
    const values = new LatestValues<BookView<Level>>(() => {
      for (const off of offs) off();
    });
    offs.push(
      this.#updates.add((book) => values.push(book)),
      this.#errors.add((error) => values.end({ error })),
    );
    if (this.#store !== undefined) values.push(this.#store);
    return values;
  }

  #take(from: Subscription<Level>): void {
    if (from === this.#coming) {
      this.#shown?.close();
      this.#shown = from;
      this.#coming = undefined;
    }
    if (from === this.#shown) this.#tell();
  }

  #tell(): void {
    const view = this.#shown?.view;
    if (view === undefined) return;
    const book = { ...view, ...this.#best.prices };
    this.#store = book;
    this.#updates.tell(book);
  }
}
