/** The limits of `check`, each with its reason. All times are milliseconds unless stated. */

/** Time for which the subscriptions are watched: several slots, and some trades of a busy program. */
export const WATCH_S_DEFAULT = 10;
/** Maximum of that time, seconds. */
export const WATCH_S_MAX = 3_600;
/** Round trip above which a node is slow: each probe of the book is one, every second. */
export const CALL_SLOW_MS = 1_000;
/** Time limit of a connection to the subscription address. */
export const OPEN_MS_MAX = 10_000;
/** Pages of the list of signatures; a longer history is judged by the node's first block. */
export const PAGES_MAX = 3;
/** Market counts for which a day is reckoned; 148 are the markets of Drift v2 on mainnet. */
export const MARKET_COUNTS = [1, 20, 148] as const;
/** Bytes of the envelope of one notification. */
export const ENVELOPE_BYTES = 88;

/**
 * Credits of calls. Source: the price list of Helius (docs/billing/credits, 2026), the commonest
 * one: a scan and a read of the past cost ten, all other calls one.
 */
export const CREDITS = { call: 1, scan: 10, past: 10 } as const;
/** Credits of 100 KB of streamed data, where a provider meters subscriptions. Source: the same list. */
export const CREDITS_PER_100_KB = 3;
