/**
 * Live trades of markets: each trade once, without gaps, also after a lost connection.
 *
 * ```ts
 * const trades = new TradesClient({ url: 'http://127.0.0.1:8080' });
 * for await (const { kind, trades: some } of trades.subscribe('SOL-PERP')) draw(kind, some);
 * ```
 */
import { ClientError } from '../error.js';
import { list, type Message, parseNumbersAsText } from '../fields.js';
import { tradeRecord, tradeRecords } from '../generated/records.js';
import { Requester, type ServiceOptions } from '../http/request.js';
import * as limits from '../limits.js';
import type { ConnectionState } from '../stream/connection.js';
import { MarketSocket } from '../stream/market-socket.js';
import { OpenSubscriptions } from '../subscription-core.js';
import { MarketTrades } from './market-trades.js';
import type { PagesRead } from './repair.js';
import { type TradeOptions, TradeSubscription } from './subscription.js';
import { idOf, type LiveTrade, withPrice } from './trade.js';

/**
 * A client of one service. It connects while there is a subscription.
 *
 * @example
 * const client = new TradesClient({ url: 'http://127.0.0.1:8080' });
 * for await (const { trades } of client.subscribe('SOL-PERP')) console.log(trades.at(-1)?.price);
 */
export class TradesClient {
  readonly #requester: Requester;
  readonly #socket: MarketSocket<MarketTrades>;
  readonly #subscriptions = new OpenSubscriptions<TradeSubscription<LiveTrade>>();

  /** Throws INVALID_OPTION for a malformed URL. */
  constructor(options: ServiceOptions) {
    this.#requester = new Requester(options);
    this.#socket = new MarketSocket(options, {
      keyOf: ({ symbol }) => String(symbol).toLowerCase(),
      onMessage: (message) => this.#handleMessage(message),
      parse: parseNumbersAsText,
    });
  }

  /** The connection state. */
  get connection(): ConnectionState {
    return this.#socket.connection.state;
  }

  /** Registers a listener for changes of the connection's state. Returns its unsubscribe function. */
  onConnection(listener: (state: ConnectionState) => void): () => void {
    return this.#socket.connection.states.add(listener);
  }

  /**
   * Follows the trades of a market by its symbol. Equal symbols of one client share one
   * subscription at the service. Throws CLOSED after `close`, INVALID_OPTION for a market's key
   * (`perp_0`), and WEBSOCKET_NOT_FOUND.
   */
  subscribe(
    symbol: string,
    { signal, waitingMax = limits.TRADES_WAITING_MAX }: TradeOptions = {},
  ): TradeSubscription<LiveTrade> {
    this.#subscriptions.checkOpen();
    // Messages have the symbol of a market only.
    if (/^(perp|spot)_\d+$/i.test(symbol)) {
      throw new ClientError('INVALID_OPTION', `symbol was ${symbol}, must be a name as SOL-PERP`);
    }
    const fetchBackTo = this.#fetchBackTo.bind(this);
    const market = this.#socket.joinEntry({ symbol }, (socket) => {
      return new MarketTrades(symbol, socket, fetchBackTo);
    });
    return this.#subscriptions.add(
      (onClose) => new TradeSubscription(market, onClose, { waitingMax, signal }),
      () => this.#socket.leaveEntry({ symbol }, market),
    );
  }

  /** Ends all subscriptions and the connection. */
  close(): void {
    this.#subscriptions.closeAll();
    this.#socket.close();
  }

  async #fetchBackTo(symbol: string, id: bigint, signal: AbortSignal): Promise<PagesRead> {
    const path = `/market/${encodeURIComponent(symbol)}/trades`;
    const trades: LiveTrade[] = [];
    let page: string | undefined;
    for (let pages = 0; pages < limits.TRADE_PAGES_MAX; pages += 1) {
      const query = { limit: limits.TRADES_PAGE, page };
      const question = { path, query, read: tradeRecords };
      const { records, meta } = (await this.#requester.get(question, { signal })).value;
      trades.push(...records.map(withPrice));
      const oldest = trades.at(-1);
      const isWhole = meta.nextPage === null || (oldest !== undefined && idOf(oldest) <= id);
      if (isWhole) return { trades, isWhole };
      page = meta.nextPage ?? undefined;
    }
    return { trades, isWhole: false };
  }

  #handleMessage(message: Message): void {
    const { type } = message;
    const market = this.#socket.findEntry(message);
    if (market === undefined || message['channelType'] !== 'trades') return;
    if (type === 'subscription') market.handleAcknowledged();
    if (type !== 'init' && type !== 'update') return;
    const trades = list(tradeRecord)(message['trades'], 'trades').map(withPrice);
    this.#socket.connection.resetBackoff();
    if (type === 'init') market.handleInit(trades);
    else market.handleTrades(trades, Number(message['tradesLeftOut'] ?? 0));
  }
}
