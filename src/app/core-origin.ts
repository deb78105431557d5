/**
 * The book of a core: the first core starts a log on NATS, other cores are standbys. This file
 * loads the NATS packages.
 */
import type { CoreConfig } from '../config/config.js';
import type { Readiness } from '../contract/feed-status.js';
import { Engine } from '../engine/engine.js';
import { Journal } from '../journal/journal.js';
import { Lease } from '../journal/nats/lease.js';
import { QuoteLink } from '../journal/nats/quote-link.js';
import { type FeedEvents, newEpoch, type ServiceFeed } from './chain-feed.js';
import { type CoreParts, logSetupOf, newEnding, proofsOf } from './core-parts.js';
import { type BookOrigin, journaledFeed, throwSettingError } from './feeds.js';
import { chainOf, readChain } from './live-chain.js';
import { replyToQuotes } from './quote-forwarding.js';
import type { Runtime } from './runtime.js';
import { standbyOrigin } from './standby-origin.js';

/** Number of names of one millisecond. */
const RUNS_AT_ONCE = 2 ** 32;

/**
 * Returns the live book of a cluster, whose turns are written to a log; its feed ends with the log,
 * for example when another core takes over.
 */
export async function coreOrigin(config: CoreConfig, runtime: Runtime): Promise<BookOrigin> {
  // Also two cores that start in the same millisecond have names of their own.
  const run = `${newEpoch(runtime.timers)}_${Math.floor(Math.random() * RUNS_AT_ONCE).toString(36)}`;
  const genesisHash = await readChain(config, runtime);
  const { place, leaseMs, replicas } = config.log;
  const lease = new Lease({ place, holder: run, leaseMs, replicas, ...runtime });
  const link = new QuoteLink({ place, ...runtime });
  const parts = { config, runtime, lease, link, run, genesisHash };
  const isFirst = await lease
    .holdFirst()
    .catch((error: unknown) => throwSettingError('nats', place.stream, error));
  return isFirst ? firstOrigin(parts) : standbyOrigin(parts);
}

function firstOrigin(parts: CoreParts): BookOrigin {
  const { config, runtime, lease, link, run, genesisHash } = parts;
  const { programId, program } = config;
  const { place } = config.log;
  const engine = new Engine({ programId, program, epoch: run });
  const { ended, end } = newEnding();
  const proofs = proofsOf(parts);
  const proven = proofs && { proofs, engine };
  const journal = new Journal({
    setup: logSetupOf(parts),
    turnLog: engine.turnLog,
    ...runtime,
    onEnded: end,
    onDigest: (digest) => proofs?.addDigest(digest),
  });
  const refused = (error: unknown): never => throwSettingError('nats', place.stream, error);
  const feed = (events: FeedEvents): ServiceFeed => {
    const chain = chainOf(genesisHash, end);
    const own = { config, runtime, engine, events, chain };
    const live = journaledFeed(own, { journal, refused, proven });
    return leasedFeed(live, { engine, lease, link, ended });
  };
  return { engine, journal, feed };
}

interface LeasedParts extends Pick<CoreParts, 'lease' | 'link'> {
  readonly engine: Engine;
  readonly ended: Promise<never>;
}

/**
 * Returns a feed that holds the lease while it runs, accepts quotes from edges, and ends with the
 * log.
 */
function leasedFeed(live: ServiceFeed, { engine, lease, link, ended }: LeasedParts): ServiceFeed {
  const readiness = (): Readiness => live.status();
  link.serveRequests(replyToQuotes({ engine, live, readiness, isWriter: () => lease.isHeld }));
  return {
    ...live,
    start: () => {
      void link.start();
      return Promise.race([live.start().then(() => ended), ended]);
    },
    stop: async () => {
      await link.stop();
      await live.stop();
      await lease.stop();
    },
    status: () => ({ ...live.status(), role: 'core' }),
    makersElsewhere: link,
  };
}
