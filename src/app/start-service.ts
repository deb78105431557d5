/**
 * The commands that serve or compare a book: each command chooses the origin of the book, and
 * `book-service.ts` serves it.
 *
 * This file contains no code about orders, prices or requests.
 */
import path from 'node:path';
import type {
  CoreConfig,
  DemoConfig,
  EdgeConfig,
  JournalConfig,
  ReplayConfig,
  ServiceConfig,
  VerifyConfig,
} from '../config/config.js';
import { systemTimers } from '../rpc/timers.js';
import { warmCalls } from '../rpc/warm-up.js';
import type { HistoryFirst } from '../server/routes/first-ready.js';
import type { SeededSpan } from '../server/routes/path.js';
import { mainnetMarkets, velocityMarkets } from '../sim/bytes/mainnet-presets.js';
import { DEMO_MARKETS, type MarketPresets } from '../sim/bytes/market-presets.js';
import { startDemo } from '../sim/demo/demo.js';
import { QuoteMaker } from '../sim/demo/quote-maker.js';
import type { ChainBook } from '../verify/chain-book.js';
import { verify } from '../verify/verify.js';
import { asError, type Service, serveBook, stopAll } from './book-service.js';
import type { ServiceFeed } from './chain-feed.js';
import { type DataFolder, dataFolder } from './data-folder.js';
import { type BookOrigin, liveOrigin } from './feeds.js';
import { historyOf, readHistoryOf } from './histories.js';
import { JOURNAL_FOLDER, journalOrigin } from './journal-origin.js';
import { createLog } from './log.js';
import type { Runtime } from './runtime.js';
import { demoPast } from './seeded-past.js';

/** Returns the log of a configuration, and the system's timers. */
function runtimeOf(config: Parameters<typeof createLog>[0]): Runtime {
  return { log: createLog(config), timers: systemTimers };
}

/** Options besides serving. */
export interface ServiceOptions {
  /** A new or empty folder for a complete journal, whatever the journal settings are. */
  readonly recordTo?: string | undefined;
  /** The state that the history must reach before `ready` is printed; by default `open`. */
  readonly historyFirst?: HistoryFirst;
  /** The folder of stored data; by default that of the settings. */
  readonly folder?: DataFolder;
  /** The made-up part of the past. */
  readonly seeded?: SeededSpan | undefined;
}

/** A recording is never deleted. */
const KEPT_WHOLE: JournalConfig = { dataDir: undefined, days: 0, bytesMax: 0 };

/**
 * Serves the book of a cluster. Resolves once the port is bound: until the first book is live, book
 * paths return 503. Then prints `ready URL` on standard output.
 */
export async function startService(
  config: ServiceConfig,
  options: ServiceOptions = {},
): Promise<Service> {
  const runtime = runtimeOf(config);
  await warmCalls(systemTimers);
  const { recordTo, historyFirst = 'open', seeded } = options;
  if (recordTo !== undefined) runtime.log.info({ folder: recordTo }, 'recording');
  const { folder = dataFolder(config.history ?? config.journal) } = options;
  const origin =
    recordTo === undefined
      ? liveOrigin(config, runtime, path.join(folder.path, JOURNAL_FOLDER))
      : liveOrigin({ ...config, journal: KEPT_WHOLE }, runtime, recordTo);
  const history = historyOf(config, folder, runtime, () => origin.engine.markets());
  const onStopped = (): Promise<void> => folder.remove();
  return serveBook(config, { origin, history, historyFirst, onStopped, seeded }, runtime);
}

/**
 * Follows a cluster and writes its log for edges; serves the core's own state and its makers, but
 * no book.
 */
export async function startCoreService(config: CoreConfig): Promise<Service> {
  const runtime = runtimeOf(config);
  await warmCalls(systemTimers);
  // The NATS packages are loaded on demand.
  const { coreOrigin } = await import('./core-origin.js');
  const origin = await coreOrigin(config, runtime);
  const history = historyOf(config, dataFolder(config.history), runtime, () =>
    origin.engine.markets(),
  );
  return serveBook(config, { origin, history, readers: 'none' }, runtime);
}

/** Serves the book of a core's log. */
export async function startEdgeService(config: EdgeConfig): Promise<Service> {
  const runtime = runtimeOf(config);
  // The NATS packages are loaded on demand.
  const { edgeOrigin } = await import('./edge-origin.js');
  const origin = edgeOrigin(config, runtime);
  const history = readHistoryOf(config, runtime, () => origin.engine.markets());
  return serveBook(config, { origin, history }, runtime);
}

/** Serves the book of a journal; at the end of the journal, the last book stays. */
export async function startReplayService(config: ReplayConfig, place: string): Promise<Service> {
  const runtime = runtimeOf(config);
  const origin = journalOrigin(config, place, runtime.timers);
  return serveBook(config, { origin }, runtime);
}

/**
 * Compares a running service with its chain and prints the differences; resolves with true when
 * there are none.
 */
export function verifyService(config: VerifyConfig, isJson = false): Promise<boolean> {
  const { url, markets, seconds } = config;
  const output = process.stdout;
  return withChainBook(config, (chain) => verify({ url, chain, markets, seconds, output, isJson }));
}

/** Reads the book of a chain while `use` runs; rejects when the chain cannot be followed. */
export async function withChainBook<T>(
  config: VerifyConfig,
  use: (chain: ChainBook) => Promise<T>,
): Promise<T> {
  const compared = { ...config, auditIntervalMs: 0, journal: undefined };
  const origin = liveOrigin(compared, runtimeOf(config));
  const feed = origin.feed({});
  const chain = chainBook(origin.engine, () => feed.status());
  const failed = feed.start().then(() => new Promise<never>(() => undefined));
  try {
    return await Promise.race([use(chain), failed]);
  } finally {
    await feed.stop();
  }
}

function chainBook(engine: BookOrigin['engine'], status: ServiceFeed['status']): ChainBook {
  const id = (symbol: string): number => engine.findMarket(symbol)?.id ?? -1;
  const text = (body: Uint8Array): string => Buffer.from(body).toString();
  return {
    notLive: () => status().reason,
    symbols: () => engine.markets().map(({ symbol }) => symbol),
    l2: (symbol, depth) => text(engine.l2({ market: id(symbol), depth })),
    l3: (symbol) => text(engine.l3({ market: id(symbol) })),
  };
}

function presetsOf({ program, marketsPreset }: DemoConfig): MarketPresets {
  if (program === 'velocity') return velocityMarkets();
  return marketsPreset === 'mainnet' ? mainnetMarkets() : DEMO_MARKETS;
}

/**
 * Starts a local chain with a simulated market, and serves its book. A demo that keeps nothing for
 * its next run has a made-up past.
 */
export async function startDemoService(
  config: DemoConfig,
  options: ServiceOptions = {},
): Promise<Service> {
  const { rate, seed, makers, fillsPerSecond, fundingSeconds } = config;
  const past = demoPast(config, presetsOf(config), options);
  const presets = past?.presets ?? presetsOf(config);
  const demo = await startDemo({ presets, rate, seed, makers, fillsPerSecond, fundingSeconds });
  const { rpcUrl, wsUrl, programId } = demo;
  try {
    const nodes = [{ rpcUrl, wsUrl }] as const;
    const maker = new QuoteMaker(seed);
    const quoteMakers = [...config.quoteMakers, maker.publicKey];
    const cluster = { ...config, nodes, snapshotUrl: undefined, programId, quoteMakers };
    const written = await past?.write(await demo.readGenesisHash(), runtimeOf(cluster));
    const service = await startService(cluster, { ...options, ...written, historyFirst: 'filled' });
    maker.start(service.url);
    process.stdout.write(`chain  ${rpcUrl} ${wsUrl} (a local chain with a simulated market)\n`);
    const chainFailed = new Promise<Error>((resolve) => {
      demo.done.catch((error: unknown) => resolve(asError(error)));
    });
    return {
      url: service.url,
      failed: Promise.race([service.failed, chainFailed]),
      stop: () =>
        stopAll(systemTimers, [() => maker.stop(), () => service.stop(), () => demo.stop()]),
    };
  } catch (error) {
    await demo.stop();
    throw error;
  }
}
