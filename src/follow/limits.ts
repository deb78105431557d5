/** Every bound of a client of a stream, each with its reason. All times are milliseconds. */

/** Rows of each side that the checksum covers, as docs/streaming.md says. */
export const CHECKSUM_ROWS = 10;
/** Time to connect: a TLS handshake across the world takes a second. */
export const CONNECT_MS_MAX = 10_000;
/** Time from a subscription to its answer, and from there to the first frame. */
export const ANSWER_MS_MAX = 5_000;
/** A topic has a frame each second, late by a tenth at most: the rest is for the network. */
export const SILENCE_MS_MAX = 3_000;
/** How often it is looked whether something is late. */
export const WATCH_MS = 100;
/** One message: a snapshot of 500 orders a side has 400 KB. */
export const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** The first wait before another connection; it doubles with each that fails, up to the cap. */
export const RECONNECT_MS_FIRST = 250;
export const RECONNECT_MS_CAP = 5_000;
/** A service that stops may ask for a longer wait than the cap; nobody waits longer than this. */
export const RECONNECT_MS_ASKED_MAX = 30_000;
/**
 * Before a subscription is repeated that the service could not do yet. A book that breaks again within
 * this time is not healed by another snapshot: the connection is given up.
 */
export const ASK_AGAIN_MS = 1_000;
/** Redraws a second: more cannot be read. */
export const DRAW_INTERVAL_MS = 125;
/** Levels a side that are drawn. */
export const DRAWN_ROWS_MAX = 10;
/** What `--plain` prints a line for. */
export const LINE_INTERVAL_MS = 1_000;
/** Breaches printed of a run; the rest is counted. */
export const BREACHES_PRINTED_MAX = 20;
/** Time that the service has to answer a close. */
export const CLOSE_MS_MAX = 1_000;
/** A day: longer runs are left to Ctrl-C. */
export const SECONDS_MAX = 86_400;
/** Characters of a text of the service that are repeated. */
export const TEXT_CHARS_MAX = 200;
