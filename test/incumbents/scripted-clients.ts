import { setTimeout as sleep } from 'node:timers/promises';
import { UncleanReconnect } from './unclean-reconnect.js';

/** The markets of the demo, as these clients name them. */
const MARKETS = [
  { market: 'SOL-PERP', marketType: 'perp', marketIndex: 0 },
  { market: 'BTC-PERP', marketType: 'perp', marketIndex: 1 },
  { market: 'ETH-PERP', marketType: 'perp', marketIndex: 2 },
  { market: 'SOL', marketType: 'spot', marketIndex: 1 },
] as const;
const POLL_MS = 100;
/** What begins the name of an acknowledgement, and of what else comes once on a connection. */
const ACKNOWLEDGED = 'subscribed ';

/** One of the clients in use, as far as its protocol goes. */
export interface ScriptedClient {
  /** Undefined where all that it asked for has come, on the connection that it has now; else what has not. */
  missing(): string | undefined;
  /** Forgets the data that has come. */
  forget(): void;
  stop(): Promise<void>;
}

/** A client whose data comes by name over a connection. */
abstract class SocketClient implements ScriptedClient {
  readonly connection: UncleanReconnect;
  readonly #seen = new Set<string>();

  constructor(
    url: string,
    subscriptions: readonly object[],
    private readonly names: readonly string[],
  ) {
    this.connection = new UncleanReconnect(url, subscriptions, {
      onConnected: () => this.#seen.clear(),
      onMessage: (message) => {
        for (const name of this.namesOf(message)) this.#seen.add(name);
      },
    });
  }

  missing(): string | undefined {
    const { isFrozen, lastError } = this.connection;
    if (isFrozen) return 'a connection, after a clean end';
    if (lastError !== null) return `an answer without an error: ${lastError}`;
    const missing = this.names.filter((name) => !this.#seen.has(name));
    return missing.length === 0 ? undefined : missing.join(', ');
  }

  forget(): void {
    for (const name of this.#seen) if (!name.startsWith(ACKNOWLEDGED)) this.#seen.delete(name);
  }

  async stop(): Promise<void> {
    this.connection.stop();
  }

  /** The names of what a message brings. */
  protected abstract namesOf(message: Readonly<Record<string, unknown>>): readonly string[];
}

/** Books and trades of all markets over one connection, and one market that does not exist. */
export class MultiplexClient extends SocketClient {
  static readonly unknown = { channel: 'orderbook', market: 'GONE-PERP', marketType: 'perp' };

  constructor(url: string) {
    const topics = ['orderbook', 'trades'].flatMap((channel) =>
      MARKETS.map(({ market, marketType }) => ({ type: 'subscribe', channel, market, marketType })),
    );
    const names = MARKETS.flatMap(({ marketType, marketIndex }) => [
      `orderbook_${marketType}_${marketIndex}`,
      `trades_${marketType}_${marketIndex}`,
    ]);
    super(url, topics, names);
  }

  protected namesOf({ channel, data }: Readonly<Record<string, unknown>>): readonly string[] {
    if (typeof channel !== 'string' || typeof data !== 'string') return [];
    const { state = 'live' } = JSON.parse(data) as { state?: string };
    return state === 'live' ? [channel] : [];
  }
}

/** Candles and trades of all markets over one connection; a candle counts once it has moved. */
export class MarketFeedClient extends SocketClient {
  constructor(url: string) {
    const requests = [{ resolution: '1' }, { channelType: 'trades' }];
    const topics = requests.flatMap((request) =>
      MARKETS.map(({ market }) => ({ type: 'subscribe', symbol: market, ...request })),
    );
    const names = MARKETS.flatMap(({ market }) => [
      ...[`${ACKNOWLEDGED}candle:${market}:1`, `${ACKNOWLEDGED}trades:${market}`],
      ...[`candle of ${market}`, `trades of ${market}`],
    ]);
    super(url, topics, names);
  }

  protected namesOf(message: Readonly<Record<string, unknown>>): readonly string[] {
    const { type, channel, channelType, symbol, candle } = message;
    if (type === 'subscription') return [`${ACKNOWLEDGED}${String(channel)}`];
    if (type !== 'update' && type !== 'create') return [];
    if (channelType === 'trades') return [`trades of ${String(symbol)}`];
    return [`candle of ${String((candle as { symbol?: string } | undefined)?.symbol)}`];
  }
}

/** Books, statistics and prices of all markets over one connection, as the pages of the data API read them. */
export class BoardClient extends SocketClient {
  constructor(url: string) {
    const books = MARKETS.map(({ market }) => ({ channelType: 'orderbook', symbol: market }));
    const boards = ['markets', 'pricing'].map((channelType) => ({ channelType }));
    const topics = [...books, ...boards].map((topic) => ({ type: 'subscribe', ...topic }));
    const names = [
      ...MARKETS.map(({ market }) => `orderbook:${market}`),
      // They begin with all rows, and come again after seconds and minutes.
      ...boards.map(({ channelType }) => `${ACKNOWLEDGED}${channelType}`),
    ];
    super(url, topics, names);
  }

  protected namesOf(message: Readonly<Record<string, unknown>>): readonly string[] {
    const { type, channel, channelType, data } = message;
    if (type === 'update') return [String(channel)];
    const isWhole = Array.isArray(data) && data.length > MARKETS.length;
    return type === 'init' && isWhole ? [`${ACKNOWLEDGED}${String(channelType)}`] : [];
  }
}

/** Polls the books of all markets in one request. */
export class PollingClient implements ScriptedClient {
  readonly #path: string;
  readonly #abort = new AbortController();
  readonly #done: Promise<void>;
  #missing = 'a first poll';

  constructor(private readonly url: string) {
    const list = (value: (row: (typeof MARKETS)[number]) => unknown): string =>
      MARKETS.map(value).join(',');
    this.#path = `/batchL2?marketIndex=${list((row) => row.marketIndex)}&marketType=${list(
      (row) => row.marketType,
    )}&depth=${list(() => 5)}&includeVamm=${list(() => true)}`;
    this.#done = this.#poll();
  }

  missing(): string | undefined {
    return this.#missing === '' ? undefined : this.#missing;
  }

  forget(): void {
    this.#missing = 'a poll';
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#done;
  }

  async #poll(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      this.#missing = await this.#readMissing().catch((error: unknown) => String(error));
      await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #readMissing(): Promise<string> {
    const reply = await fetch(`${this.url}${this.#path}`, { signal: this.#abort.signal });
    if (!reply.ok) return `a 200, not a ${reply.status}`;
    const { l2s } = (await reply.json()) as { l2s: readonly { state: string }[] };
    const live = l2s.filter(({ state }) => state === 'live').length;
    return live === MARKETS.length ? '' : `live books, not ${live}`;
  }
}
