/** Every bound of what the history keeps, each with its reason. */

/** Prepared statements kept: the store has about fifty, whatever it is asked. */
export const STATEMENTS_MAX = 256;
/** Pages of the file kept in memory, KiB: the newest trades of all markets and every index's top. */
export const PAGE_CACHE_KIB = 64 * 1_024;
/** Pages of the write-ahead log before they go into the file: 16 MiB, a tenth of a second to copy. */
export const WAL_CHECKPOINT_PAGES = 4_096;
/** The log is cut back to this after a check point, bytes: a large batch leaves no large file behind. */
export const WAL_BYTES_KEPT = 64 * 1_024 * 1_024;

/** Accounts whose numbers are remembered: makers and takers of some days, 20 MB. */
export const ACCOUNTS_KEPT_MAX = 100_000;

/** Transactions of one write: a second; who is asked in between writes fewer at a time. */
export const BATCH_TRANSACTIONS_MAX = 10_000;

/** Transactions that are not final, of one reading: a minute and a half of a thousand a second. */
export const UNSETTLED_READ_MAX = 100_000;

/** Rows of one page: the specification's limit, and the rest of the slots in which it begins and ends. */
export const PAGE_ROWS_MAX = 1_064;
/** Rows that a page may leave out: a hundred pages of the largest, 30 ms. Cursors go further. */
export const PAGE_OFFSET_MAX = 100_000;
/** Buckets of one reading: a day of minutes. */
export const CANDLES_READ_MAX = 1_500;

/** Holes in fillRecordIds that are told one by one: more are only counted. */
export const GAPS_TOLD_MAX = 100;
/**
 * How far from a removed fill another one of the same number is looked for, slots. A fork is at most
 * 32 slots long where it is confirmed, 512 anywhere.
 */
export const FORK_SLOTS_MAX = 512;

/** Rows deleted by one step of retention: some 30 ms. */
export const RETIRE_ROWS_MAX = 2_000;
/** Fills of one write that are charted after their market's decimals were told: a fifth of a second. */
export const CHART_ROWS = 2_000;
/** The last second of the year 9999: later ones are no times, and no calendar knows them. */
export const TS_MAX = 253_402_300_799;

/**
 * Funding rates of which the average of 24 hours is made, the newest: the program sets one an hour, and
 * no page has more.
 */
export const FUNDING_RATES_AVERAGED_MAX = 1_000;
