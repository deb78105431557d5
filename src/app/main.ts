/**
 * The composition root: builds the parts and hands them to each other; `feeds.ts` builds the feed.
 *
 * It decides nothing about orders, prices or requests.
 */
import { type Logger, pino } from 'pino';
import { readBuildInfo } from '../config/build-info.js';
import type {
  CommonConfig,
  DemoConfig,
  ReplayConfig,
  ServiceConfig,
  VerifyConfig,
} from '../config/config.js';
import { LIMITS } from '../config/limits.js';
import { warmFetch } from '../rpc/warm.js';
import { Timings } from '../server/metrics/timings.js';
import { filterMarkets } from '../server/ports/market-filter.js';
import { QuoteServer } from '../server/quotes/quote-server.js';
import { createHandlers, type Handlers } from '../server/routes/http.js';
import { SocketServer } from '../server/sockets/socket-server.js';
import { UnsentReplies } from '../server/transport/unsent-replies.js';
import { type Listener, listen } from '../server/transport/uws.js';
import { startDemo } from '../sim/demo/demo.js';
import { QuoteMaker } from '../sim/demo/quote-maker.js';
import type { ChainBook } from '../verify/chain-book.js';
import { verify } from '../verify/verify.js';
import { externalVenues } from './external-venues.js';
import { type BookFeed, type BookOrigin, liveOrigin, recordedOrigin } from './feeds.js';
import { historyOf, type ServiceHistory } from './histories.js';

/** A running service. */
export interface Service {
  /** Where it answers. */
  readonly url: string;
  /** Resolves with the error when a part fails that the service cannot do without. */
  readonly failed: Promise<Error>;
  /** Stops all parts; resolves when they have stopped, or after a few seconds anyway. */
  stop(): Promise<void>;
}

/** What a service may do besides serving. */
export interface ServiceOptions {
  /** A file, not there yet, that keeps what moves the book. */
  readonly recordTo?: string | undefined;
}

/**
 * Serves the book of a cluster. Resolves as soon as the port is bound: until the first book is live
 * the book paths answer 503. Then `ready URL` is printed on standard output.
 */
export async function startService(
  config: ServiceConfig,
  options: ServiceOptions = {},
): Promise<Service> {
  const log = createLog(config);
  await warmFetch();
  const origin = liveOrigin(config, log, options);
  const history = historyOf(config, log, () => origin.engine.markets());
  return serveBook(config, { origin, history }, log);
}

/** Serves the book of a recording, and the last one after its end. */
export async function startReplayService(config: ReplayConfig, file: string): Promise<Service> {
  const log = createLog(config);
  return serveBook(config, { origin: await recordedOrigin(config, log, file) }, log);
}

/** Compares a running service with its chain, and prints what differs; true when nothing does. */
export async function verifyService(config: VerifyConfig): Promise<boolean> {
  const { url, markets, seconds } = config;
  const origin = liveOrigin({ ...config, auditIntervalMs: 0 }, createLog(config));
  const feed = origin.feed({});
  const chain = chainBook(origin.engine, () => feed.status());
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const failed = feed.start().then(() => new Promise<never>(() => undefined));
  try {
    return await Promise.race([verify({ url, chain, markets, seconds, print }), failed]);
  } finally {
    await feed.stop();
  }
}

function chainBook(engine: BookOrigin['engine'], status: BookFeed['status']): ChainBook {
  const id = (symbol: string): number => engine.findMarket(symbol)?.id ?? -1;
  const text = (body: Uint8Array): string => Buffer.from(body).toString();
  return {
    notLive: () => status().reason,
    symbols: () => engine.markets().map(({ symbol }) => symbol),
    l2: (symbol, depth) => text(engine.l2({ market: id(symbol), depth })),
    l3: (symbol) => text(engine.l3({ market: id(symbol) })),
  };
}

/** Where what is served comes from. */
interface Origins {
  readonly origin: BookOrigin;
  readonly history?: ServiceHistory | undefined;
}

async function serveBook(
  config: CommonConfig,
  { origin, history }: Origins,
  log: Logger,
): Promise<Service> {
  const timings = new Timings();
  const unsent = new UnsentReplies();
  const book = filterMarkets(origin.engine, config.markets);
  const sockets = new SocketServer({
    ...config,
    book,
    readiness: () => feed.status(),
    ...(history === undefined ? {} : { history: history.history }),
    onPublished: (seconds) => timings.appliedToPublished.observe(seconds),
    onFault: (error, where) => log.error({ err: error, where }, 'a WebSocket failed'),
  });
  const venues = externalVenues(config, origin.engine, log);
  let waitedSeconds = 0;
  const feed = origin.feed({
    onTurn: (turn) => {
      sockets.publishTurn(turn, waitedSeconds);
      waitedSeconds = 0;
    },
    onApplied: (seconds) => {
      timings.receiveToApplied.observe(seconds);
      waitedSeconds = seconds;
    },
    onFirstLive: () => process.stdout.write(`ready ${url}\n`),
  });
  const { readAccounts } = feed;
  const makers = new QuoteServer({
    ...config,
    book,
    sink: feed.quotes,
    readiness: () => feed.status(),
    onFault: (error, where) => log.error({ err: error, where }, 'a socket of a maker failed'),
  });
  const build = readBuildInfo();
  const handlers = createHandlers({
    book,
    readiness: () => feed.status(),
    feed: () => feed.stats(),
    timings,
    unsent,
    sockets: () => sockets.figures(),
    venues: () => venues.stats(),
    quotes: () => makers.figures(),
    build,
    ...(readAccounts === undefined ? {} : { readAccounts }),
    ...(history === undefined ? {} : { history: history.history }),
    requestsPerSecond: config.requestsPerSecond,
    metrics: config.metricsPort === undefined ? 'main' : 'operator',
  });
  const { listeners, url, metricsUrl } = await listenOn(
    config,
    { handlers, sockets, makers, unsent },
    log,
  );
  const closes = listeners.map((listener) => () => listener.close());
  const sources = [() => venues.stop(), () => feed.stop(), () => history?.stop()];
  const clients = [() => makers.close(), () => sockets.close(), ...closes];
  const stops = [...clients, ...sources, () => timings.stop()];
  const stop = (): Promise<void> => stopAll(stops);
  await feed.prepare().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  timings.watchLoop();
  venues.start();
  history?.start();
  announce({ url, metricsUrl, hasHistory: history !== undefined }, config);
  log.info({ url, metricsUrl, ...build }, 'serving');
  const failed = new Promise<Error>((resolve) => {
    feed.start().catch((error: unknown) => resolve(asError(error)));
  });
  return { url, failed, stop };
}

/** What answers on the ports. */
interface Served {
  readonly handlers: Handlers;
  readonly sockets: SocketServer;
  readonly makers: QuoteServer;
  readonly unsent: UnsentReplies;
}

/** Binds the port of the clients and, where it is wanted, the one of the operator. */
async function listenOn(
  { host, port, metricsHost, metricsPort }: CommonConfig,
  { handlers, sockets, makers, unsent }: Served,
  log: Logger,
): Promise<{ listeners: readonly Listener[]; url: string; metricsUrl: string }> {
  const onFault = (error: unknown, path: string): void =>
    log.error({ err: error, path }, 'a request failed');
  const main = await listen({
    ...{ host, port, handler: handlers.main, unsent, onFault },
    sockets: [sockets, makers],
  });
  const url = urlOf(host, main);
  if (metricsPort === undefined) {
    sockets.start(main);
    makers.start();
    return { listeners: [main], url, metricsUrl: url };
  }
  try {
    const address = { host: metricsHost, port: metricsPort };
    const operator = await listen({ ...address, handler: handlers.operator, unsent, onFault });
    sockets.start(main);
    makers.start();
    return { listeners: [main, operator], url, metricsUrl: urlOf(metricsHost, operator) };
  } catch (error) {
    main.close();
    throw error;
  }
}

/** Starts a local chain with a moving market on it, and serves its book. */
export async function startDemoService(
  config: DemoConfig,
  options: ServiceOptions = {},
): Promise<Service> {
  const { rate, seed, makers, fillsPerSecond, fundingSeconds } = config;
  const demo = await startDemo({ rate, seed, makers, fillsPerSecond, fundingSeconds });
  const { rpcUrl, wsUrl, programId } = demo;
  try {
    const nodes = [{ rpcUrl, wsUrl }] as const;
    const maker = new QuoteMaker(seed);
    const quoteMakers = [...config.quoteMakers, maker.publicKey];
    const cluster = { ...config, nodes, snapshotUrl: undefined, programId, quoteMakers };
    const service = await startService(cluster, options);
    maker.start(service.url);
    process.stdout.write(`chain  ${rpcUrl} ${wsUrl} (a local chain with a simulated market)\n`);
    const chainFailed = new Promise<Error>((resolve) => {
      demo.done.catch((error: unknown) => resolve(asError(error)));
    });
    return {
      url: service.url,
      failed: Promise.race([service.failed, chainFailed]),
      stop: () => stopAll([() => maker.stop(), () => service.stop(), () => demo.stop()]),
    };
  } catch (error) {
    await demo.stop();
    throw error;
  }
}

/** Logs go to standard error, so that standard output carries only what a caller waits for. */
function createLog({ logLevel }: CommonConfig): Logger {
  return pino({ level: logLevel, base: null }, pino.destination({ fd: 2, sync: true }));
}

/** An address that can be typed into a browser on this machine. */
function urlOf(host: string, { port }: Listener): string {
  const named = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${named.includes(':') ? `[${named}]` : named}:${port}`;
}

function announce(
  {
    url,
    metricsUrl,
    hasHistory,
  }: { readonly url: string; readonly metricsUrl: string; readonly hasHistory: boolean },
  { markets }: CommonConfig,
): void {
  const market = encodeURIComponent(markets[0] ?? 'SOL-PERP');
  const lines = [
    `book   ${url}/l2?marketName=${market}&depth=5`,
    `all    ${url}/l2?marketName=${market}&grouping=100&depth=20&includeVamm=true&includeIndicative=true`,
    `match  ${url}/match?marketName=${market}&side=buy&size=50000000000`,
    `orders ${url}/l3?marketName=${market}`,
    ...(hasHistory
      ? [`trades ${url}/trades?symbol=${market} ${url}/candles?symbol=${market}&resolution=1`]
      : []),
    `stats  ${url}/stats/markets`,
    `socket ${url.replace('http', 'ws')}/ws`,
    `more   ${url}/docs ${url}/markets ${url}/status ${metricsUrl}/metrics`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Stops the parts in their order. One that hangs or fails does not keep the others running. */
async function stopAll(stops: readonly (() => void | Promise<void>)[]): Promise<void> {
  const deadline = new Promise<void>((resolve) => {
    setTimeout(resolve, LIMITS.stopMsMax).unref();
  });
  for (const stop of stops) await Promise.race([attempt(stop), deadline]);
}

async function attempt(stop: () => void | Promise<void>): Promise<void> {
  try {
    await stop();
  } catch (error) {
    process.stderr.write(`slotbook: while stopping: ${asError(error).message}\n`);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
