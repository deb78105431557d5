/** The book of a core: an engine, the feed that follows its chain, and the log on NATS that it writes. */
import type { Logger } from 'pino';
import type { CoreConfig } from '../config/config.js';
import { Engine } from '../engine/engine.js';
import { Journal } from '../journal/journal.js';
import {
  type BookFeed,
  type BookOrigin,
  type FeedEvents,
  journaledFeed,
  newEpoch,
  throwSettingError,
} from './feeds.js';

/** The live book of a cluster, whose turns go into a log; its feed ends with the log, as when another core writes it. */
export function coreOrigin(config: CoreConfig, log: Logger): BookOrigin {
  const { programId } = config;
  const { place, ...limits } = config.log;
  const engine = new Engine({ programId, epoch: newEpoch() });
  let onEnded: (error: Error) => void;
  const ended = new Promise<never>((_, reject) => {
    onEnded = reject;
  });
  ended.catch(() => undefined);
  const journal = new Journal({
    ...{ setup: { programId, log: place, ...limits }, turnLog: engine.turnLog, log },
    onEnded: (error) => onEnded(error),
  });
  const refused = (error: unknown): never => throwSettingError('nats', place.stream, error);
  const feed = (events: FeedEvents): BookFeed => {
    const live = journaledFeed({ config, log, engine, events }, { journal, refused });
    // A feed that has started goes on by itself.
    return { ...live, start: () => Promise.race([live.start().then(() => ended), ended]) };
  };
  return { engine, journal, feed };
}
