/** The limits of a shadow run, each with its reason. All times are milliseconds. */

/** Levels a side that are asked for: the largest depth of a dlob-server. */
export const DEPTH = 100;
/** Interval of polls of one market: half a slot, so that a change is seen within its slot. */
export const POLL_INTERVAL_MS = 200;
/** Minimum time between two requests to one server, which bounds the polls of many markets. */
export const REQUEST_INTERVAL_MS = 20;
/** Maximum time between the same change in both books: a later one is another change. */
export const CHANGE_MS_MAX = 10_000;
/** Changes of a market that wait for the other server: many minutes of a busy one. */
export const CHANGES_KEPT = 10_000;
/** Maximum time for which a slot may stand still; a longer one is stale. */
export const STILL_MS_MAX = 10_000;
/** Books of a server that are kept to find one of the other's slot. */
export const BOOKS_KEPT = 8;
/** A day: more would say nothing new. */
export const DURATION_MS_MAX = 86_400_000;
