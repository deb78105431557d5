/** The limits of `load`, each with its reason. */

/** Maximum WebSockets of one run: one Node process handles 10,000; more need several runs. */
export const READERS_MAX = 10_000;
/** Pollers of one run. */
export const POLLERS_MAX = 1_000;
/** Maximum requests of one poller a second: timers have a resolution of a millisecond. */
export const POLL_RATE_MAX = 1_000;
/** A day. */
export const SECONDS_MAX = 86_400;
/** Number of connections that are opened together, which the service must not refuse. */
export const CONNECTING_MAX = 50;
/** Time limit for a reader's first book, milliseconds; a large service may still be starting. */
export const FIRST_BOOK_MS_MAX = 30_000;
/** Time limit of a response, milliseconds: a slower one is useless to a poller. */
export const RESPONSE_MS_MAX = 10_000;
/** Maximum recorded latency, in microseconds. */
export const LATENCY_US_MAX = 60_000_000;
/**
 * Maximum bytes of a message: a book of 500 levels a side has 200 KB, and twice that inside a JSON
 * string.
 */
export const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** Printed violations; further ones are counted. */
export const FINDINGS_PRINTED_MAX = 20;
