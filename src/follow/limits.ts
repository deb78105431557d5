/** Every bound of `follow`, each with its reason; those of the stream are the library's. All times are milliseconds. */

/** Time to connect: a TLS handshake across the world takes a second. */
export const CONNECT_MS_MAX = 10_000;
/** One message: a snapshot of 500 orders a side has 400 KB. */
export const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** Redraws a second: more cannot be read. */
export const DRAW_INTERVAL_MS = 125;
/** Levels a side that are drawn. */
export const DRAWN_ROWS_MAX = 10;
/** Time between two lines of `--plain`. */
export const LINE_INTERVAL_MS = 1_000;
/** Violations printed of a run; the rest is counted. */
export const VIOLATIONS_PRINTED_MAX = 20;
/** Time that the service has to answer a close. */
export const CLOSE_MS_MAX = 1_000;
/** A day: longer runs are left to Ctrl-C. */
export const SECONDS_MAX = 86_400;
