/** The limits of the venues, each with its reason. All times are in milliseconds. */

/** Maximum concurrent requests to one venue: its plan for small users allows no more. */
export const VENUE_REQUESTS_MAX = 4;
/** Maximum bytes of a response: a quote with its route has a few kilobytes. */
export const VENUE_BODY_BYTES_MAX = 256 * 1024;
/** Maximum markets of one venue: the exchange has fewer spot markets. */
export const VENUE_MARKETS_MAX = 256;
/** Rungs of a ladder, each two requests. */
export const VENUE_RUNGS_MAX = 8;
/** First delay before a failed market is retried. */
export const VENUE_BACKOFF_FIRST_MS = 1_000;
/** Maximum retry delay: a recovered venue is used again within this time. */
export const VENUE_BACKOFF_CAP_MS = 30_000;

/** Amounts of tokens are u64 on chain. */
export const TOKEN_AMOUNT_MAX = 0xffff_ffff_ffff_ffffn;
/** Digits of such an amount. */
export const TOKEN_AMOUNT_DIGITS_MAX = 20;
/** Maximum decimals of a token: 10 to the power of 19 fits 64 bits. */
export const TOKEN_DECIMALS_MAX = 19;
/** Maximum plausible price, at 1e6: 1e9 units of the quote asset. */
export const VENUE_PRICE_MAX = 1_000_000_000_000_000n;
/** Maximum gain of an immediate round trip, basis points: prices change between two responses. */
export const ROUND_TRIP_GAIN_BPS_MAX = 100n;
/** Loss of a round trip, basis points, above which a size counts as too large for the venue. */
export const ROUND_TRIP_LOSS_BPS_MAX = 5_000n;
