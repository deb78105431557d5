/**
 * The candles of one service: the socket that all live series share, and the pages of past candles.
 */
import { withAbort } from '../environment.js';
import { ClientError } from '../error.js';
import { list, type Message, object, objectOf, text, whole, word } from '../fields.js';
import { type Candle, candle } from '../generated/candles.js';
import { Requester, type ServiceOptions } from '../http/request.js';
import { marketKey } from '../keys.js';
import * as limits from '../limits.js';
import type { Connection } from '../stream/connection.js';
import { Liveness } from '../stream/market-subscription.js';
import { isTransient, ServiceSocket } from '../stream/service-socket.js';
import { SharedEntries } from '../subscription-core.js';
import { seriesKey } from './candle.js';
import { LiveCandles, type LiveName } from './live.js';
import { fetchRange } from './pages.js';

const marketNames = list(
  object({ symbol: text, marketType: word('perp', 'spot'), marketIndex: whole }),
);

/** One service. */
export class CandleFeed {
  readonly requester: Requester;
  readonly connection: Connection;
  readonly #socket: ServiceSocket;
  readonly #live = new SharedEntries<LiveCandles>();
  readonly #liveness: Liveness;
  #symbols: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(options: ServiceOptions) {
    this.requester = new Requester(options);
    this.#socket = new ServiceSocket(
      { ...options, encoding: 'json' },
      {
        onOpen: () => {
          this.#liveness.noteReceived();
          this.#live.eachEntry(({ subscription }) => subscription.subscribe());
        },
        onMessage: (message) => this.#handleMessage(message),
        onError: (error, message) => this.#handleError(error, message),
        onDisconnect: () => {
          this.#live.eachEntry(({ subscription }) => subscription.handleDisconnect());
        },
      },
    );
    this.connection = this.#socket.connection;
    this.#liveness = new Liveness(this.connection, () => this.#live.size > 0);
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
    const key = keyOf(name);
    const known = this.#live.joinEntry(key);
    if (known !== undefined) return known;
    const { connection } = this;
    const candles = new LiveCandles(name, {
      clock: connection.clock,
      sendMessage: (message) => this.#socket.sendTopic(message),
      restart: () => connection.restart(),
      fetchFrom: (fromTs, signal) => this.#fetchFrom(name, fromTs, signal),
    });
    connection.open();
    this.#live.addEntry(key, candles);
    // A subscription after the end starts another series.
    candles.subscription.ends.add(() => this.#live.deleteEntry(key));
    if (connection.state === 'open') candles.subscription.subscribe();
    this.#liveness.startWatch();
    return candles;
  }

  /** Leaves a live series, which ends with its last subscriber. */
  leaveSeries(candles: LiveCandles): void {
    this.#live.leaveEntry(keyOf(candles.name), candles, ({ subscription }) =>
      subscription.unsubscribe(),
    );
  }

  /** Returns the live series of a name; undefined when it is not followed. */
  findSeries(name: LiveName): LiveCandles | undefined {
    return this.#live.findEntry(keyOf(name));
  }

  close(): void {
    this.#live.eachEntry(({ subscription }) => subscription.unsubscribe());
    this.#live.deleteAll();
    this.connection.close();
  }

  /** Unix seconds. */
  nowS(): number {
    return Math.floor(this.connection.clock.unixMs() / 1_000);
  }

  #fetchFrom(name: LiveName, fromTs: number, signal: AbortSignal): Promise<readonly Candle[]> {
    const nowS = this.nowS();
    const toTs = nowS + limits.CLOCKS_APART_S_MAX;
    return fetchRange(this.requester, { ...name, fromTs, toTs }, { nowS, signal });
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
    this.#liveness.noteReceived();
    if (type === 'subscription') this.#findNamed(message)?.handleAcknowledged();
    if (type !== 'init' && type !== 'update' && type !== 'create') return;
    const sent = objectOf(message['candle'], 'candle');
    const live = this.#findNamed({ ...message, ...sent });
    if (live === undefined) return;
    this.connection.resetBackoff();
    const read = candle(sent, 'candle');
    if (type === 'init') live.handleInit(read);
    else live.handleCandle(read);
  }

  #findNamed({ symbol, resolution }: Message): LiveCandles | undefined {
    return this.#live.findEntry(seriesKey(String(symbol), String(resolution)));
  }

  /** Handles an error; an error without a series affects all pending subscriptions. */
  #handleError(error: ClientError, message: Message): void {
    this.#liveness.noteReceived();
    const named = this.#findNamed(message);
    const transience = isTransient(error, this.#live.size) ? 'transient' : 'final';
    this.#live.eachEntry((candles) => {
      const isMeant =
        message['symbol'] === undefined ? candles.subscription.isSubscribing : candles === named;
      if (isMeant) candles.subscription.handleError(error, transience);
    });
  }
}

function keyOf({ symbol, resolution }: LiveName): string {
  return seriesKey(symbol, resolution);
}
