/**
 * The compatible channels of a service, which others of its kind have as well: whole books, and trades.
 * `StreamClient` and `TradesClient` do more with less traffic where the service is this one.
 *
 * ```ts
 * const channels = new ChannelClient({ url: 'http://127.0.0.1:8080' });
 * const topic = { channel: 'orderbook', marketType: 'perp', market: 'SOL-PERP' } as const;
 * for await (const { bids, asks } of channels.books(topic)) draw(bids, asks);
 * ```
 */
import type { ClientError } from '../error.js';
import { type Of, object, parseExact, parseNumbersAsText } from '../fields.js';
import { type L2Book, l2Book } from '../http/book-shapes.js';
import { tradeFacts } from '../http/record-shapes.js';
import type { MarketType } from '../keys.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import type { SocketOptions } from '../stream/service-socket.js';
import { OpenSubscriptions } from '../subscription-core.js';
import { type TradeOptions, TradeSubscription } from '../trades/subscription.js';
import type { TradeBatch } from '../trades/trade.js';
import { BookSubscription } from './book-subscription.js';
import { ChannelSocket } from './channel-socket.js';

/** Whole books: the body of /l2 whenever it changes. */
export interface BooksChannel {
  /** `orderbook_indicative` has the indicative quotes as well. */
  readonly channel: 'orderbook' | 'orderbook_indicative';
  readonly marketType: MarketType;
  /** Its name, in any case. */
  readonly market: string;
  /** Ticks a group. */
  readonly grouping?: number;
  /** Levels a side, 1 to 1,000; 20 by default. */
  readonly depth?: number;
  /** True by default. */
  readonly includeVamm?: boolean;
}

/** Trades one by one, from now on. */
export interface TradesChannel {
  readonly channel: 'trades';
  readonly marketType: MarketType;
  readonly market: string;
}

/** A trade as this channel sends it. */
export const channelTrade = object(tradeFacts);

/** A trade as this channel sends it. */
export type ChannelTrade = Of<typeof channelTrade>;

/**
 * A client of one service. Every subscription has a socket of its own.
 *
 * @example
 * const channels = new ChannelClient({ url: 'http://127.0.0.1:8080' });
 * const topic = { channel: 'trades', marketType: 'perp', market: 'SOL-PERP' } as const;
 * channels.trades(topic).onTrades(({ trades }) => console.log(trades.length));
 */
export class ChannelClient {
  readonly #options: SocketOptions;
  readonly #subscriptions = new OpenSubscriptions<{ readonly isOpen: boolean; close(): void }>();

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  /**
   * Follows a book. After a lost connection it continues with the newest. Throws CLOSED after `close`,
   * INVALID_OPTION for a malformed URL, and WEBSOCKET_NOT_FOUND.
   */
  books(topic: BooksChannel, { signal }: { readonly signal?: AbortSignal } = {}): BookSubscription {
    this.#subscriptions.checkOpen();
    const books = new Listeners<L2Book>();
    const socket = new ChannelSocket(this.#options, topic, {
      onData: (json) => books.emit(l2Book(parseExact(json), 'data')),
      onPossibleGap: () => {},
    });
    return this.#subscriptions.add(
      (onClose) => new BookSubscription({ books, ends: socket.ends }, onClose, signal),
      () => socket.close(),
    );
  }

  /**
   * Follows trades from now on. Those of a lost connection are not emitted: the next batch says how
   * many numbers are missing before it, which `TradesClient` would have fetched. Throws as
   * {@link ChannelClient.books}.
   */
  trades(
    topic: TradesChannel,
    { signal, waitingMax = limits.TRADES_WAITING_MAX }: TradeOptions = {},
  ): TradeSubscription<ChannelTrade> {
    this.#subscriptions.checkOpen();
    const updates = new Listeners<TradeBatch<ChannelTrade>>();
    const gaps = new GapCounter();
    const socket = new ChannelSocket(this.#options, topic, {
      onData: (json) => {
        const trade = channelTrade(parseNumbersAsText(json), 'data');
        const leftOut = gaps.countBefore(trade);
        updates.emit({ kind: 'update', trades: [trade], takenBack: [], leftOut });
      },
      onPossibleGap: () => gaps.expectGap(),
    });
    const retries = new Listeners<ClientError>();
    const source = { init: undefined, updates, ends: socket.ends, retries };
    return this.#subscriptions.add(
      (onClose) => new TradeSubscription(source, onClose, { waitingMax, signal }),
      () => socket.close(),
    );
  }

  /** Ends all subscriptions and their sockets. */
  close(): void {
    this.#subscriptions.closeAll();
  }
}

/** Counts missing trades, by the numbers that the program gives the fills of a market. */
class GapCounter {
  #last: bigint | undefined;
  #isGapPossible = false;

  expectGap(): void {
    this.#isGapPossible = true;
  }

  countBefore({ fillRecordId }: ChannelTrade): number {
    if (fillRecordId === null) return 0;
    const [last, isGapPossible] = [this.#last, this.#isGapPossible];
    // One that came late is not the last.
    if (last !== undefined && fillRecordId <= last) return 0;
    this.#last = fillRecordId;
    this.#isGapPossible = false;
    return isGapPossible && last !== undefined ? Number(fillRecordId - last - 1n) : 0;
  }
}
