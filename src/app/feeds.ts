/**
 * The book of a cluster: an engine and its feed, with a journal if configured. `start-service.ts`
 * serves it.
 */

import type { ServiceConfig } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import { LIMITS } from '../config/limits.js';
import { flagOf, type SettingName } from '../config/settings.js';
import type { AsOfSource } from '../contract/as-of-source.js';
import type { ClientGate } from '../contract/client-gate.js';
import type { EpochEngine } from '../contract/feed-engine.js';
import type { FeedMetrics, Readiness } from '../contract/feed-status.js';
import type { OtherMakerSockets, QuoteSink } from '../contract/indicative.js';
import type { JournalSource } from '../contract/journal-source.js';
import type { LoggedWrites } from '../contract/logged-writes.js';
import type { ReplaySource } from '../contract/replay-source.js';
import type { Timers } from '../contract/timers.js';
import { Engine } from '../engine/engine.js';
import type { LiveFeedOptions } from '../feed/feed-options.js';
import { LiveFeed } from '../feed/live-feed.js';
import { feedMetrics } from '../feed/model/feed-stats.js';
import { QuoteIntake } from '../feed/quote-intake.js';
import { AsOfReads } from '../journal/as-of-reads.js';
import { Journal } from '../journal/journal.js';
import { JournalError } from '../journal/model/error.js';
import { TopicReplays } from '../journal/topic-replays.js';
import { RpcClient } from '../rpc/client.js';
import { PATIENCE_WITH_FALLBACK } from '../rpc/limits.js';
import { readAccountTexts, readPriorityFees } from '../rpc/methods.js';
import { createNodes } from '../rpc/node-pool.js';
import { withTimeLimit } from '../rpc/timers.js';
import { logReaderOf } from './histories.js';
import type { LiveChain } from './live-chain.js';
import { mergeSources } from './merge-sources.js';
import type { Runtime } from './runtime.js';

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
  readonly readAccounts?: (keys: readonly string[]) => Promise<readonly (string | null)[]>;
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

/** An engine and the feed that updates its book. */
export interface BookOrigin {
  readonly engine: Engine;
  readonly journal?: JournalSource | undefined;
  /** Books of past moments. */
  readonly asOf?: AsOfSource | undefined;
  /** Streams of past moments. */
  readonly replays?: ReplaySource | undefined;
  /** Returns the chain of the feed's log; null until it is known. Absent without a log. */
  readonly chain?: () => string | null;
  feed(events: FeedEvents): ServiceFeed;
}

/** Returns the live book of a cluster, with a journal if configured. */
export function liveOrigin(
  config: ServiceConfig,
  runtime: Runtime,
  journalFolder?: string,
): BookOrigin {
  const { programId, program, journal: settings } = config;
  const engine = new Engine({ programId, program, epoch: newEpoch(runtime.timers) });
  const parts = { config, runtime, engine };
  if (settings === undefined || journalFolder === undefined) {
    return { engine, feed: (events) => liveFeed({ ...parts, events }) };
  }
  const setup = { ...settings, folder: journalFolder, programId };
  const journal = new Journal({ setup, turnLog: engine.turnLog, ...runtime });
  const files = { folder: journalFolder, programId, program };
  const asOf = new AsOfReads({ files, journal, ...runtime });
  const replays = new TopicReplays({ files, journal, ...runtime });
  const readers = [replays, asOf];
  const refused = (error: unknown): never => throwSettingError('dataDir', journalFolder, error);
  const feed = (events: FeedEvents): ServiceFeed =>
    journaledFeed({ ...parts, events }, { journal, readers, refused });
  return { engine, journal, asOf, replays, feed };
}

/**
 * Returns a live feed that logs its turns in a journal before they are published; `refused` throws
 * the reason why the journal cannot be used.
 */
export function journaledFeed(
  parts: LiveFeedParts,
  { journal, readers = [], refused }: JournalParts,
): ServiceFeed {
  const live = liveFeed(parts, journal);
  const prepare = async (): Promise<void> => {
    await journal.start().catch(refused);
    await live.prepare();
  };
  const stop = async (): Promise<void> => {
    await live.stop();
    for (const reader of readers) await reader.stop();
    await journal.stop();
  };
  return { ...live, prepare, stop };
}

/** A journal, the readers of its past, and the reporter of its failures. */
interface JournalParts {
  readonly journal: Journal;
  readonly readers?: readonly { stop(): Promise<void> }[];
  readonly refused: (error: unknown) => never;
}

interface LiveFeedParts {
  readonly config: ServiceConfig;
  readonly runtime: Runtime;
  readonly engine: EpochEngine;
  readonly events: FeedEvents;
  /**
   * The chain of a book with one fixed chain; absent for a book that may switch chains, which
   * starts a new epoch.
   */
  readonly chain?: LiveChain;
}

function liveFeed(parts: LiveFeedParts, journal?: Journal): ServiceFeed {
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
    readAccounts: (keys) =>
      withTimeLimit({ timers, limitMs: LIMITS.accountReadMsMax }, (signal) =>
        readAccountTexts(feed.rpc, keys, signal),
      ),
    readFees: (accounts) =>
      withTimeLimit({ timers, limitMs: LIMITS.feeReadMsMax }, (signal) =>
        readPriorityFees(feed.rpc, accounts, signal),
      ),
    quotes,
  };
}

/**
 * Returns the name of a run on one chain: bodies and tags of different runs or chains never compare
 * equal.
 */
export function newEpoch(timers: Pick<Timers, 'unixMs'>, last = '0'): string {
  return Math.max(timers.unixMs(), Number.parseInt(last, 36) + 1).toString(36);
}

/** Converts an error to a usage error: a locked folder, or a log that denies access. */
export function throwSettingError(setting: SettingName, place: string, error: unknown): never {
  if (!(error instanceof JournalError)) throw error;
  const text = `${place}: ${error.code}: ${error.message}`;
  throw new ConfigError('INVALID_SETTING', text, flagOf(setting), { cause: error.cause });
}
