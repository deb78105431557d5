/**
 * The composition root: the only file that builds the parts and hands them to each other.
 *
 * It decides nothing about orders, prices or requests.
 */
import { type Logger, pino } from 'pino';
import { readBuildInfo } from './build-info.js';
import type { CommonConfig, DemoConfig, ServiceConfig } from './config.js';
import { Engine } from './engine/engine.js';
import { LiveFeed } from './feed/live-feed.js';
import { LIMITS } from './limits.js';
import { readAccountTexts } from './rpc/account-texts.js';
import { RpcClient } from './rpc/client.js';
import { RpcSocket } from './rpc/socket.js';
import type { FeedFigures } from './server/book-source.js';
import { createHandlers, type Handlers } from './server/http.js';
import { filterMarkets } from './server/market-filter.js';
import { type Listener, listen } from './server/uws.js';
import { startDemo } from './sim/demo.js';

/** A running service. */
export interface Service {
  /** Where it answers. */
  readonly url: string;
  /** Resolves with the error when a part fails that the service cannot do without. */
  readonly failed: Promise<Error>;
  /** Stops all parts; resolves when they have stopped, or after a few seconds anyway. */
  stop(): Promise<void>;
}

/**
 * Serves the book of a cluster. Resolves as soon as the port is bound: until the first book is live
 * the book paths answer 503. Then `ready URL` is printed on standard output.
 */
export async function startService(config: ServiceConfig): Promise<Service> {
  const log = createLog(config);
  const engine = new Engine({ programId: config.programId, epoch: newEpoch() });
  const [{ rpcUrl, wsUrl }] = config.nodes;
  const socket = new RpcSocket({ url: wsUrl });
  const rpc = new RpcClient({ url: rpcUrl });
  const feed = new LiveFeed({
    rpc,
    ...(config.snapshotUrl === undefined
      ? {}
      : { snapshotRpc: new RpcClient({ url: config.snapshotUrl }) }),
    socket,
    engine,
    programId: config.programId,
    log,
    auditIntervalMs: config.auditIntervalMs,
    timing: { laggingAfterMs: config.laggingAfterMs, staleAfterMs: config.staleAfterMs },
    onGenesisChanged: () => engine.setEpoch(newEpoch(engine.epoch)),
    onFirstLive: () => process.stdout.write(`ready ${url}\n`),
  });
  const build = readBuildInfo();
  const handlers = createHandlers({
    book: filterMarkets(engine, config.markets),
    readiness: () => feed.status(),
    feed: () => feedFigures(feed, socket),
    build,
    readAccounts: (keys) =>
      readAccountTexts(rpc, keys, AbortSignal.timeout(LIMITS.accountReadMsMax)),
    requestsPerSecond: config.requestsPerSecond,
    metrics: config.metricsPort === undefined ? 'main' : 'operator',
  });
  const { listeners, url, metricsUrl } = await listenOn(config, handlers, log);
  announce({ url, metricsUrl }, config);
  log.info({ url, metricsUrl, ...build, programId: config.programId }, 'serving');
  const failed = new Promise<Error>((resolve) => {
    feed.start().catch((error: unknown) => resolve(asError(error)));
  });
  const stops = [...listeners.map((listener) => () => listener.close()), () => feed.stop()];
  return { url, failed, stop: () => stopAll(stops) };
}

/** Binds the port of the clients and, where it is wanted, the one of the operator. */
async function listenOn(
  { host, port, metricsHost, metricsPort }: CommonConfig,
  handlers: Handlers,
  log: Logger,
): Promise<{ listeners: readonly Listener[]; url: string; metricsUrl: string }> {
  const onFault = (error: unknown, path: string): void =>
    log.error({ err: error, path }, 'a request failed');
  const main = await listen({ host, port, handler: handlers.main, onFault });
  const url = urlOf(host, main);
  if (metricsPort === undefined) return { listeners: [main], url, metricsUrl: url };
  try {
    const address = { host: metricsHost, port: metricsPort };
    const operator = await listen({ ...address, handler: handlers.operator, onFault });
    return { listeners: [main, operator], url, metricsUrl: urlOf(metricsHost, operator) };
  } catch (error) {
    main.close();
    throw error;
  }
}

/** Starts a local chain with a moving market on it, and serves its book. */
export async function startDemoService(config: DemoConfig): Promise<Service> {
  const { rate, seed, makers } = config;
  const demo = await startDemo({ rate, seed, makers });
  const { rpcUrl, wsUrl, programId } = demo;
  try {
    const service = await startService({
      ...config,
      nodes: [{ rpcUrl, wsUrl }],
      snapshotUrl: undefined,
      programId,
    });
    process.stdout.write(`chain  ${rpcUrl} (a local chain with a simulated market)\n`);
    const chainFailed = new Promise<Error>((resolve) => {
      demo.done.catch((error: unknown) => resolve(asError(error)));
    });
    return {
      url: service.url,
      failed: Promise.race([service.failed, chainFailed]),
      stop: () => stopAll([() => service.stop(), () => demo.stop()]),
    };
  } catch (error) {
    await demo.stop();
    throw error;
  }
}

function feedFigures(feed: LiveFeed, socket: RpcSocket): FeedFigures {
  const { slot: _slot, slotAgeMs, unixSeconds: _unix, genesisHash, ...events } = feed.stats();
  const { connects, closes, messages, malformed, unknown } = socket.stats;
  const socketEvents = {
    socketConnects: connects,
    socketCloses: closes,
    socketMessages: messages,
    socketMalformed: malformed,
    socketUnknown: unknown,
  };
  return { slotAgeMs, genesisHash, events: { ...events, ...socketEvents } };
}

/** Logs go to standard error, so that standard output carries only what a caller waits for. */
function createLog({ logLevel }: CommonConfig): Logger {
  return pino({ level: logLevel, base: null }, pino.destination({ fd: 2, sync: true }));
}

/** Names a run on one chain: bodies and tags of different runs and chains never compare equal. */
function newEpoch(last = '0'): string {
  return Math.max(Date.now(), Number.parseInt(last, 36) + 1).toString(36);
}

/** An address that can be typed into a browser on this machine. */
function urlOf(host: string, { port }: Listener): string {
  const named = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${named.includes(':') ? `[${named}]` : named}:${port}`;
}

function announce(
  { url, metricsUrl }: { readonly url: string; readonly metricsUrl: string },
  { markets }: CommonConfig,
): void {
  const market = encodeURIComponent(markets[0] ?? 'SOL-PERP');
  const lines = [
    `book   ${url}/l2?marketName=${market}&depth=5`,
    `orders ${url}/l3?marketName=${market}`,
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
