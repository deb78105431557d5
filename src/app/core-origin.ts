/** The book of a core: the first one begins a log on NATS, and others stand by until they can go on with it. Loads the packages of NATS. */
import type { Logger } from 'pino';
import type { CoreConfig } from '../config/config.js';
import { Engine } from '../engine/engine.js';
import { Journal } from '../journal/journal.js';
import { JournalError, textOfError } from '../journal/model/error.js';
import { Lease } from '../journal/nats/lease.js';
import { type CoreParts, newEnding } from './core-parts.js';
import {
  type BookFeed,
  type BookOrigin,
  type FeedEvents,
  journaledFeed,
  newEpoch,
  throwSettingError,
} from './feeds.js';
import { standbyOrigin } from './standby-origin.js';

/** The live book of a cluster, whose turns go into a log; its feed ends with the log, as when another core writes it. */
export async function coreOrigin(config: CoreConfig, log: Logger): Promise<BookOrigin> {
  const run = newEpoch();
  const { place, leaseMs, replicas } = config.log;
  const lease = new Lease({ place, holder: run, leaseMs, replicas, log });
  const parts = { config, log, lease, run };
  return (await isFirst(parts)) ? firstOrigin(parts) : standbyOrigin(parts);
}

/** Without NATS it is not known: the core goes on, and waits for a silent log. */
async function isFirst({ config, log, lease }: CoreParts): Promise<boolean> {
  try {
    return await lease.tryHold();
  } catch (error) {
    if (error instanceof JournalError && error.code === 'LOG_REFUSED') {
      throwSettingError('nats', config.log.place.stream, error);
    }
    log.warn({ reason: textOfError(error) }, 'the lease cannot be asked for');
    return true;
  }
}

function firstOrigin({ config, log, lease, run }: CoreParts): BookOrigin {
  const { programId } = config;
  const { place, leaseMs: _, ...limits } = config.log;
  const engine = new Engine({ programId, epoch: run });
  const { ended, end } = newEnding();
  const journal = new Journal({
    ...{ setup: { programId, log: place, ...limits }, turnLog: engine.turnLog, log },
    onEnded: end,
  });
  const refused = (error: unknown): never => throwSettingError('nats', place.stream, error);
  const feed = (events: FeedEvents): BookFeed => {
    const live = journaledFeed({ config, log, engine, events }, { journal, refused });
    return leasedFeed(live, lease, ended);
  };
  return { engine, journal, feed };
}

/** A feed that holds the lease while it runs, and ends with the log. */
function leasedFeed(live: BookFeed, lease: Lease, ended: Promise<never>): BookFeed {
  return {
    ...live,
    // A feed that has started goes on by itself.
    start: () => {
      lease.keep(() => undefined);
      return Promise.race([live.start().then(() => ended), ended]);
    },
    stop: async () => {
      await live.stop();
      await lease.stop();
    },
    status: () => ({ ...live.status(), role: 'core' }),
  };
}
