/**
 * The book of an edge: an engine, and the feed that follows a core's log. This file loads the NATS
 * packages.
 */
import type { EdgeConfig } from '../config/config.js';
import { Engine } from '../engine/engine.js';
import { freshnessOf } from '../feed/model/feed-stats.js';
import { LogFollower } from '../journal/log-follower.js';
import { QuoteLink } from '../journal/nats/quote-link.js';
import type { FeedEvents, ServiceFeed } from './chain-feed.js';
import { type BookOrigin, throwSettingError } from './feeds.js';
import { quotesToCore } from './quote-forwarding.js';
import type { Runtime } from './runtime.js';

/** Returns the book of a configured log; its epoch is that of the log. */
export function edgeOrigin(config: EdgeConfig, runtime: Runtime): BookOrigin {
  const { programId, program, place, awayAfterMs, clockSkewMaxMs } = config;
  const engine = new Engine({ programId, program, epoch: '' });
  const refused = (error: unknown): never => throwSettingError('nats', place.stream, error);
  const link = new QuoteLink({ place, ...runtime });
  const feed = ({ onTurn, onFirstLive, publisher, clients }: FeedEvents): ServiceFeed => {
    const follower = new LogFollower({
      place,
      programId,
      engine,
      ...runtime,
      onTurn,
      onFirstLive,
      publisher,
      clients,
      freshness: (ageMs) => freshnessOf(ageMs, config),
      clockSkewMaxMs,
      drainAfterMs: awayAfterMs,
    });
    return feedOf(follower, { engine, link, refused });
  };
  return { engine, feed };
}

interface EdgeParts {
  readonly engine: Engine;
  readonly link: QuoteLink;
  readonly refused: (error: unknown) => never;
}

function feedOf(follower: LogFollower, { engine, link, refused }: EdgeParts): ServiceFeed {
  return {
    prepare: async () => undefined,
    start: () => {
      void link.start();
      return follower.start().catch(refused);
    },
    stop: async () => {
      await link.stop();
      await follower.stop();
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
