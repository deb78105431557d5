/**
 * Live trades of markets: each trade once, without gaps, also after a lost connection.
 *
 * ```ts
 * const trades = new TradesClient({ url: 'http://127.0.0.1:8080' });
 * for await (const { kind, trades: some } of trades.subscribe('SOL-PERP')) draw(kind, some);
 * ```
 */
import type { ClientError } from '../error.js';
import { list, type Message, parseNumbersAsText } from '../fields.js';
import { tradeRecord, tradeRecords } from '../generated/records.js';
import { Requester, type ServiceOptions } from '../http/request.js';
import * as limits from '../limits.js';
import type { Connection, ConnectionState } from '../stream/connection.js';
import { Liveness } from '../stream/market-subscription.js';
import { isTransient, ServiceSocket } from '../stream/service-socket.js';
import { OpenSubscriptions, SharedEntries } from '../subscription-core.js';
import { MarketTrades, type MarketTradesSource } from './market-trades.js';
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
  readonly #connection: Connection;
  readonly #liveness: Liveness;
  readonly #source: MarketTradesSource;
  readonly #markets = new SharedEntries<MarketTrades>();
  readonly #subscriptions = new OpenSubscriptions<TradeSubscription<LiveTrade>>();

  /** Throws INVALID_OPTION for a malformed URL. */
  constructor(options: ServiceOptions) {
    this.#requester = new Requester(options);
    const owner = {
      onOpen: () => {
        this.#liveness.noteReceived();
        this.#markets.eachEntry((trades) => trades.subscribe());
      },
      onMessage: (message: Message) => this.#handleMessage(message),
      onError: (error: ClientError, message: Message) => this.#handleError(error, message),
      onDisconnect: () => {
        this.#markets.eachEntry(({ subscription }) => subscription.handleDisconnect());
      },
    };
    const socket = new ServiceSocket({ ...options, encoding: 'json' }, owner, parseNumbersAsText);
    const connection = socket.connection;
    this.#connection = connection;
    this.#liveness = new Liveness(connection, () => this.#markets.size > 0);
    this.#source = {
      clock: connection.clock,
      sendMessage: (message) => socket.sendTopic(message),
      restart: () => connection.restart(),
      fetchBackTo: (symbol, id, signal) => this.#fetchBackTo(symbol, id, signal),
    };
  }

  /** The connection state. */
  get connection(): ConnectionState {
    return this.#connection.state;
  }

  /** Registers a listener for changes of the connection's state. Returns its unsubscribe function. */
  onConnection(listener: (state: ConnectionState) => void): () => void {
    return this.#connection.states.add(listener);
  }

  /**
   * Follows the trades of a market by its symbol. Equal symbols of one client share one
   * subscription at the service. Throws CLOSED after `close`, and WEBSOCKET_NOT_FOUND.
   */
  subscribe(
    symbol: string,
    { signal, waitingMax = limits.TRADES_WAITING_MAX }: TradeOptions = {},
  ): TradeSubscription<LiveTrade> {
    this.#subscriptions.checkOpen();
    const key = symbol.toLowerCase();
    const market = this.#markets.joinEntry(key) ?? this.#addMarket(key, symbol);
    return this.#subscriptions.add(
      (onClose) => new TradeSubscription(market, onClose, { waitingMax, signal }),
      () => this.#markets.leaveEntry(key, market, () => market.subscription.unsubscribe()),
    );
  }

  /** Ends all subscriptions and the connection. */
  close(): void {
    this.#subscriptions.closeAll();
    this.#connection.close();
  }

  #addMarket(key: string, symbol: string): MarketTrades {
    this.#connection.open();
    const market = this.#markets.addEntry(key, new MarketTrades(symbol, this.#source));
    if (this.#connection.state === 'open') market.subscribe();
    this.#liveness.startWatch();
    return market;
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
    this.#liveness.noteReceived();
    const market = this.#findNamed(message);
    if (market === undefined || message['channelType'] !== 'trades') return;
    if (type === 'subscription') market.handleAcknowledged();
    if (type !== 'init' && type !== 'update') return;
    this.#connection.resetBackoff();
    const trades = list(tradeRecord)(message['trades'], 'trades').map(withPrice);
    if (type === 'init') market.handleInit(trades);
    else market.handleTrades(trades, Number(message['tradesLeftOut'] ?? 0));
  }

  #findNamed({ symbol }: Message): MarketTrades | undefined {
    return this.#markets.findEntry(String(symbol).toLowerCase());
  }

  /** Handles an error; an error without a market affects all pending subscriptions. */
  #handleError(error: ClientError, message: Message): void {
    this.#liveness.noteReceived();
    const named = this.#findNamed(message);
    const transience = isTransient(error, this.#markets.size) ? 'transient' : 'final';
    this.#markets.eachEntry((market) => {
      const isMeant =
        message['symbol'] === undefined ? market.subscription.isSubscribing : market === named;
      if (isMeant) market.subscription.handleError(error, transience);
    });
  }
}
