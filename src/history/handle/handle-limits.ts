/** Every bound of the handle of the worker, each with its reason. All times are milliseconds. */

/** Questions under way: the worker answers some thousand a second, so these wait a moment at most. */
export const QUERIES_MAX = 256;
/** A question that takes longer has a worker that hangs or a disk that does not answer. */
export const QUERY_MS_MAX = 10_000;
/** First wait before an ended worker is started again. */
export const RESTART_FIRST_MS = 250;
/** Longest such wait: what ended it again and again needs a hand, which should then see it heal. */
export const RESTART_CAP_MS = 15_000;
/** A worker that ran for as long has not failed in a row with the one before. */
export const SETTLED_AFTER_MS = 60_000;
/**
 * The worker tells its figures each second, but writes and deletes in one thread: a slow disk or a
 * migration of many rows may keep it silent for a while.
 */
export const WORKER_SILENCE_MS_MAX = 60_000;
/** How often it is looked whether it is silent. */
export const WORKER_WATCH_MS = 1_000;
/** Time that a stopping worker has for its last rows, well below that of the whole service. */
export const STOP_MS_MAX = 3_000;
