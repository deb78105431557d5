/** The limits of a verification, each with its reason. All times are milliseconds. */

/**
 * Minimum number of readings with the same difference: one or two may be caused by updates in
 * flight.
 */
export const READINGS_MIN = 3;
/**
 * Minimum duration of a difference: orders expire by the chain's time in seconds, and two services
 * differ by up to two seconds, because each reads the Clock on its own schedule.
 */
export const DIFFERENT_MS_MIN = 4_000;
/** Interval of readings: more than a slot, so that updates in flight arrive in between. */
export const READING_INTERVAL_MS = 500;
/** Time limit for reading the chain: the scan of all users takes tens of seconds on a busy node. */
export const CHAIN_START_MS_MAX = 180_000;
/** Polling interval for the chain's book. */
export const START_POLL_MS = 50;
/** Maximum lag of a live book in slots: ten seconds. */
export const SLOTS_BEHIND_MAX = 25;
/** Compared levels per side, the service's maximum. */
export const LEVELS_MAX = 1_000;
/** Bytes of a response; an /l3 of a hundred thousand orders is about 25 MB. */
export const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
/** Time limit of a response. */
export const RESPONSE_MS_MAX = 15_000;
/** Maximum printed differences of one market; further ones are only counted. */
export const LINES_MAX = 100;
/** Printed characters of a service's text. */
export const TEXT_CHARS_MAX = 200;
