/** The book of an edge: an engine, and the feed that follows the log of a core. Loads the packages of NATS. */
import type { Logger } from 'pino';
import type { EdgeConfig } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import { flagOf } from '../config/settings.js';
import { Engine } from '../engine/engine.js';
import { freshnessOf } from '../feed/model/feed-stats.js';
import { LogFollower } from '../journal/log-follower.js';
import { JournalError } from '../journal/model/error.js';
import type { BookFeed, BookOrigin, FeedEvents } from './feeds.js';

/** The book that the log of a configuration makes; its epoch is that of the log. */
export function edgeOrigin(config: EdgeConfig, log: Logger): BookOrigin {
  const { programId, place, awayAfterMs } = config;
  const engine = new Engine({ programId, epoch: '' });
  const feed = ({ onTurn, onFirstLive, publisher, clients }: FeedEvents): BookFeed =>
    feedOf(
      new LogFollower({
        ...{ place, programId, engine, log, onTurn, onFirstLive, publisher, clients },
        freshness: (ageMs) => freshnessOf(ageMs, config),
        sendAwayAfterMs: awayAfterMs,
      }),
    );
  return { engine, feed };
}

function feedOf(follower: LogFollower): BookFeed {
  return {
    prepare: async () => undefined,
    start: () => follower.start().catch(throwRefusal),
    stop: () => follower.stop(),
    status: () => follower.status(),
    stats: () => ({ slotAgeMs: follower.logAgeMs(), events: { ...follower.stats() } }),
  };
}

/** A password that NATS does not accept is wrong usage. */
function throwRefusal(error: unknown): never {
  if (!(error instanceof JournalError)) throw error;
  throw new ConfigError('INVALID_SETTING', `${error.code}: ${error.message}`, flagOf('nats'));
}
