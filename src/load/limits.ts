/** Every bound of `load`, each with its reason. */

/** WebSockets of one run: more than the 10,000 that one process of Node is good for are several runs. */
export const READERS_MAX = 10_000;
/** Pollers of one run. */
export const POLLERS_MAX = 1_000;
/** Requests of one poller a second: a millisecond is as fine as a timer is. */
export const POLL_RATE_MAX = 1_000;
/** A day. */
export const SECONDS_MAX = 86_400;
/** Connections that are opened at a time: a service refuses no more than it would of returning clients. */
export const CONNECTING_MAX = 50;
/** Time that a reader has to get its first book, in milliseconds. A large service may still be starting. */
export const FIRST_BOOK_MS_MAX = 30_000;
/** Time for one response, in milliseconds: slower ones are of no use to who polls. */
export const RESPONSE_MS_MAX = 10_000;
/** The longest latency that is recorded as it is, in microseconds. */
export const LATENCY_US_MAX = 60_000_000;
/** One message: a book of 500 levels a side has 200 KB, and twice that as text in text. */
export const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** What went wrong, in words; the rest is counted. */
export const FINDINGS_PRINTED_MAX = 20;
