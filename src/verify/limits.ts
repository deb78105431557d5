/** Every bound of a verification, each with its reason. All times are milliseconds. */

/** Readings in which the same difference must be found: one or two may be news under way. */
export const READINGS_MIN = 3;
/**
 * And for how long: orders expire by the chain's second, which two services know to within two
 * seconds, as each reads the Clock at its own time.
 */
export const DIFFERENT_MS_MIN = 4_000;
/** Time between two readings: more than a slot, so that what was under way has arrived. */
export const READING_INTERVAL_MS = 500;
/** Time to read the chain: the scan of all users takes tens of seconds on a busy node. */
export const CHAIN_START_MS_MAX = 180_000;
/** How often it is checked whether the chain has been read. */
export const START_POLL_MS = 50;
/** A live book whose slot is further behind than this is not live: ten seconds. */
export const SLOTS_BEHIND_MAX = 25;
/** Levels a side that are compared, the most that a service gives. */
export const LEVELS_MAX = 1_000;
/** One answer of the service; an /l3 of a hundred thousand orders is about 25 MB. */
export const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
/** A response that takes longer will not come. */
export const RESPONSE_MS_MAX = 15_000;
/** Differences printed of one market; the rest is counted. */
export const LINES_MAX = 100;
/** Characters of a text of the service that are repeated. */
export const TEXT_CHARS_MAX = 200;
