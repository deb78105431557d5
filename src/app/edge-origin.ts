/** The book of an edge: an engine, and the feed that follows the log of a core. Loads the packages of NATS. */
import type { Logger } from 'pino';
import type { EdgeConfig } from '../config/config.js';
import { Engine } from '../engine/engine.js';
import { freshnessOf } from '../feed/model/feed-stats.js';
import { LogFollower } from '../journal/log-follower.js';
import { type BookFeed, type BookOrigin, type FeedEvents, throwSettingError } from './feeds.js';

/** The book that the log of a configuration makes; its epoch is that of the log. */
export function edgeOrigin(config: EdgeConfig, log: Logger): BookOrigin {
  const { programId, place, awayAfterMs } = config;
  const engine = new Engine({ programId, epoch: '' });
  const refused = (error: unknown): never => throwSettingError('nats', place.stream, error);
  const feed = ({ onTurn, onFirstLive, publisher, clients }: FeedEvents): BookFeed =>
    feedOf(
      new LogFollower({
        ...{ place, programId, engine, log, onTurn, onFirstLive, publisher, clients },
        freshness: (ageMs) => freshnessOf(ageMs, config),
        sendAwayAfterMs: awayAfterMs,
      }),
      refused,
    );
  return { engine, feed };
}

function feedOf(follower: LogFollower, refused: (error: unknown) => never): BookFeed {
  return {
    prepare: async () => undefined,
    start: () => follower.start().catch(refused),
    stop: () => follower.stop(),
    status: () => follower.status(),
    readAccounts: (keys) => follower.readAccounts(keys),
    stats: () => ({ slotAgeMs: follower.logAgeMs(), events: { ...follower.stats() } }),
  };
}
