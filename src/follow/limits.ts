/**
 * The limits of `follow`, each with its reason; the client library has the limits of the stream.
 * All times are in milliseconds.
 */

/** Time limit of a connection attempt: a TLS handshake across the world takes a second. */
export const CONNECT_MS_MAX = 10_000;
/** Maximum bytes of a message: a snapshot of 500 orders a side has 400 KB. */
export const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** Interval of redraws: more cannot be read. */
export const DRAW_INTERVAL_MS = 125;
/** Drawn levels per side. */
export const DRAWN_ROWS_MAX = 10;
/** Interval between two lines of `--plain`. */
export const LINE_INTERVAL_MS = 1_000;
/** Maximum printed violations of a run; further ones are only counted. */
export const VIOLATIONS_PRINTED_MAX = 20;
/** Time limit of the close handshake. */
export const CLOSE_MS_MAX = 1_000;
/** A day: longer runs end with Ctrl-C. */
export const SECONDS_MAX = 86_400;
/** Duration of `conform`, seconds: some heartbeats and many deltas of a market that moves. */
export const CONFORM_S_DEFAULT = 30;
