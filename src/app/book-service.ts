/**
 * A served book: builds, connects, starts and stops its parts; `start-service.ts` chooses the
 * origin of the book.
 */
import { type BuildInfo, readBuildInfo } from '../config/build-info.js';
import type { BookConfig } from '../config/config.js';
import { LIMITS } from '../config/limits.js';
import { secrets } from '../config/secrets.js';
import type { BookSource, MarketDirectory } from '../contract/book-source.js';
import type { Timer, Timers } from '../contract/timers.js';
import { giveBackLargeBuffers } from '../engine/memory.js';
import { loggedFailure } from '../rpc/error.js';
import { sleep } from '../rpc/timers.js';
import { ClientAddresses } from '../server/admission/client-addresses.js';
import { directoryOf, missingMarkets } from '../server/api/market-directory.js';
import { Timings } from '../server/metrics/timings.js';
import { QuoteServer } from '../server/quotes/quote-server.js';
import { FirstReady, type HistoryFirst } from '../server/routes/first-ready.js';
import { createHandlers, type Handlers } from '../server/routes/http.js';
import { type PageFiles, readPageFiles } from '../server/routes/page-files.js';
import type { SeededSpan } from '../server/routes/path.js';
import { summarySource } from '../server/routes/stats.js';
import { SocketServer } from '../server/sockets/socket-server.js';
import { SocketBacklog } from '../server/transport/socket-backlog.js';
import { UnsentReplies } from '../server/transport/unsent-replies.js';
import { type Listener, listen } from '../server/transport/uws.js';
import type { ServiceFeed } from './chain-feed.js';
import { type ExternalVenues, externalVenues } from './external-venues.js';
import type { BookOrigin } from './feeds.js';
import { reportUntilReady } from './first-book.js';
import type { ServiceHistory } from './histories.js';
import { standardError } from './log.js';
import type { Runtime } from './runtime.js';

/** Polling interval for the conditions of readiness other than the book. */
const READY_CHECK_MS = 50;

/** A running service. */
export interface Service {
  /** Its base address. */
  readonly url: string;
  readonly failed: Promise<Error>;
  /** Stops all parts; resolves when they have stopped, or after a few seconds at the latest. */
  stop(): Promise<void>;
}

/** The origins of the served data. */
interface Origins {
  readonly origin: BookOrigin;
  readonly history?: ServiceHistory | undefined;
  readonly historyFirst?: HistoryFirst;
  /** The made-up part of the past. */
  readonly seeded?: SeededSpan | undefined;
  /** `none`: serve only the operator's paths and the makers' sockets. */
  readonly readers?: 'all' | 'none';
  /** Receives lines for the terminal; by default they go to standard output. */
  readonly print?: (text: string) => void;
  /** Called after all parts have stopped. */
  readonly onStopped?: () => Promise<void>;
}

/**
 * Serves a book. Resolves when the port is bound and all parts run; prints `ready URL` on standard
 * output when the first book is live.
 */
export async function serveBook(
  config: BookConfig,
  origins: Origins,
  runtime: Runtime,
): Promise<Service> {
  giveBackLargeBuffers();
  const build = readBuildInfo();
  const { readers = 'all', print = (text: string) => process.stdout.write(text) } = origins;
  const onReady = (): void => {
    stopReport();
    if (readers === 'all') print(urlLines(shown, config));
    print(`ready ${url}\n`);
  };
  const parts = createParts(config, origins, { runtime, onReady });
  const { feed, sockets, makers, venues, history, timings } = parts;
  const page = readPageFiles();
  const handlers = createServiceHandlers(config, parts, { build, page, seeded: origins.seeded });
  const served = { ...parts, handlers, readers };
  const { listeners, url, metricsUrl } = await listenOn(config, served, runtime);
  const shown = { url, hasPage: page.size > 0, hasHistory: history !== undefined };
  const stopReport = reportUntilReady({
    ...runtime,
    waitReason: () => parts.ready.waitReason(),
    status: () => feed.status(),
    connection: () => connectionOf(feed),
  });
  const stop = (): Promise<void> =>
    stopAll(runtime.timers, [
      stopReport,
      () => parts.stopWaiting(),
      () => makers.close(),
      () => sockets.close(),
      ...listeners.map((listener) => () => listener.close()),
      () => venues.stop(),
      () => feed.stop(),
      () => history?.stop(),
      () => timings.stop(),
      () => origins.onStopped?.(),
    ]);
  await feed.prepare().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  timings.watchLoop();
  venues.start();
  history?.start(() => feed.stats().genesisHash ?? null);
  const documents = readers === 'all' ? `${url}/docs ` : '';
  print(`more   ${documents}${url}/status ${metricsUrl}/metrics\n`);
  runtime.log.info({ url, metricsUrl, ...build }, 'serving');
  const failed = new Promise<Error>((resolve) => {
    feed.start().catch((error: unknown) => resolve(asError(error)));
  });
  return { url, failed, stop };
}

interface ServiceParts {
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  readonly ready: FirstReady;
  readonly feed: ServiceFeed;
  readonly sockets: SocketServer;
  readonly makers: QuoteServer;
  readonly venues: ExternalVenues;
  readonly history: ServiceHistory | undefined;
  readonly origin: Pick<BookOrigin, 'journal' | 'asOf' | 'proofs'>;
  readonly timers: Timers;
  readonly timings: Timings;
  readonly unsent: UnsentReplies;
  readonly backlog: SocketBacklog;
  readonly addresses: ClientAddresses;
  /** Cancels the wait for readiness. */
  readonly stopWaiting: () => void;
}

/** Builds and connects the parts; nothing runs yet. */
function createParts(
  config: BookConfig,
  { origin, history, historyFirst = 'open' }: Origins,
  { runtime, onReady }: { readonly runtime: Runtime; readonly onReady: () => void },
): ServiceParts {
  const { log, timers } = runtime;
  const timings = new Timings(timers);
  const addresses = new ClientAddresses(config.trustedProxies, (peer) =>
    log.warn({ peer }, 'X-Forwarded-For is ignored: --trusted-proxies does not name this address'),
  );
  const book = origin.engine;
  const directory = directoryOf(book, config.markets);
  const readiness = (): ReturnType<ServiceFeed['status']> => feed.status();
  const source = { history: history?.history };
  const sockets = new SocketServer({
    ...config,
    ...source,
    replays: origin.replays,
    book,
    directory,
    addresses,
    readiness,
    readAccounts: async (keys) => (await feed.readAccounts?.(keys)) ?? keys.map(() => null),
    readWallet: async (authority) => (await feed.readWallet?.(authority)) ?? [],
    timers,
    summaries: summarySource({ book, directory, timers, ...source }),
    onPublished: (seconds) => timings.appliedToPublished.observe(seconds),
    onFault: (error, where) => log.error({ err: error, where }, 'a WebSocket failed'),
  });
  const { markets: marketNames } = config;
  const ready = new FirstReady({ readiness, directory, marketNames, historyFirst, ...source });
  let readyCheck: Timer | undefined;
  const planCheck = (check: () => void): void => {
    readyCheck = timers.after(READY_CHECK_MS, check);
  };
  const feed = origin.feed({
    onApplied: (seconds) => timings.receiveToApplied.observe(seconds),
    onTurn: (turn) => sockets.publishTurn(turn),
    publisher: sockets.publisher,
    clients: sockets,
    onFirstLive: () => {
      history?.shareMarkets();
      sockets.handleEarlyMessages();
      awaitReady(marketNames, { ready, directory: book, log, planCheck, onReady });
    },
  });
  if (history !== undefined) history.history.onLogged = (writes) => feed.recordLogged?.(writes);
  const makers = createMakers(config, { runtime, feed, addresses, directory });
  const venues = externalVenues(config, origin.engine, runtime);
  const unsent = new UnsentReplies(timers);
  const backlog = new SocketBacklog(timers, config.socketBacklogMegabytes * MEGABYTE);
  return {
    book,
    directory,
    ready,
    feed,
    sockets,
    makers,
    venues,
    history,
    origin,
    timers,
    timings,
    unsent,
    backlog,
    addresses,
    stopWaiting: () => readyCheck?.cancel(),
  };
}

function createMakers(
  { quoteMakers }: BookConfig,
  parts: Pick<ServiceParts, 'feed' | 'addresses' | 'directory'> & { readonly runtime: Runtime },
): QuoteServer {
  const { feed, addresses, directory } = parts;
  const { log, timers } = parts.runtime;
  return new QuoteServer({
    quoteMakers,
    addresses,
    timers,
    directory,
    sink: feed.quotes,
    others: feed.makersElsewhere,
    readiness: () => feed.status(),
    onFault: (error, where) => log.error({ err: error, where }, 'a socket of a maker failed'),
  });
}

interface FirstLiveParts {
  readonly ready: FirstReady;
  readonly directory: MarketDirectory;
  readonly log: Runtime['log'];
  readonly planCheck: (check: () => void) => void;
  readonly onReady: () => void;
}

/**
 * Waits for the first live book: then reports names of `--markets` without a market, and calls back
 * when the service is ready.
 */
function awaitReady(
  names: readonly string[],
  { ready, directory, log, planCheck, onReady }: FirstLiveParts,
): void {
  const missing = missingMarkets(directory, names);
  if (missing.length > 0) {
    const markets = directory.markets().map(({ symbol }) => symbol);
    log.warn({ missing, markets }, 'markets of --markets are not on this chain');
  }
  const check = (): void => {
    if (ready.waitReason() === null) onReady();
    else planCheck(check);
  };
  check();
}

function createServiceHandlers(
  { requestsPerSecond, metricsPort, compatDefaults }: BookConfig,
  parts: ServiceParts,
  known: {
    readonly build: BuildInfo;
    readonly page: PageFiles;
    readonly seeded: SeededSpan | undefined;
  },
): Handlers {
  const { feed, sockets, makers, venues, history } = parts;
  const { journal, asOf, proofs } = parts.origin;
  return createHandlers({
    ...parts,
    ...known,
    readiness: () => feed.status(),
    feed: () => feed.stats(),
    logLines: standardError,
    sockets: () => sockets.readStats(),
    venues: () => venues.stats(),
    quotes: () => makers.readStats(),
    readAccounts: feed.readAccounts,
    readFees: feed.readFees,
    history: history?.history,
    journal,
    asOf,
    proofs,
    requestsPerSecond,
    compatDefaults,
    metrics: metricsPort === undefined ? 'main' : 'operator',
  });
}

/** The handlers of the ports. */
interface Served
  extends Pick<ServiceParts, 'sockets' | 'makers' | 'unsent' | 'backlog' | 'addresses'> {
  readonly handlers: Handlers;
  readonly readers: 'all' | 'none';
}

/** Binds the port of the clients and, if configured, the operator's port. */
async function listenOn(
  { host, port, metricsHost, metricsPort }: BookConfig,
  { handlers, sockets, makers, unsent, backlog, addresses, readers }: Served,
  { log, timers }: Runtime,
): Promise<{ listeners: readonly Listener[]; url: string; metricsUrl: string }> {
  const onFault = (error: unknown, path: string): void =>
    log.error({ err: error, path }, 'a request failed');
  const common = { timers, unsent, onFault };
  const main = await listen({
    host,
    port,
    handler: handlers[readers === 'all' ? 'main' : 'operator'],
    ...common,
    backlog,
    sockets: readers === 'all' ? [sockets, makers] : [makers],
    findClient: (origin) => addresses.findClient(origin),
  });
  const address = { host: metricsHost, port: metricsPort ?? 0, handler: handlers.operator };
  const operator =
    metricsPort === undefined
      ? undefined
      : await listen({ ...address, ...common }).catch((error: unknown) => {
          main.close();
          throw error;
        });
  sockets.start(main);
  makers.start();
  const url = urlOf(host, main);
  if (operator === undefined) return { listeners: [main], url, metricsUrl: url };
  return { listeners: [main, operator], url, metricsUrl: urlOf(metricsHost, operator) };
}

const MEGABYTE = 1024 * 1024;

/** Returns an address that a browser on this machine can open. */
function urlOf(host: string, { port }: Listener): string {
  const named = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${named.includes(':') ? `[${named}]` : named}:${port}`;
}

function connectionOf(feed: ServiceFeed): { readonly node: string; readonly closes: number } {
  const { node = '', events } = feed.stats();
  return { node: node ?? '', closes: events['socketCloses'] ?? 0 };
}

interface Addresses {
  readonly url: string;
  readonly hasPage: boolean;
  readonly hasHistory: boolean;
}

/** The addresses that work once the book is live, one per line. */
function urlLines({ url, hasPage, hasHistory }: Addresses, { markets }: BookConfig): string {
  const market = encodeURIComponent(markets[0] ?? 'SOL-PERP');
  const lines = [
    ...(hasPage ? [`page   ${url}/`] : []),
    `book   ${url}/l2?marketName=${market}&depth=5`,
    `all    ${url}/l2?marketName=${market}&grouping=100&depth=20&includeVamm=true&includeIndicative=true`,
    `match  ${url}/match?marketName=${market}&side=buy&size=50000000000`,
    `orders ${url}/l3?marketName=${market}`,
    ...(hasHistory
      ? [`trades ${url}/trades?symbol=${market} ${url}/candles?symbol=${market}&resolution=1`]
      : []),
    `stats  ${url}/stats/markets`,
    `socket ${url.replace('http', 'ws')}/ws`,
    `list   ${url}/markets`,
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Stops the parts in order. A part that hangs or fails does not stop the others from being stopped.
 */
export async function stopAll(
  timers: Timers,
  stops: readonly (() => void | Promise<void>)[],
): Promise<void> {
  const done = new AbortController();
  const deadline = sleep(timers, LIMITS.stopMsMax, done.signal).catch(() => undefined);
  for (const stop of stops) await Promise.race([stopOne(stop), deadline]);
  done.abort();
}

async function stopOne(stop: () => void | Promise<void>): Promise<void> {
  try {
    await stop();
  } catch (error) {
    process.stderr.write(`slotbook: while stopping: ${secrets.mask(loggedFailure(error))}\n`);
  }
}

/** Converts a thrown value to an Error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
