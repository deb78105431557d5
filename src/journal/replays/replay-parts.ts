import type { Timers } from '../../contract/timers.js';
import type { MomentFinder } from './moment-finder.js';
import type { Outbox } from './outbox.js';

/** What a replay is made of. */
export interface TopicReplayParts {
  readonly finder: MomentFinder;
  readonly outbox: Outbox;
  readonly timers: Timers;
  /** The book was read from its checkpoint. Throws a ReplayFailure when there is no room for it. */
  readonly onRestored: () => void;
  /** `TopicReplay.finishJournal` is to follow, with the number of this end. */
  readonly onEnd: (end: number) => void;
}
