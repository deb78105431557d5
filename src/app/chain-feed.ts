/** The feed of a chain: nodes, merged streams, the reader of logs, and indicative quotes. */
import type { ServiceConfig } from '../config/config.js';
import { LIMITS } from '../config/limits.js';
import { userAddresses } from '../config/public-key.js';
import type { ReadAccounts, ReadWallet } from '../contract/account-source.js';
import type { ClientGate } from '../contract/client-gate.js';
import type { EpochEngine } from '../contract/feed-engine.js';
import type { FeedMetrics, Readiness } from '../contract/feed-status.js';
import type { OtherMakerSockets, QuoteSink } from '../contract/indicative.js';
import type { LoggedWrites } from '../contract/logged-writes.js';
import type { Timers } from '../contract/timers.js';
import type { LiveFeedOptions } from '../feed/feed-options.js';
import { LiveFeed } from '../feed/live-feed.js';
import { feedMetrics } from '../feed/model/feed-stats.js';
import { readAround } from '../feed/model/spoilers.js';
import { QuoteIntake } from '../feed/quote-intake.js';
import { UserLogReader } from '../history/user-log-reader.js';
import { RpcClient } from '../rpc/client.js';
import { PATIENCE_WITH_FALLBACK } from '../rpc/limits.js';
import { readAccountTexts, readPriorityFees } from '../rpc/methods.js';
import { createNodes } from '../rpc/node-pool.js';
import { withTimeLimit } from '../rpc/timers.js';
import type { LiveChain } from './live-chain.js';
import { mergeSources } from './merge-sources.js';
import type { FeedRuntime } from './runtime.js';

/** The events of a feed, the publisher of its turns, and the gate for clients. */
export type FeedEvents = Pick<
  LiveFeedOptions,
  'onTurn' | 'onApplied' | 'onFirstLive' | 'publisher'
> & { readonly clients?: ClientGate };

/** The service's view of a feed. */
export interface ServiceFeed {
  /** Prepares everything that must exist before serving. */
  prepare(): Promise<void>;
  /** Runs; rejects when it cannot continue. */
  start(): Promise<void>;
  stop(): void | Promise<void>;
  status(): Readiness;
  stats(): Partial<FeedMetrics> & Pick<FeedMetrics, 'slotAgeMs' | 'events'>;
  /** Reads accounts from the chain as base64; absent without a chain. */
  readonly readAccounts?: ReadAccounts;
  /** Reads which accounts a wallet has; absent without a chain. */
  readonly readWallet?: ReadWallet;
  /** Reads recent priority fees for writing to accounts; absent without a chain. */
  readonly readFees?: (accounts: readonly string[]) => Promise<readonly number[]>;
  /** Requests that the turn ends soon; present for feeds of a chain. */
  readonly requestTurn?: () => void;
  /** Reads all accounts again, for the given reason; present for feeds of a chain. */
  readonly readAgain?: (reason: string) => void;
  /** Receives the users that logs name; present only for the feeds of a chain. */
  readonly recordLogged?: (writes: readonly LoggedWrites[]) => void;
  /** Receives indicative quotes; absent for the feed of a journal. */
  readonly quotes?: QuoteSink;
  /** The makers' sockets at other services; absent when there are no other services. */
  readonly makersElsewhere?: OtherMakerSockets;
}

/** The parts of a live feed. */
export interface LiveFeedParts {
  readonly config: ServiceConfig;
  readonly runtime: FeedRuntime;
  readonly engine: EpochEngine;
  readonly events: FeedEvents;
  /**
   * The chain of a book with one fixed chain; absent for a book that may switch chains, which
   * starts a new epoch.
   */
  readonly chain?: LiveChain;
}

/** Returns a feed of the chain; `journal` takes each turn before it is published. */
export function liveFeed(parts: LiveFeedParts, journal?: LiveFeedOptions['journal']): ServiceFeed {
  const { config, runtime, engine, events, chain } = parts;
  const { timers } = runtime;
  const nodes = createNodes(config.nodes, timers);
  const { snapshotUrl, programId, program, laggingAfterMs, staleAfterMs } = config;
  const { auditIntervalMs, probeIntervalMs, clockSkewMaxMs } = config;
  const { indicativePolicy, streamIntervalMs } = config;
  const snapshotRpc =
    snapshotUrl === undefined
      ? {}
      : { snapshotRpc: new RpcClient({ url: snapshotUrl, timers, ...PATIENCE_WITH_FALLBACK }) };
  const sources = mergeSources(config, nodes, runtime);
  const feed = new LiveFeed({
    nodes,
    engine,
    programId,
    program,
    ...runtime,
    auditIntervalMs,
    probeIntervalMs,
    clockSkewMaxMs,
    ...(sources === undefined ? {} : { sources }),
    ...snapshotRpc,
    timing: { laggingAfterMs, staleAfterMs },
    streamIntervalMs,
    ...events,
    journal,
    ...(chain === undefined ? {} : { genesisHash: chain.genesisHash }),
    onGenesisChanged: chain?.onLeft ?? (() => engine.setEpoch(newEpoch(timers, engine.epoch))),
  });
  const quotes = new QuoteIntake({
    engine,
    requestTurn: () => feed.requestTurn(),
    timers,
  });
  const recordLogged = (writes: readonly LoggedWrites[]): void => feed.recordLogged(writes);
  const logs = config.history === undefined ? logReaderOf(config, runtime, recordLogged) : null;
  const readAccounts = accountReader(feed, programId, timers);
  const socketStats = () => nodes.map(({ socket }) => socket.stats);
  return {
    prepare: async () => engine.setIndicativePolicy(indicativePolicy),
    start: () => {
      logs?.start();
      return feed.start();
    },
    stop: () => {
      logs?.stop();
      quotes.stop();
      feed.stop();
      sources?.stop();
    },
    requestTurn: () => feed.requestTurn(),
    readAgain: (reason) => feed.readAgain(reason),
    recordLogged,
    status: () => feed.status(),
    stats: () => feedMetrics(feed.stats(), socketStats()),
    readAccounts,
    readWallet: walletReader(programId, readAccounts),
    readFees: (accounts) =>
      withTimeLimit({ timers, limitMs: LIMITS.feeReadMsMax }, (signal) =>
        readPriorityFees(feed.rpc, accounts, signal),
      ),
    quotes,
  };
}

/** Reads accounts from the node in use. */
function accountReader(feed: LiveFeed, owner: string, timers: Timers): ReadAccounts {
  return async (keys) => {
    const { rpc } = feed;
    const found = await withTimeLimit({ timers, limitMs: LIMITS.accountReadMsMax }, (signal) =>
      readAround(rpc, { keys, nowMs: timers.nowMs() }, async (given) => {
        const texts = await readAccountTexts(rpc, { keys: given, owner }, signal);
        return new Map(given.map((key, at) => [key, texts[at] ?? null]));
      }),
    );
    return keys.map((key) => found.get(key));
  };
}

/** Reads which of a wallet's first accounts are the program's. */
function walletReader(programId: string, read: ReadAccounts): ReadWallet {
  return async (authority) => {
    const keys = userAddresses(programId, authority);
    const texts = await read(keys);
    if (texts.includes(undefined)) throw new Error('the node refuses an account of the wallet');
    return keys.filter((_, at) => texts[at]);
  };
}

/**
 * Returns the name of a run on one chain: bodies and tags of different runs or chains never compare
 * equal.
 */
export function newEpoch(timers: Pick<Timers, 'unixMs'>, last = '0'): string {
  return Math.max(timers.unixMs(), Number.parseInt(last, 36) + 1).toString(36);
}

/** Reads the users that logs name, for a feed without a history. */
function logReaderOf(
  { nodes, sources = [], programId, program }: ServiceConfig,
  runtime: FeedRuntime,
  onLogged: (writes: readonly LoggedWrites[]) => void,
): UserLogReader {
  const grpc = sources.filter((source) => source.kind === 'grpc');
  return new UserLogReader({ nodes, grpc, programId, program, onLogged, ...runtime });
}
