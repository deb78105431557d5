/**
 * A book that echoes its request, for tests of parameters and headers. It has no orders: the
 * content of bodies is tested through the engine.
 */

import type { AccountSource } from '../../contract/account-source.js';
import type { BookLevels } from '../../contract/book-levels.js';
import type {
  AuctionsRequest,
  L2Request,
  L3Request,
  MatchRequest,
  OrderbookFrameRequest,
  TopMakersRequest,
} from '../../contract/book-requests.js';
import type {
  BookSource,
  BookStats,
  MarketDirectory,
  MarketVersion,
} from '../../contract/book-source.js';
import type { FeedState, Readiness } from '../../contract/feed-status.js';
import type { ChainStats, MarketInfo } from '../../contract/markets.js';
import type { ProgramName } from '../../contract/program.js';
import type { TopicSource, TopicSpec } from '../../contract/topics.js';
import { systemTimers } from '../../rpc/timers.js';
import { ClientAddresses } from '../admission/client-addresses.js';
import { sortedMarkets } from '../api/market-directory.js';
import { keyOf } from '../api/market-params.js';
import { createHandlers, type Handlers, type HttpOptions } from '../routes/http.js';
import type { FindClient } from '../transport/native-http.js';
import { UnsentReplies } from '../transport/unsent-replies.js';
import { type ListenOptions, listen } from '../transport/uws.js';
import { FakeStreams } from './fake-streams.js';

const markets: readonly MarketInfo[] = [
  marketRow({ id: 0, symbol: 'SOL-PERP', marketType: 'perp', marketIndex: 0 }),
  marketRow({ id: 1, symbol: 'SOL', marketType: 'spot', marketIndex: 1 }),
];

function marketRow(
  names: Pick<MarketInfo, 'id' | 'symbol' | 'marketType' | 'marketIndex'>,
): MarketInfo {
  return {
    ...names,
    name: names.symbol,
    account: `account-${names.id}`,
    status: 'active',
    mint: null,
    tickSize: 100n,
    stepSize: 10_000_000n,
    minOrderSize: 10_000_000n,
    decimals: 9,
    isPrediction: false,
    oracle: `oracle-${names.id}`,
    oracleSource: 'pythLazer',
    quoteAsset: 'USDC',
    emptyReason: null,
  };
}

/** The book of these tests. */
export class FakeBook implements BookSource, MarketDirectory {
  program: ProgramName = 'drift';
  epoch = 'epoch-1';
  current: MarketVersion = { seq: 7, slot: 1000, state: 'live', auctions: 3 };
  /** The error that every simulated order throws. */
  refusal: Error | undefined;
  /** Padding of every body. */
  filler = '';
  /** Makes every body throw. */
  broken = false;

  /** A new array means changed markets. */
  rows = markets;
  #turn = 0;

  /** A new turn at each read, because tests change the fields above at any time. */
  get turn(): number {
    this.#turn += 1;
    return this.#turn;
  }

  get state(): FeedState {
    return this.current.state;
  }

  /** Its streaming topics: see {@link FakeStreams}. */
  readonly streams = new FakeStreams(
    () => ({ epoch: this.epoch, current: this.current, filler: this.filler }),
    (market) => this.rows.find((row) => row.id === market)?.symbol ?? '',
  );

  markets(): readonly MarketInfo[] {
    return this.rows;
  }

  findMarket(name: string): MarketInfo | undefined {
    const said = name.toUpperCase();
    return (
      this.rows.find((row) => keyOf(row).toUpperCase() === said) ??
      sortedMarkets(this).find((row) => row.name.toUpperCase() === said)
    );
  }

  /** By market id. */
  chainStats: readonly ChainStats[] = [];

  readChainStats(): readonly ChainStats[] {
    const none: ChainStats = {
      oraclePrice: 0n,
      takerFee: 0n,
      makerRebate: 0n,
      perp: null,
      spot: null,
    };
    return this.rows.map((row) => this.chainStats[row.id] ?? none);
  }

  levels(): BookLevels {
    return { bids: [], asks: [] };
  }

  l2(request: L2Request): Uint8Array {
    return this.#echoRequest(request);
  }

  l3(request: L3Request): Uint8Array {
    return this.#echoRequest(request);
  }

  auctions(request: AuctionsRequest): Uint8Array {
    return this.#echoRequest(request);
  }

  match(request: MatchRequest): Uint8Array {
    if (this.refusal !== undefined) throw this.refusal;
    return Buffer.from(JSON.stringify(request, (_, value) => textOfBigInt(value)));
  }

  orderbookFrame(request: OrderbookFrameRequest): Uint8Array {
    const data = this.#echoRequest(request).toString();
    return Buffer.from(JSON.stringify({ channel: `orderbook_${request.market}`, data }));
  }

  topMakers({ side, limit }: TopMakersRequest): readonly string[] {
    if (this.broken) throw new Error('deliberate');
    return Array.from({ length: limit }, (_, index) => `${side}-maker-${index}`);
  }

  /** Makers without an account. */
  readonly unknownMakers = new Set<string>();

  openOrders(account: string): string {
    return JSON.stringify({ account, orders: [] });
  }

  readonly accounts: AccountSource = {
    count: 0,
    holds: () => true,
    ofAuthority: () => [],
    render: (account) => JSON.stringify({ account }),
    watch: () => true,
    unwatch: () => undefined,
    takeTouched: () => [],
    noteTrade: () => undefined,
    renderDelta: () => null,
    renderSnapshot: () => Buffer.from('{}'),
    renderHeartbeat: () => Buffer.from('{}'),
  };

  hasUser(key: string): boolean {
    return !this.unknownMakers.has(key);
  }

  topicName(spec: TopicSpec): string {
    return this.streams.name(spec);
  }

  readonly topics: TopicSource = {
    openTopic: (spec, recvNs) => this.streams.open(spec, recvNs),
    closeTopic: (handle) => this.streams.close(handle),
    renderDelta: (handle, times = { recvNs: 0n, sendNs: 0n }) => {
      if (this.broken) throw new Error('deliberate');
      return this.streams.delta(handle, times);
    },
    renderSnapshot: (handle, request) => this.streams.snapshot(handle, request),
    renderHeartbeat: (handle) => this.streams.heartbeat(handle),
  };

  version(): MarketVersion {
    return this.current;
  }

  stats(): BookStats {
    return {
      users: 5,
      orders: 9,
      shown: 6,
      shownByMarket: [4, 2],
      vammByMarket: ['oracleStale', null],
      leftOut: { expired: 3 },
      quarantined: 2,
      quotingMakers: 3,
      quotes: 8,
    };
  }

  #echoRequest(request: L2Request | L3Request | AuctionsRequest | OrderbookFrameRequest): Buffer {
    if (this.broken) throw new Error('deliberate');
    const { filler } = this;
    return Buffer.from(
      JSON.stringify(filler === '' ? { asked: request } : { asked: request, filler }),
    );
  }
}

function textOfBigInt(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** A reply with its complete body. */
export class Answer {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {}

  /** The body as JSON. */
  get body() {
    return JSON.parse(this.text);
  }

  /** The error of the body, with the status. */
  get error() {
    return { status: this.status, ...this.body.error };
  }

  header(name: string): string | null {
    return this.headers.get(name);
  }
}

/** A server on a loopback port that the system chose. */
export interface RunningServer {
  readonly url: string;
  readonly faults: unknown[];
  readiness: Readiness;
  /** Requests a path, by GET when only headers are given. */
  ask(path: string, headers?: Readonly<Record<string, string>>, method?: string): Promise<Answer>;
  close(): void;
}

/** Serves `book` over the real transport, on the clients' or the operator's port. */
export async function startServer(
  book: BookSource & MarketDirectory,
  settings: Partial<HttpOptions & Pick<ListenOptions, 'unsent'>> = {},
  port: keyof Handlers = 'main',
): Promise<RunningServer> {
  const faults: unknown[] = [];
  const { timers = systemTimers, addresses = new ClientAddresses() } = settings;
  const findClient: FindClient = (origin) => addresses.findClient(origin);
  const { unsent = new UnsentReplies(timers) } = settings;
  const build = { name: 'slotbook', version: '9.9.9', commit: 'abc' };
  const server = {
    url: '',
    faults,
    readiness: { everLive: true, state: 'live', reason: null, slot: 1000 } as Readiness,
    ask: async (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
      const response = await fetch(`${server.url}${path}`, { method, headers });
      return new Answer(response.status, response.headers, await response.text());
    },
    close: () => {},
  };
  const handlers = createHandlers({
    book,
    directory: book,
    readiness: () => server.readiness,
    feed: () => ({ slotAgeMs: 250, events: { rebuilds: 4 } }),
    build,
    ...settings,
    timers,
    unsent,
  });
  const onFault = (error: unknown): void => void faults.push(error);
  const handler = handlers[port];
  const place = { host: '127.0.0.1', port: 0 };
  const listener = await listen({ ...place, handler, timers, unsent, findClient, onFault });
  server.url = `http://127.0.0.1:${listener.port}`;
  server.close = () => listener.close();
  return server;
}
