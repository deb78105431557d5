/**
 * The candles of one service: the socket that all live series share, and the pages of past candles.
 */
import { withAbort } from '../environment.js';
import { ClientError } from '../error.js';
import { list, type Message, object, objectOf, text, whole, word } from '../fields.js';
import { type Candle, candle } from '../generated/candles.js';
import { Requester, type ServiceOptions } from '../http/request.js';
import { marketKey } from '../keys.js';
import type { Connection } from '../stream/connection.js';
import { MarketSocket } from '../stream/market-socket.js';
import { seriesKey } from './candle.js';
import { type FetchFrom, LiveCandles, type LiveName } from './live.js';
import { fetchRange } from './pages.js';

const marketNames = list(
  object({ symbol: text, marketType: word('perp', 'spot'), marketIndex: whole }),
);

/** One service. */
export class CandleFeed {
  readonly requester: Requester;
  readonly #socket: MarketSocket<LiveCandles>;
  #symbols: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(options: ServiceOptions) {
    this.requester = new Requester(options);
    this.#socket = new MarketSocket(options, {
      keyOf: seriesKey,
      onMessage: (message) => this.#handleMessage(message),
    });
  }

  get connection(): Connection {
    return this.#socket.connection;
  }

  /** Returns the symbol of the market with a key. Rejects with UNKNOWN_MARKET or ABORTED. */
  async symbolOf(key: string, signal?: AbortSignal): Promise<string> {
    this.#symbols ??= this.#fetchSymbols().catch((error: unknown) => {
      this.#symbols = undefined;
      throw error;
    });
    // Other callers wait for the same fetch, so an abort ends only this wait.
    const symbols = await withAbort(this.#symbols, signal);
    const symbol = symbols.get(key);
    if (symbol !== undefined) return symbol;
    // The list is fetched again on the next call, which may find a market that is listed by then.
    this.#symbols = undefined;
    throw new ClientError('UNKNOWN_MARKET', `there is no market ${key}`);
  }

  /** Joins a live series, and starts it if needed; {@link CandleFeed.leaveSeries} leaves it. */
  joinSeries(name: LiveName): LiveCandles {
    const fetchFrom: FetchFrom = (fromTs, signal) => this.#fetchFrom(name, fromTs, signal);
    return this.#socket.joinEntry(name, (link) => new LiveCandles(name, link, fetchFrom));
  }

  /** Leaves a live series, which ends with its last subscriber. */
  leaveSeries(candles: LiveCandles): void {
    this.#socket.leaveEntry(candles.name, candles);
  }

  /** Returns the live series of a name; undefined when it is not followed. */
  findSeries(name: LiveName): LiveCandles | undefined {
    return this.#socket.findEntry(name);
  }

  close(): void {
    this.#socket.close();
  }

  /** Unix seconds. */
  nowS(): number {
    return Math.floor(this.connection.clock.unixMs() / 1_000);
  }

  #fetchFrom(name: LiveName, fromTs: number, signal: AbortSignal): Promise<readonly Candle[]> {
    const range = { ...name, fromTs, toTs: Number.POSITIVE_INFINITY };
    return fetchRange(this.requester, range, { nowS: this.nowS(), signal });
  }

  async #fetchSymbols(): Promise<ReadonlyMap<string, string>> {
    const question = { path: '/markets', read: marketNames };
    const { value } = await this.requester.get(question);
    return new Map(
      value.map(({ marketType, marketIndex, symbol }) => [
        marketKey(marketType, marketIndex),
        symbol,
      ]),
    );
  }

  #handleMessage(message: Message): void {
    const { type } = message;
    if (type === 'subscription') this.#socket.findEntry(message)?.handleAcknowledged();
    if (type !== 'init' && type !== 'update' && type !== 'create') return;
    const sent = objectOf(message['candle'], 'candle');
    const live = this.#socket.findEntry({ ...message, ...sent });
    if (live === undefined) return;
    const read = candle(sent, 'candle');
    this.connection.resetBackoff();
    if (type === 'init') live.handleInit(read);
    else live.handleCandle(read);
  }
}
