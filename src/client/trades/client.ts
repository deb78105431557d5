/**
 * Trades as they happen: each once, none missing, also over a lost connection.
 *
 * ```ts
 * const trades = new TradesClient({ url: 'http://127.0.0.1:8080' });
 * for await (const { kind, trades: some } of trades.subscribe('SOL-PERP')) draw(kind, some);
 * ```
 */
import { ClientError } from '../error.js';
import { objectOf, parseNumbersAsText } from '../fields.js';
import { streamTrades, tradeRecords } from '../http/record-shapes.js';
import { Requester, type ServiceOptions } from '../http/request.js';
import * as limits from '../limits.js';
import { Connection, type ConnectionState } from '../stream/connection.js';
import { Liveness } from '../stream/liveness.js';
import { isTransient } from '../stream/passing.js';
import { serviceAddress } from '../stream/service-socket.js';
import { MarketTrades, type MarketTradesSource } from './market-trades.js';
import type { PagesRead } from './repair.js';
import { type TradeOptions, TradeSubscription } from './subscription.js';
import { idOf, type LiveTrade, withPrice } from './trade.js';

type Message = Readonly<Record<string, unknown>>;

interface Followed {
  readonly trades: MarketTrades;
  users: number;
}

/** A client of one service. It connects while there is a subscription. */
export class TradesClient {
  readonly #requester: Requester;
  readonly #connection: Connection;
  readonly #liveness: Liveness;
  readonly #source: MarketTradesSource;
  readonly #followed = new Map<string, Followed>();
  readonly #open = new Set<TradeSubscription<LiveTrade>>();
  #isClosed = false;

  constructor(options: ServiceOptions) {
    this.#requester = new Requester(options);
    const connection = new Connection(
      { ...options, address: serviceAddress(options) },
      {
        onOpen: () => this.#opened(),
        onMessage: (json) => this.#said(json),
        onDisconnect: () => this.#each((trades) => trades.handleDisconnect()),
      },
    );
    this.#connection = connection;
    this.#liveness = new Liveness(connection, () => this.#followed.size > 0);
    this.#source = {
      clock: connection.clock,
      sendMessage: (message) => connection.sendMessage(message),
      restart: () => connection.restart(),
      fetchBackTo: (symbol, id, signal) => this.#fetchBackTo(symbol, id, signal),
    };
  }

  /** What the connection is doing. */
  get connection(): ConnectionState {
    return this.#connection.state;
  }

  /** Calls when the connection does something else; answers what ends that. */
  onConnection(listener: (state: ConnectionState) => void): () => void {
    return this.#connection.states.add(listener);
  }

  /** Follows the trades of a market by its symbol. Equal symbols of one client are one for the service. */
  subscribe(
    symbol: string,
    { signal, waitingMax = limits.TRADES_WAITING_MAX }: TradeOptions = {},
  ): TradeSubscription<LiveTrade> {
    if (this.#isClosed) throw new ClientError('CLOSED', 'the client was closed');
    const key = symbol.toLowerCase();
    const followed = this.#follow(symbol, key);
    followed.users += 1;
    // It may be aborted before it is made.
    let made: TradeSubscription<LiveTrade> | undefined;
    const onClose = (): void => {
      if (made !== undefined) this.#open.delete(made);
      this.#leave(key, followed);
    };
    const options = signal === undefined ? { waitingMax } : { waitingMax, signal };
    made = new TradeSubscription(followed.trades, onClose, options);
    if (made.isOpen) this.#open.add(made);
    return made;
  }

  /** Ends all subscriptions and the connection. */
  close(): void {
    this.#isClosed = true;
    for (const subscription of [...this.#open]) subscription.close();
    this.#connection.close();
  }

  #follow(symbol: string, key: string): Followed {
    const known = this.#followed.get(key);
    if (known !== undefined) return known;
    this.#connection.open();
    const followed = { trades: new MarketTrades(symbol, this.#source), users: 0 };
    this.#followed.set(key, followed);
    if (this.#connection.state === 'open') followed.trades.subscribe();
    this.#liveness.startWatch();
    return followed;
  }

  /** The last one to leave ends it. */
  #leave(key: string, followed: Followed): void {
    followed.users -= 1;
    if (followed.users > 0 || this.#followed.get(key) !== followed) return;
    followed.trades.unsubscribe();
    this.#followed.delete(key);
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

  #opened(): void {
    this.#liveness.noteReceived();
    this.#each((trades) => trades.subscribe());
  }

  #said(json: string): void {
    this.#liveness.noteReceived();
    try {
      this.#take(objectOf(parseNumbersAsText(json), 'a message'));
    } catch {
      // Something that is no message of this interface: the rest cannot be trusted either.
      this.#connection.restart();
    }
  }

  #take(message: Message): void {
    const { type } = message;
    if (type === 'closing') this.#connection.setNextPause(Number(message['reconnectAfterMs']) || 0);
    if (type === 'error') this.#handleError(message);
    const market = this.#findNamed(message);
    if (market === undefined || message['channelType'] !== 'trades') return;
    if (type === 'subscription') market.handleAcknowledged();
    if (type !== 'init' && type !== 'update') return;
    this.#connection.resetBackoff();
    const trades = streamTrades(message['trades'], 'trades').map(withPrice);
    const leftOut = Number(message['tradesLeftOut'] ?? 0);
    if (type === 'init') market.handleInit(trades);
    else market.handleTrades(trades, leftOut);
  }

  #findNamed({ symbol }: Message): MarketTrades | undefined {
    return this.#followed.get(String(symbol).toLowerCase())?.trades;
  }

  /** An error that does not say what it is about is about whatever is being asked for. */
  #handleError(message: Message): void {
    const said = String(message['message']).slice(0, limits.TEXT_CHARS_MAX);
    const error = new ClientError(String(message['code'] ?? 'MALFORMED_MESSAGE'), said);
    const named = this.#findNamed(message);
    const isAboutAny = message['symbol'] === undefined;
    this.#each((trades) => {
      if (trades !== named && !(isAboutAny && trades.isSubscribing)) return;
      if (isTransient(error.code, this.#followed.size)) trades.postponed(error);
      else trades.refused(error);
    });
  }

  #each(call: (trades: MarketTrades) => void): void {
    for (const { trades } of [...this.#followed.values()]) call(trades);
  }
}
