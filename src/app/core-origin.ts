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

/** The live book of a cluster, whose turns go into a log; its feed ends when another core writes that. */
export function coreOrigin(config: CoreConfig, log: Logger): BookOrigin {
  const { programId } = config;
  const { place, ...limits } = config.log;
  const engine = new Engine({ programId, epoch: newEpoch() });
  let onFenced: (error: Error) => void;
  const fenced = new Promise<never>((_, reject) => {
    onFenced = reject;
  });
  const journal = new Journal({
    ...{ setup: { programId, log: place, ...limits }, turnLog: engine.turnLog, log },
    onFenced: (error) => onFenced(error),
  });
  const refused = (error: unknown): never => throwSettingError('nats', place.stream, error);
  const feed = (events: FeedEvents): BookFeed => {
    const live = journaledFeed({ config, log, engine, events }, { journal, refused });
    // A feed that has started goes on by itself.
    return { ...live, start: () => Promise.race([live.start().then(() => fenced), fenced]) };
  };
  return { engine, journal, feed };
}
