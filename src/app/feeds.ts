/**
 * The book of a cluster: an engine and its feed, with a journal if configured. `start-service.ts`
 * serves it.
 */

import path from 'node:path';
import type { ServiceConfig } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import { flagOf, type SettingName } from '../config/settings.js';
import type { AsOfSource } from '../contract/as-of-source.js';
import type { JournalSource } from '../contract/journal-source.js';
import type { ProofSource } from '../contract/proof-source.js';
import type { ReplaySource } from '../contract/replay-source.js';
import { Engine } from '../engine/engine.js';
import { AsOfReads } from '../journal/as-of-reads.js';
import { Journal } from '../journal/journal.js';
import { JournalError } from '../journal/model/error.js';
import { TopicReplays } from '../journal/topic-replays.js';
import {
  type FeedEvents,
  type LiveFeedParts,
  liveFeed,
  newEpoch,
  type ServiceFeed,
} from './chain-feed.js';
import { openProofs, PROOF_FOLDER, type ProvenBook, provenFeed, refuseKey } from './proven-feed.js';
import type { Runtime } from './runtime.js';

/** An engine and the feed that updates its book. */
export interface BookOrigin {
  readonly engine: Engine;
  readonly journal?: JournalSource | undefined;
  /** Books of past moments. */
  readonly asOf?: AsOfSource | undefined;
  /** Streams of past moments. */
  readonly replays?: ReplaySource | undefined;
  /** The signed log of the books. */
  readonly proofs?: ProofSource | undefined;
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
  const { signingKey, ...limits } = settings;
  const setup = {
    ...limits,
    folder: journalFolder,
    programId,
    keepsDigests: signingKey !== undefined,
  };
  const folder = path.join(journalFolder, '..', PROOF_FOLDER);
  const proofs = signingKey === undefined ? undefined : openProofs(signingKey, folder, runtime);
  const { turnLog } = engine;
  const journal = new Journal({
    setup,
    turnLog,
    onSegmentEnded: () => void asOf.summarizeEnded(),
    onDigest: (digest) => proofs?.addDigest(digest),
    ...runtime,
  });
  const files = { folder: journalFolder, programId, program };
  const asOf = new AsOfReads({ files, journal, ...runtime });
  const replays = new TopicReplays({ files, journal, ...runtime });
  const readers = [replays, asOf];
  const refused = (error: unknown): never => throwSettingError('dataDir', journalFolder, error);
  const proven = proofs && { proofs, engine };
  const feed = (events: FeedEvents): ServiceFeed =>
    journaledFeed({ ...parts, events }, { journal, readers, refused, proven });
  return { engine, journal, asOf, replays, proofs: proofs?.served, feed };
}

/**
 * Returns a live feed that logs its turns in a journal before they are published; `refused` throws
 * the reason why the journal cannot be used.
 */
export function journaledFeed(
  parts: LiveFeedParts,
  { journal, readers = [], refused, proven }: JournalParts,
): ServiceFeed {
  const live = proven === undefined ? liveFeed(parts, journal) : provenFeed(parts, journal, proven);
  const proofs = proven?.proofs;
  const prepare = async (): Promise<void> => {
    await journal.start().catch(refused);
    await proofs?.open().catch(refuseKey);
    await live.prepare();
  };
  const stop = async (): Promise<void> => {
    await live.stop();
    for (const reader of readers) await reader.stop();
    await journal.stop();
    await proofs?.stop();
  };
  return { ...live, prepare, stop };
}

/** A journal, the readers of its past, and the reporter of its failures. */
interface JournalParts {
  readonly journal: Journal;
  readonly readers?: readonly { stop(): Promise<void> }[];
  readonly refused: (error: unknown) => never;
  /** The signed log, and the engine of the feed. */
  readonly proven?: ProvenBook | undefined;
}

/** Converts an error to a usage error: a locked folder, or a log that denies access. */
export function throwSettingError(setting: SettingName, place: string, error: unknown): never {
  if (!(error instanceof JournalError)) throw error;
  const text = `${place}: ${error.code}: ${error.message}`;
  throw new ConfigError('INVALID_SETTING', text, flagOf(setting), { cause: error.cause });
}
