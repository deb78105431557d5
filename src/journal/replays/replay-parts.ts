import type { Timers } from '../../contract/timers.js';
import type { MomentFinder } from '../as-of/moment-finder.js';
import type { Outbox } from './outbox.js';

/** The dependencies of a replay. */
export interface TopicReplayParts {
  readonly finder: MomentFinder;
  readonly outbox: Outbox;
  readonly timers: Timers;
  /** The book was restored from its checkpoint. Throws a ReplayFailure without memory for it. */
  readonly onRestored: () => void;
  /** `TopicReplay.finishJournal` must follow, with the number of this end. */
  readonly onEnd: (end: number) => void;
}
