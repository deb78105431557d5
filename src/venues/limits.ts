/** Every bound of the room of venues, each with its reason. All times are milliseconds. */

/** Requests of one venue under way at once: a plan for small users allows no more. */
export const VENUE_REQUESTS_MAX = 4;
/** A quote with its whole route is some kilobytes. */
export const VENUE_BODY_BYTES_MAX = 256 * 1024;
/** Markets of one venue: the exchange has fewer spot markets than this. */
export const VENUE_MARKETS_MAX = 256;
/** Rungs of a ladder, each two requests. */
export const VENUE_RUNGS_MAX = 8;
/** First wait before a market that failed is retried. */
export const VENUE_BACKOFF_FIRST_MS = 1_000;
/** Longest wait of that kind: this long after its return a venue is used again. */
export const VENUE_BACKOFF_CAP_MS = 30_000;

/** Amounts of tokens are u64 on chain. */
export const TOKEN_AMOUNT_MAX = 0xffff_ffff_ffff_ffffn;
/** Digits of such an amount. */
export const TOKEN_AMOUNT_DIGITS_MAX = 20;
/** Decimals of a token's amount: 10 to this power is a u64. */
export const TOKEN_DECIMALS_MAX = 19;
/** The highest price that is believed, at 1e6: a thousand million of the quote asset. */
export const VENUE_PRICE_MAX = 1_000_000_000_000_000n;
/** What buying and selling at once may win, in hundredths of a percent: prices move between two responses. */
export const ROUND_TRIP_GAIN_BPS_MAX = 100n;
/** What it may lose before the size counts as more than the venue can take. */
export const ROUND_TRIP_LOSS_BPS_MAX = 5_000n;
