/** Past books from a service's journal: of one moment, and as a stream at any speed. */
export type { PastMoment, ReplayEvent, ReplayOptions, TurnMoment } from './moment.js';
export { PastBook } from './past-book.js';
export { type PastBookOptions, Replay } from './replay.js';
