/**
 * Where the bytes of a book come from: a cluster, perhaps with a recording made beside it, or a
 * recording. Each is an engine and the feed that moves it, built here for `start-service.ts` to serve.
 */

import type { Logger } from 'pino';
import type { ReplayConfig, ServiceConfig } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import { LIMITS } from '../config/limits.js';
import { flagOf, type SettingName } from '../config/settings.js';
import type { AsOfSource } from '../contract/as-of-source.js';
import type { ClientGate } from '../contract/client-gate.js';
import type { FeedMetrics, Readiness } from '../contract/feed-status.js';
import type { OtherMakerSockets, QuoteSink } from '../contract/indicative.js';
import type { JournalSource } from '../contract/journal-source.js';
import type { ReplaySource } from '../contract/replay-source.js';
import * as codec from '../engine/codec.js';
import { Engine } from '../engine/engine.js';
import type { LiveFeedOptions } from '../feed/feed-options.js';
import { LiveFeed } from '../feed/live-feed.js';
import { FeedError } from '../feed/model/error.js';
import { feedMetrics } from '../feed/model/feed-stats.js';
import { QuoteIntake } from '../feed/quote-intake.js';
import { createRecordingFile, Recorder } from '../feed/recording/recorder.js';
import { type EpochEngine, RecordingEngine } from '../feed/recording/recording-engine.js';
import { RecordingReader } from '../feed/recording/recording-reader.js';
import { Replayer } from '../feed/recording/replayer.js';
import { AsOfReads } from '../journal/as-of-reads.js';
import { Journal } from '../journal/journal.js';
import { JournalError } from '../journal/model/error.js';
import { TopicReplays } from '../journal/topic-replays.js';
import { RpcClient } from '../rpc/client.js';
import { PATIENCE_WITH_FALLBACK } from '../rpc/limits.js';
import { readAccountTexts, readPriorityFees } from '../rpc/methods.js';
import { createNodes } from '../rpc/node-pool.js';
import { systemTimers } from '../rpc/timers.js';
import type { LiveChain } from './live-chain.js';
import { mergeSources } from './merge-sources.js';

/** The events of a feed, who publishes its turns, and who lets clients in. */
export type FeedEvents = Pick<
  LiveFeedOptions,
  'onTurn' | 'onApplied' | 'onFirstLive' | 'publisher'
> & { readonly clients?: ClientGate };

/** A feed as the service sees it. */
export interface ServiceFeed {
  /** Makes what has to be there before anything is served. */
  prepare(): Promise<void>;
  /** Runs; rejects when it cannot continue. */
  start(): Promise<void>;
  stop(): void | Promise<void>;
  status(): Readiness;
  stats(): Partial<FeedMetrics> & Pick<FeedMetrics, 'slotAgeMs' | 'events'>;
  /** Reads accounts as base64 from the chain, where there is one. */
  readonly readAccounts?: (keys: readonly string[]) => Promise<readonly (string | null)[]>;
  /** Reads what recent transactions paid to write to accounts, where there is a chain. */
  readonly readFees?: (accounts: readonly string[]) => Promise<readonly number[]>;
  /** Ends a turn soon, where it is that of a chain. */
  readonly requestTurn?: () => void;
  /** Reads all accounts again for this reason, where it is that of a chain. */
  readonly readAgain?: (reason: string) => void;
  /** Takes indicative quotes, where they are not those of a recording. */
  readonly quotes?: QuoteSink;
  /** Where makers may have sockets beside these. */
  readonly makersElsewhere?: OtherMakerSockets;
}

/** An engine, and the feed that moves its book. */
export interface BookOrigin {
  readonly engine: Engine;
  /** The journal of what moves it, where one is kept. */
  readonly journal?: JournalSource | undefined;
  /** Its books of past moments. */
  readonly asOf?: AsOfSource | undefined;
  /** Its streams of past moments. */
  readonly replays?: ReplaySource | undefined;
  /** The chain of the log that makes it, where one does; null before that is known. */
  readonly chain?: () => string | null;
  feed(events: FeedEvents): ServiceFeed;
}

/** What may be kept beside a live book. */
export interface LiveOptions {
  /** A file, not there yet, that keeps what moves the book. */
  readonly recordTo?: string | undefined;
  /** The folder of the journal; undefined for none. */
  readonly journalFolder?: string | undefined;
}

/** The live book of a cluster; every call that moves it goes into the file, where one is named. */
export function liveOrigin(
  config: ServiceConfig,
  log: Logger,
  options: LiveOptions = {},
): BookOrigin {
  const { programId } = config;
  const engine = new Engine({ programId, epoch: newEpoch() });
  const { recordTo, journalFolder } = options;
  const parts = { config, log, engine };
  if (recordTo !== undefined) return recordingOrigin(parts, recordTo);
  const { journal: settings } = config;
  if (settings === undefined || journalFolder === undefined) {
    return { engine, feed: (events) => liveFeed({ ...parts, events }) };
  }
  const setup = { ...settings, folder: journalFolder, programId };
  const journal = new Journal({ setup, turnLog: engine.turnLog, log });
  const files = { folder: journalFolder, programId };
  const asOf = new AsOfReads({ files, journal, log });
  const replays = new TopicReplays({ files, journal, log });
  const readers = [replays, asOf];
  const refused = (error: unknown): never => throwSettingError('dataDir', journalFolder, error);
  const feed = (events: FeedEvents): ServiceFeed =>
    journaledFeed({ ...parts, events }, { journal, readers, refused });
  return { engine, journal, asOf, replays, feed };
}

function recordingOrigin(
  { config, log, engine }: Omit<LiveFeedParts, 'events'> & { readonly engine: Engine },
  recordTo: string,
): BookOrigin {
  const { programId } = config;
  const recorder = new Recorder({ open: () => createRecordingFile(recordTo), codec, log });
  const recorded = new RecordingEngine(engine, (call) => recorder.appendCall(call));
  const info = { programId, epoch: engine.epoch, createdMs: Date.now() };
  const feed = (events: FeedEvents): ServiceFeed => {
    const live = liveFeed({ config, log, engine: recorded, events });
    const prepare = async (): Promise<void> => {
      await recorder
        .beginRecording(info)
        .catch((error: unknown) => throwUsageError(recordTo, error));
      log.info({ file: recordTo }, 'recording');
      await live.prepare();
    };
    const stop = async (): Promise<void> => {
      await live.stop();
      await recorder.close();
    };
    return { ...live, prepare, stop, stats: () => withEvents(live.stats(), recorder.stats()) };
  };
  return { engine, feed };
}

/** The book of a recording, as it was. Rejects with a ConfigError when the file is none. */
export async function recordedOrigin(
  config: ReplayConfig,
  log: Logger,
  path: string,
): Promise<BookOrigin> {
  const opening = RecordingReader.open(path, codec);
  const recording = await opening.catch((error: unknown) => throwUsageError(path, error));
  const engine = new Engine(recording.info);
  const { speed, laggingAfterMs, staleAfterMs, streamIntervalMs } = config;
  const feed = (events: FeedEvents): ServiceFeed => {
    const { onTurn, onFirstLive, publisher } = events;
    const replayer = new Replayer({
      recording,
      engine,
      speed,
      timing: { laggingAfterMs, staleAfterMs },
      log,
      onEnd: () => writeEnd(recording.tornAt),
      streamIntervalMs,
      ...(publisher === undefined ? {} : { publisher }),
      ...(onTurn === undefined ? {} : { onTurn }),
      ...(onFirstLive === undefined ? {} : { onFirstLive }),
    });
    return {
      prepare: async () => undefined,
      start: () => replayer.start(),
      stop: () => replayer.stop(),
      status: () => replayer.status(),
      stats: () => ({ slotAgeMs: replayer.slotAgeMs(), events: { ...replayer.stats() } }),
    };
  };
  return { engine, feed };
}

/** A live feed whose turns go into a journal before they are published; `refused` throws why that cannot be used. */
export function journaledFeed(
  parts: LiveFeedParts,
  { journal, readers = [], refused }: JournalParts,
): ServiceFeed {
  const { onTurn } = parts.events;
  const events: FeedEvents = {
    ...parts.events,
    onTurn: (turn, mark) => {
      journal.endTurn(mark);
      onTurn?.(turn, mark);
    },
  };
  const live = liveFeed({ ...parts, events });
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

/** A journal, what reads it, and what says why it cannot be used. */
interface JournalParts {
  readonly journal: Journal;
  readonly readers?: readonly { stop(): Promise<void> }[];
  readonly refused: (error: unknown) => never;
}

interface LiveFeedParts {
  readonly config: ServiceConfig;
  readonly log: Logger;
  readonly engine: EpochEngine;
  readonly events: FeedEvents;
  /** Where the book is that of one chain for ever; left out where it goes on with another one as a new epoch. */
  readonly chain?: LiveChain;
}

function liveFeed(parts: LiveFeedParts): ServiceFeed {
  const { config, log, engine, events, chain } = parts;
  const nodes = createNodes(config.nodes);
  const { snapshotUrl, programId, laggingAfterMs, staleAfterMs } = config;
  const { auditIntervalMs, probeIntervalMs, clockSkewMaxMs } = config;
  const { indicativePolicy, streamIntervalMs } = config;
  const snapshotRpc =
    snapshotUrl === undefined
      ? {}
      : { snapshotRpc: new RpcClient({ url: snapshotUrl, ...PATIENCE_WITH_FALLBACK }) };
  const sources = mergeSources(config, nodes, log);
  const feed = new LiveFeed({
    ...{ nodes, engine, programId, log, auditIntervalMs, probeIntervalMs, clockSkewMaxMs },
    ...(sources === undefined ? {} : { sources }),
    ...snapshotRpc,
    timing: { laggingAfterMs, staleAfterMs },
    streamIntervalMs,
    ...events,
    ...(chain === undefined ? {} : { genesisHash: chain.genesisHash }),
    onGenesisChanged: chain?.onLeft ?? (() => engine.setEpoch(newEpoch(engine.epoch))),
  });
  const quotes = new QuoteIntake({
    engine,
    requestTurn: () => feed.requestTurn(),
    timers: systemTimers,
    wallMs: () => Date.now(),
  });
  const socketStats = () => nodes.map(({ socket }) => socket.stats);
  return {
    prepare: async () => engine.setIndicativePolicy(indicativePolicy),
    start: () => feed.start(),
    stop: () => {
      quotes.stop();
      feed.stop();
      sources?.stop();
    },
    requestTurn: () => feed.requestTurn(),
    readAgain: (reason) => feed.readAgain(reason),
    status: () => feed.status(),
    stats: () => feedMetrics(feed.stats(), socketStats()),
    readAccounts: (keys) =>
      readAccountTexts(feed.rpc, keys, AbortSignal.timeout(LIMITS.accountReadMsMax)),
    readFees: (accounts) =>
      readPriorityFees(feed.rpc, accounts, AbortSignal.timeout(LIMITS.feeReadMsMax)),
    quotes,
  };
}

/** Names a run on one chain: bodies and tags of different runs and chains never compare equal. */
export function newEpoch(last = '0'): string {
  return Math.max(Date.now(), Number.parseInt(last, 36) + 1).toString(36);
}

function withEvents<T extends Pick<FeedMetrics, 'events'>>(metrics: T, events: object): T {
  return { ...metrics, events: { ...metrics.events, ...events } };
}

/** For callers that wait for the end: the last book is served until the process is stopped. */
function writeEnd(tornAt: number | null): void {
  const tear = tornAt === null ? '' : `: the recording is torn at byte ${tornAt}`;
  process.stderr.write(`replay ended${tear}\n`);
}

/** A file that cannot be recorded to, or replayed from, is wrong usage. */
function throwUsageError(path: string, error: unknown): never {
  if (!(error instanceof FeedError)) throw error;
  throw new ConfigError('INVALID_SETTING', `${path}: ${error.code}: ${error.message}`, 'FILE');
}

/** So is a folder that another process has, or a log that lets nobody in. */
export function throwSettingError(setting: SettingName, place: string, error: unknown): never {
  if (!(error instanceof JournalError)) throw error;
  const text = `${place}: ${error.code}: ${error.message}`;
  throw new ConfigError('INVALID_SETTING', text, flagOf(setting));
}
