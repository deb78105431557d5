/** The candles of one service: the socket that all its live series share, and its pages. */

import { withAbort } from '../environment.js';
import { ClientError } from '../error.js';
import { list, object, objectOf, text, whole, word } from '../fields.js';
import { Requester, type ServiceOptions } from '../http/request.js';
import { type MarketType, marketKey } from '../keys.js';
import * as limits from '../limits.js';
import { Connection } from '../stream/connection.js';
import { Liveness } from '../stream/liveness.js';
import { isTransient } from '../stream/passing.js';
import { serviceAddress } from '../stream/service-socket.js';
import { type Candle, candle } from './candle.js';
import { LiveCandles, type LiveName } from './live.js';
import { fetchRange } from './pages.js';
import { seriesKey } from './resolution.js';

type Message = Readonly<Record<string, unknown>>;

const marketNames = list(
  object({ symbol: text, marketType: word('perp', 'spot'), marketIndex: whole }),
);

/** One service. */
export class CandleFeed {
  readonly requester: Requester;
  readonly connection: Connection;
  readonly #live = new Map<string, { readonly candles: LiveCandles; users: number }>();
  #symbols: Promise<ReadonlyMap<string, string>> | undefined;
  readonly #liveness: Liveness;

  constructor(options: ServiceOptions) {
    this.requester = new Requester(options);
    this.connection = new Connection(
      { ...options, address: serviceAddress(options) },
      {
        onOpen: () => this.#opened(),
        onMessage: (json) => this.#said(json),
        onDisconnect: () => this.#each((candles) => candles.handleDisconnect()),
      },
    );
    this.#liveness = new Liveness(this.connection, () => this.#live.size > 0);
  }

  /** The symbol of a market. Throws UNKNOWN_MARKET, and the signal's reason. */
  async symbolOf(
    market: { readonly marketType: MarketType; readonly marketIndex: number },
    signal?: AbortSignal,
  ): Promise<string> {
    const key = marketKey(market.marketType, market.marketIndex);
    this.#symbols ??= this.#fetchSymbols().catch((error: unknown) => {
      this.#symbols = undefined;
      throw error;
    });
    // Others wait for it as well: an abort ends this wait alone.
    const symbols = await withAbort(this.#symbols, signal);
    const symbol = symbols.get(key);
    if (symbol !== undefined) return symbol;
    // A market that comes later is found by whoever asks again.
    this.#symbols = undefined;
    throw new ClientError('UNKNOWN_MARKET', `there is no market ${key}`);
  }

  /** A live series, which is begun if it is not there; {@link CandleFeed.leaveSeries} gives it back. */
  joinSeries(name: LiveName): LiveCandles {
    const key = seriesKey(name.symbol, name.resolution);
    const known = this.#live.get(key);
    if (known !== undefined) {
      known.users += 1;
      return known.candles;
    }
    const candles = new LiveCandles(name, {
      clock: this.connection.clock,
      sendMessage: (message) => this.connection.sendMessage(message),
      restart: () => this.connection.restart(),
      fetchFrom: (fromTs, signal) => this.#fetchFrom(name, fromTs, signal),
    });
    this.connection.open();
    this.#live.set(key, { candles, users: 1 });
    // Whoever follows it after its end begins anew.
    candles.ends.add(() => this.#live.delete(key));
    if (this.connection.state === 'open') candles.subscribe();
    this.#liveness.startWatch();
    return candles;
  }

  /** The last one to leave ends the series. */
  leaveSeries(candles: LiveCandles): void {
    const { symbol, resolution } = candles.name;
    const key = seriesKey(symbol, resolution);
    const entry = this.#live.get(key);
    if (entry?.candles !== candles) return;
    entry.users -= 1;
    if (entry.users > 0) return;
    candles.unsubscribe();
    this.#live.delete(key);
  }

  /** The live series of a name; undefined when nobody follows it. */
  findSeries({ symbol, resolution }: LiveName): LiveCandles | undefined {
    return this.#live.get(seriesKey(symbol, resolution))?.candles;
  }

  close(): void {
    this.#each((candles) => candles.unsubscribe());
    this.#live.clear();
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

  #opened(): void {
    this.#liveness.noteReceived();
    this.#each((candles) => candles.subscribe());
  }

  #said(json: string): void {
    this.#liveness.noteReceived();
    let message: Message;
    try {
      message = objectOf(JSON.parse(json), 'a message');
      this.#take(message);
    } catch {
      // Something that is no message of this interface: the rest cannot be trusted either.
      this.connection.restart();
    }
  }

  #take(message: Message): void {
    const { type } = message;
    if (type === 'closing') this.connection.setNextPause(Number(message['reconnectAfterMs']) || 0);
    if (type === 'error') this.#handleError(message);
    if (type === 'subscription') this.#findNamed(message)?.handleAcknowledged();
    if (type === 'init' || type === 'update' || type === 'create') this.#takeCandle(message);
  }

  #takeCandle(message: Message): void {
    const sent = objectOf(message['candle'], 'candle');
    const live = this.#findNamed({ ...message, ...sent });
    if (live === undefined) return;
    this.connection.resetBackoff();
    const read = candle(sent, 'candle');
    if (message['type'] === 'init') live.handleInit(read);
    else live.handleCandle(read);
  }

  #findNamed({ symbol, resolution }: Message): LiveCandles | undefined {
    return this.#live.get(seriesKey(String(symbol), String(resolution)))?.candles;
  }

  /** An error that does not say what it is about is about whatever is being asked for. */
  #handleError(message: Message): void {
    const said = String(message['message']).slice(0, limits.TEXT_CHARS_MAX);
    const error = new ClientError(String(message['code'] ?? 'MALFORMED_MESSAGE'), said);
    const named = this.#findNamed(message);
    const isAboutAny = message['symbol'] === undefined;
    this.#each((candles) => {
      if (candles !== named && !(isAboutAny && candles.isSubscribing)) return;
      if (isTransient(error.code, this.#live.size)) candles.postponed(error);
      else candles.refused(error);
    });
  }

  #each(call: (candles: LiveCandles) => void): void {
    for (const { candles } of [...this.#live.values()]) call(candles);
  }
}
