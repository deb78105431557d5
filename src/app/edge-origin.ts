/**
 * The book of an edge: an engine, and the feed that follows a core's log. This file loads the NATS
 * packages.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { EdgeConfig } from '../config/config.js';
import { Engine } from '../engine/engine.js';
import { freshnessOf } from '../feed/model/feed-stats.js';
import { LogFollower } from '../journal/log-follower.js';
import { textOfError } from '../journal/model/error.js';
import { LeafStreams } from '../journal/nats/leaf-streams.js';
import { QuoteLink } from '../journal/nats/quote-link.js';
import { FollowedLog } from '../proof/followed-log.js';
import { Verifier } from '../proof/note.js';
import { ServedLog } from '../proof/served-log.js';
import type { FeedEvents, ServiceFeed } from './chain-feed.js';
import { type BookOrigin, throwSettingError } from './feeds.js';
import { PROOF_FOLDER, refuseKey } from './proven-feed.js';
import { quotesToCore } from './quote-forwarding.js';
import type { Runtime } from './runtime.js';

/** Returns the book of a configured log; its epoch is that of the log. */
export function edgeOrigin(config: EdgeConfig, runtime: Runtime): BookOrigin {
  const { programId, program, place, awayAfterMs, clockSkewMaxMs } = config;
  const engine = new Engine({ programId, program, epoch: '' });
  const refused = (error: unknown): never => throwSettingError('nats', place.stream, error);
  const link = new QuoteLink({ place, ...runtime });
  const proofs = edgeProofs(config, runtime);
  const feed = (events: FeedEvents): ServiceFeed => {
    const follower = new LogFollower({
      place,
      programId,
      engine,
      ...runtime,
      ...events,
      freshness: (ageMs) => freshnessOf(ageMs, config),
      clockSkewMaxMs,
      drainAfterMs: awayAfterMs,
    });
    return feedOf(follower, { engine, link, refused, proofs });
  };
  return { engine, feed, proofs: proofs?.served };
}

interface EdgeProofs {
  readonly served: ServedLog;
  readonly followed: FollowedLog;
}

/** Returns the core's signed log, each of whose checkpoints is verified. Throws a ConfigError. */
function edgeProofs({ proof, place }: EdgeConfig, runtime: Runtime): EdgeProofs | undefined {
  if (proof === undefined) return undefined;
  try {
    const verifier = Verifier.read(readFileSync(proof.keyFile, 'utf8'));
    const folder = path.join(proof.dataDir, PROOF_FOLDER);
    const served = new ServedLog({ folder, noteFile: path.join(folder, 'checkpoint'), verifier });
    const shared = new LeafStreams({ place, ...runtime });
    const onFailed = (error: unknown): void =>
      runtime.log.warn({ reason: textOfError(error) }, 'the signed log is not followed any more');
    return { served, followed: new FollowedLog({ served, shared, verifier, onFailed }) };
  } catch (error) {
    return refuseKey(error);
  }
}

interface EdgeParts {
  readonly engine: Engine;
  readonly link: QuoteLink;
  readonly refused: (error: unknown) => never;
  readonly proofs: EdgeProofs | undefined;
}

function feedOf(follower: LogFollower, { engine, link, refused, proofs }: EdgeParts): ServiceFeed {
  return {
    prepare: async () => proofs?.followed.open().catch(refuseKey),
    start: () => {
      void link.start();
      return follower.start().catch(refused);
    },
    stop: async () => {
      await link.stop();
      await follower.stop();
      await proofs?.followed.close();
    },
    status: () => follower.status(),
    readAccounts: (keys) => follower.readAccounts(keys),
    stats: () => {
      const { genesisHash } = follower;
      return { slotAgeMs: follower.logAgeMs(), genesisHash, events: { ...follower.stats() } };
    },
    quotes: quotesToCore(link, engine),
    makersElsewhere: link,
  };
}
