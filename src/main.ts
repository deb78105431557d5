/**
 * The composition root: the only file that builds the parts and hands them to each other.
 *
 * It decides nothing about orders, prices or requests.
 */
import { type Logger, pino } from 'pino';
import { readBuildInfo } from './build-info.js';
import type { CommonConfig, DemoConfig, NodeConfig, ServiceConfig } from './config.js';
import { Engine } from './engine/engine.js';
import { feedFigures } from './feed/figures.js';
import { LiveFeed } from './feed/live-feed.js';
import type { FeedNode } from './feed/nodes.js';
import { LIMITS } from './limits.js';
import { readAccountTexts } from './rpc/account-texts.js';
import { RpcClient } from './rpc/client.js';
import { PATIENCE_WITH_FALLBACK } from './rpc/limits.js';
import { RpcSocket } from './rpc/socket.js';
import { createHandlers, type Handlers } from './server/http.js';
import { filterMarkets } from './server/market-filter.js';
import { type Listener, listen } from './server/uws.js';
import { SocketServer } from './server/ws-server.js';
import { startDemo } from './sim/demo.js';

/** A node with the socket whose figures are shown. */
interface RpcNode extends FeedNode {
  readonly socket: RpcSocket;
}

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
  const nodes = nodesOf(config);
  const book = filterMarkets(engine, config.markets);
  const sockets = new SocketServer({
    ...config,
    book,
    readiness: () => feed.status(),
    onFault: (error, where) => log.error({ err: error, where }, 'a WebSocket failed'),
  });
  const feed = new LiveFeed({
    nodes,
    ...(config.snapshotUrl === undefined
      ? {}
      : { snapshotRpc: new RpcClient({ url: config.snapshotUrl, ...PATIENCE_WITH_FALLBACK }) }),
    engine,
    programId: config.programId,
    log,
    auditIntervalMs: config.auditIntervalMs,
    timing: { laggingAfterMs: config.laggingAfterMs, staleAfterMs: config.staleAfterMs },
    onTurn: ({ dirty }) => sockets.turn(dirty),
    onGenesisChanged: () => engine.setEpoch(newEpoch(engine.epoch)),
    onFirstLive: () => process.stdout.write(`ready ${url}\n`),
  });
  const build = readBuildInfo();
  const handlers = createHandlers({
    book,
    readiness: () => feed.status(),
    feed: () =>
      feedFigures(
        feed.stats(),
        nodes.map(({ socket }) => socket.stats),
      ),
    build,
    readAccounts: (keys) =>
      readAccountTexts(feed.rpc, keys, AbortSignal.timeout(LIMITS.accountReadMsMax)),
    requestsPerSecond: config.requestsPerSecond,
    metrics: config.metricsPort === undefined ? 'main' : 'operator',
  });
  const { listeners, url, metricsUrl } = await listenOn(config, { handlers, sockets }, log);
  announce({ url, metricsUrl }, config);
  log.info({ url, metricsUrl, ...build, programId: config.programId }, 'serving');
  const failed = new Promise<Error>((resolve) => {
    feed.start().catch((error: unknown) => resolve(asError(error)));
  });
  const closes = listeners.map((listener) => () => listener.close());
  const stops = [() => sockets.close(), ...closes, () => feed.stop()];
  return { url, failed, stop: () => stopAll(stops) };
}

/** Binds the port of the clients and, where it is wanted, the one of the operator. */
async function listenOn(
  { host, port, metricsHost, metricsPort }: CommonConfig,
  { handlers, sockets }: { readonly handlers: Handlers; readonly sockets: SocketServer },
  log: Logger,
): Promise<{ listeners: readonly Listener[]; url: string; metricsUrl: string }> {
  const onFault = (error: unknown, path: string): void =>
    log.error({ err: error, path }, 'a request failed');
  const main = await listen({ host, port, handler: handlers.main, sockets, onFault });
  sockets.start(main);
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

/** The nodes in their order. Where there are several none is waited for as long as the only one. */
function nodesOf({ nodes }: ServiceConfig): readonly [RpcNode, ...RpcNode[]] {
  const [first, ...others] = nodes;
  const patience = others.length === 0 ? {} : PATIENCE_WITH_FALLBACK;
  const nodeOf = ({ rpcUrl, wsUrl }: NodeConfig): RpcNode => {
    const rpc = new RpcClient({ url: rpcUrl, ...patience });
    return { name: rpc.host, rpc, socket: new RpcSocket({ url: wsUrl }) };
  };
  return [nodeOf(first), ...others.map(nodeOf)];
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
