/** A feed whose books are proven: after each turn with a hash in the journal it makes a leaf. */
import { ConfigError } from '../config/config-error.js';
import { flagOf } from '../config/settings.js';
import type { PublishMark } from '../contract/publish-mark.js';
import type { SharedLog } from '../contract/shared-log.js';
import type { Engine } from '../engine/engine.js';
import type { Journal } from '../journal/journal.js';
import { textOfError } from '../journal/model/error.js';
import { LeafMaker } from '../proof/leaf-maker.js';
import { ProofLog } from '../proof/proof-log.js';
import { type LiveFeedParts, liveFeed, type ServiceFeed } from './chain-feed.js';
import type { FeedRuntime } from './runtime.js';

/** A signed log, and the engine whose books it proves. */
export interface ProvenBook {
  readonly proofs: ProofLog;
  readonly engine: Engine;
}

/** The folder of the files of a signed log, below that of stored data. */
export const PROOF_FOLDER = 'proof';

/** Reads the key of a signed log; of a cluster with `shared`. Throws a ConfigError. */
export function openProofs(
  keyFile: string,
  folder: string,
  { log, shared }: Pick<FeedRuntime, 'log'> & { readonly shared?: SharedLog },
): ProofLog {
  const onFailed = (error: unknown): void =>
    log.warn({ reason: textOfError(error) }, 'the log of the books is not signed any more');
  try {
    const proofs = new ProofLog({ keyFile, folder, onFailed, shared });
    log.info({ key: proofs.verifierKey }, 'the books are signed');
    return proofs;
  } catch (error) {
    return refuseKey(error);
  }
}

/** Throws why a key, or the log that it signs, cannot be used. */
export function refuseKey(error: unknown): never {
  const text = textOfError(error);
  throw new ConfigError('INVALID_SETTING', text, flagOf('signingKey'), { cause: error });
}

/** Returns a live feed that logs its turns, and adds their leaves to the signed log. */
export function provenFeed(
  parts: LiveFeedParts,
  journal: Journal,
  { proofs, engine }: ProvenBook,
): ServiceFeed {
  const { events, runtime } = parts;
  const { turnLog } = engine;
  const make = (tsMs: number): void => {
    proofs.addLeaf({ epoch: engine.epoch, tsMs, ...turnLog.takeLeaf() });
  };
  const publisher = new LeafMaker({ publisher: events.publisher, timers: runtime.timers, make });
  // The core is asked once a turn; a turn that publishes nothing has not asked yet.
  let asked: number | null | undefined;
  const isLeafDue = (): boolean => {
    asked = turnLog.leafDueMs();
    return asked !== null;
  };
  const endTurn = (mark: PublishMark): void => {
    const dueMs = asked === undefined ? turnLog.leafDueMs() : asked;
    asked = undefined;
    journal.endTurn(mark);
    if (dueMs !== null) publisher.addTurn(dueMs);
  };
  return liveFeed({ ...parts, events: { ...events, publisher } }, { isLeafDue, endTurn });
}
