import type { Timers } from '../../contract/timers.js';
import type { MomentFinder } from '../as-of/moment-finder.js';
import type { Outbox } from './outbox.js';

/** The dependencies of a replay. */
export interface TopicReplayParts {
  readonly finder: MomentFinder;
  readonly outbox: Outbox;
  readonly timers: Timers;
  /**
   * Called when the book was restored from its checkpoint. Throws a ReplayFailure when there is no
   * memory for the book.
   */
  readonly onRestored: () => void;
  /**
   * Called at the end of the files, with the number of this end; `TopicReplay.finishJournal` must
   * follow.
   */
  readonly onEnd: (end: number) => void;
}
