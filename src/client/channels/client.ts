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
import { ClientError } from '../error.js';
import { parseExact, parseNumbersAsText } from '../fields.js';
import { type L2Book, l2Book } from '../http/book-shapes.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import type { SocketOptions } from '../stream/service-socket.js';
import { type TradeOptions, TradeSubscription } from '../trades/subscription.js';
import type { TradeBatch } from '../trades/trade.js';
import { BookSubscription } from './book-subscription.js';
import { ChannelSocket } from './channel-line.js';
import { type BooksChannel, type ChannelTrade, channelTrade, type TradesChannel } from './topic.js';

/** A client of one service. Every subscription has a socket of its own. */
export class ChannelClient {
  readonly #open = new Set<{ close(): void }>();
  #isClosed = false;

  constructor(private readonly options: SocketOptions) {}

  /** Follows a book. A book that is lost for a while goes on with the newest. */
  books(topic: BooksChannel, { signal }: { readonly signal?: AbortSignal } = {}): BookSubscription {
    this.#check();
    const books = new Listeners<L2Book>();
    const line = new ChannelSocket(this.options, topic, {
      onData: (json) => books.emit(l2Book(parseExact(json), 'data')),
      onPossibleGap: () => {},
    });
    const source = { books, ends: line.ends };
    return this.#opened(line, (close) => new BookSubscription(source, close, signal));
  }

  /**
   * Follows trades from now on. Those of a lost connection are not told: the next batch says how many
   * numbers are missing before it, which `TradesClient` would have read.
   */
  trades(
    topic: TradesChannel,
    { signal, waitingMax = limits.TRADES_WAITING_MAX }: TradeOptions = {},
  ): TradeSubscription<ChannelTrade> {
    this.#check();
    const updates = new Listeners<TradeBatch<ChannelTrade>>();
    const numbers = new GapCounter();
    const line = new ChannelSocket(this.options, topic, {
      onData: (json) => {
        const trade = channelTrade(parseNumbersAsText(json), 'data');
        const leftOut = numbers.countBefore(trade);
        updates.emit({ kind: 'update', trades: [trade], takenBack: [], leftOut });
      },
      onPossibleGap: () => numbers.mayMiss(),
    });
    const source = {
      init: undefined,
      updates,
      ends: line.ends,
      retries: new Listeners<ClientError>(),
    };
    const options = { waitingMax, signal };
    return this.#opened(line, (close) => new TradeSubscription(source, close, options));
  }

  /** Ends everything. */
  close(): void {
    this.#isClosed = true;
    for (const subscription of [...this.#open]) subscription.close();
  }

  /** What is open is closed with the client; a subscription closes its line. */
  #opened<S extends { readonly isOpen: boolean; close(): void }>(
    line: ChannelSocket,
    subscribe: (close: () => void) => S,
  ): S {
    // It may be aborted before it is made.
    let made: S | undefined;
    made = subscribe(() => {
      line.close();
      if (made !== undefined) this.#open.delete(made);
    });
    if (made.isOpen) this.#open.add(made);
    return made;
  }

  #check(): void {
    if (this.#isClosed) throw new ClientError('CLOSED', 'the client was closed');
  }
}

/** Counts what is missing, by the numbers that the program gives the fills of a market. */
class GapCounter {
  #last: bigint | undefined;
  #expectGap = false;

  mayMiss(): void {
    this.#expectGap = true;
  }

  countBefore({ fillRecordId }: ChannelTrade): number {
    if (fillRecordId === null) return 0;
    const [last, mayMiss] = [this.#last, this.#expectGap];
    // One that came late is not the last.
    if (last !== undefined && fillRecordId <= last) return 0;
    this.#last = fillRecordId;
    this.#expectGap = false;
    return mayMiss && last !== undefined ? Number(fillRecordId - last - 1n) : 0;
  }
}
