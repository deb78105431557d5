/** Every bound of the history, each with its reason: the store, the worker, ingestion, and the streams. */

/** Prepared statements cached: the store has about fifty, whatever is queried. */
export const STATEMENTS_MAX = 256;
/** Pages of the file cached in memory, KiB: the newest trades of all markets and every index's top. */
export const PAGE_CACHE_KIB = 64 * 1_024;
/** Pages of the write-ahead log before they go into the file: 16 MiB, a tenth of a second to copy. */
export const WAL_CHECKPOINT_PAGES = 4_096;
/** The log is cut back to this after a check point, bytes: a large batch leaves no large file behind. */
export const WAL_BYTES_KEPT = 64 * 1_024 * 1_024;

/** Accounts whose numbers are remembered: makers and takers of some days, 20 MB. */
export const ACCOUNTS_CACHED_MAX = 100_000;

/** Transactions of one write: a second; a caller that answers queries in between writes fewer at a time. */
export const BATCH_TRANSACTIONS_MAX = 10_000;

/** Transactions that are not final, of one query: a minute and a half of a thousand a second. */
export const UNFINALISED_READ_MAX = 100_000;

/** Rows of one page: the limit of a response, and the rest of the slots in which it begins and ends. */
export const PAGE_ROWS_MAX = 1_064;
/** Rows that a page may leave out: a hundred pages of the largest, 30 ms. Cursors go further. */
export const PAGE_OFFSET_MAX = 100_000;
/** Rows of one page of an archive, as the Drift v2 data API has them: a body of 7 MB, a fifth of a second. */
export const ARCHIVE_ROWS = 5_000;
/** Rows of a day that an archive counts: as many as its pages reach. 100,000 take a twentieth of a second. */
export const ARCHIVE_ROWS_COUNTED_MAX = 1_000_000;
/** Buckets of one query: a day of minutes. */
export const CANDLES_READ_MAX = 1_500;
/** Buckets whose sums are kept for the next trade: those of sixty markets now, some for each late trade; 2 MB. */
export const CANDLES_CACHED_MAX = 2_048;

/** Holes in fillRecordIds that are listed one by one: more are only counted. */
export const GAPS_LISTED_MAX = 100;
/**
 * How far from a removed fill another one of the same number is searched, slots. A fork is at most
 * 32 slots long where it is confirmed, 512 anywhere.
 */
export const FORK_SLOTS_MAX = 512;

/** Rows deleted by one step of retention: some 30 ms. */
export const RETIRE_ROWS_MAX = 2_000;
/** Rows of one slice of the integrity check: some 3 ms, after which queries and writes have their turn. */
export const CHECKED_ROWS_PER_SLICE = 100;
/** Between two slices, milliseconds: 4,000 rows a second, a tenth of a core. */
export const CHECK_PAUSE_MS = 25;
/** Between two checks of the whole file, milliseconds: six hours, as a disk does not decay by the minute. */
export const CHECK_REST_MS = 21_600_000;
/** Damaged rows that one check names in the log; more are only counted. */
export const DAMAGED_ROWS_LOGGED_MAX = 10;
/** Pending fills that one write adds to candles when their market's decimals are known: a fifth of a second. */
export const PENDING_FILLS_PER_WRITE_MAX = 2_000;
/** The last second of the year 9999: later ones are no times, and no calendar knows them. */
export const TS_MAX = 253_402_300_799;

/** How long logs come from a node before the streams that stand before it are tried again: each change reads what was missed. */
export const STREAM_RETURN_MS = 60_000;

/**
 * Funding rates of which the average of 24 hours is made, the newest: the program sets one an hour, and
 * no page has more.
 */
export const FUNDING_RATES_AVERAGED_MAX = 1_000;

/** A reading of the chain's time that is as near to another clock is confirmed by it, seconds. */
export const CHAIN_TIME_AGREES_SECONDS = 3_600;
/** Between two readings the chain's time may run so much faster than time here: its rule allows a quarter. */
export const CHAIN_TIME_RATE_MAX = 1.25;
/** And so many seconds beside: a node that catches up, a block whose leader's clock was off. */
export const CHAIN_TIME_SLACK_SECONDS = 60;
/** A time that only one node tells, second by second, is believed after as long: an hour, as deletions wait. */
export const CHAIN_TIME_DOUBT_MS = 3_600_000;

/** A span of records that retention deletes without a second look, seconds: a service that ran deletes minutes. */
export const RETIRE_SPAN_SECONDS_MAX = 86_400;
/** More is deleted when the chain's time, and time here, have gone on for as long and it is still due, seconds. */
export const RETIRE_HOLD_SECONDS = 3_600;

// The worker and its handle on the main thread. All times are milliseconds.

/** Queries under way: the worker answers some thousand a second, so these wait briefly at most. */
export const QUERIES_MAX = 256;
/** A query that takes longer means that the worker hangs or the disk does not respond. */
export const QUERY_MS_MAX = 10_000;
/** First wait before an ended worker is started again. */
export const RESTART_FIRST_MS = 250;
/** Longest such wait: a fault that keeps ending it needs an operator, and should recover soon after that. */
export const RESTART_CAP_MS = 15_000;
/** A worker that ran for as long has not failed in a row with the one before. */
export const STABLE_AFTER_MS = 60_000;
/**
 * The worker posts its stats each second, but writes and deletes in one thread: a slow disk may keep
 * it silent for a while.
 */
export const WORKER_SILENCE_MS_MAX = 60_000;
/**
 * Silence of a worker that has said that it upgrades its file, which is one transaction: two indexes take
 * about a second per million trades, and a slow disk may take ten times as long.
 */
export const UPGRADE_SILENCE_MS_MAX = 3_600_000;
/** How often its silence is checked. */
export const WORKER_WATCH_MS = 1_000;
/** Time that a stopping worker has for its last rows, well below that of the whole service. */
export const STOP_MS_MAX = 3_000;

/** The state names a disk that failed to read for as long after the last time, milliseconds: one query of many may meet it. */
export const FAULT_KEPT_MS = 10_000;

// Ingestion. Times are milliseconds where the name says so.

/** Signatures of one page: the most that a node gives. */
export const PAGE_SIGNATURES = 1_000;
/**
 * Pages read at once at the live tip: more than come between two checks of a busy program. What lies
 * deeper is a gap, which is marked after each page, so that little of it is read twice.
 */
export const TIP_PAGES_MAX = 2;
/** Pages read at once for the sake of one slot that is longer than a page; no slot has as many. */
export const SLOT_PAGES_MAX = 20;
/** Transactions requested at once: a node returns one in some ten milliseconds. */
export const FETCHES_MAX = 8;
/** After a rest, requests of so many milliseconds go out at once: on average the rate is kept. */
export const FETCH_BURST_MS = 1_000;
/** Notifications that are stored together at most. */
export const LIVE_BATCH_MAX = 256;
/** How long the first of them waits for others: invisible beside the second of a confirmation. */
export const LIVE_BATCH_MS = 5;
/** Notifications that wait for the store; more are dropped, and read again from the node. */
export const LIVE_QUEUE_MAX = 20_000;
/** Signatures whose transactions were checked and held nothing: some minutes of a busy program. */
export const EMPTY_TRANSACTIONS_MAX = 200_000;
/** Slots whose notifications are numbered in the order of their arrival. */
export const ARRIVAL_SLOTS_MAX = 512;
/** Time between two finalised checks: a slot is final after about 13 s, so it adds little. */
export const FINALISED_CHECK_MS = 2_000;
/** A node writes its index of signatures a moment behind its finalised slot. */
export const FINALISED_MARGIN_SLOTS = 2;
/** How often a listed transaction is requested before it is given up, and counted as unavailable. */
export const FETCH_TRIES_MAX = 5;
/** And for how long at least, milliseconds: nodes write within seconds what they list. */
export const FETCH_TRIES_MS_MIN = 8_000;
/** Transactions that are given up in a row while the node gives nothing else: of more it is the node that fails. */
export const UNPROVEN_MAX = 2;
/** Failures in a row, of which a node may mean one transaction each, that are those of the node itself. */
export const UNSURE_FAILURES_MAX = 8;
/** First and longest wait before a transaction that was given up is requested again. */
export const LATER_FIRST_MS = 5_000;
/** See LATER_FIRST_MS. */
export const LATER_CAP_MS = 300_000;
/** How often that is done: for 35 minutes, in which a node that was repaired has it. */
export const LATER_TRIES_MAX = 12;
/** Transactions of which it is known that no node gives them: each takes some hundred bytes. */
export const UNGIVEN_MAX = 10_000;
/** Those of them that the store names, for the next start: some hundred kilobytes. */
export const UNGIVEN_STORED_MAX = 1_000;
/** Characters of an unreadable row of a list by which it is known again. */
export const ROW_CHARS_MAX = 300;
/** Final logs with events that cannot be read are read again for as long: a node that garbles what it sends may be sound by then. */
export const UNREADABLE_MS_MAX = 10_000;
/** A stored transaction that a node knows and does not list for as long is left to the checks below the tip. */
export const UNLISTED_MS_MAX = 30_000;
/** How long a transaction that a finalised listing lacks waits before it is requested by signature. */
export const UNCONFIRMED_WAIT_MS = 3_000;
/** Pages read for what is not final below the tip: some minutes of a busy program. */
export const ORPHAN_PAGES_MAX = 10;
/** First and longest time between two such checks; the first is longer than an unconfirmed transaction waits. */
export const ORPHANS_FIRST_MS = 4_000;
/** See ORPHANS_FIRST_MS. */
export const ORPHANS_CAP_MS = 300_000;
/** First and longest wait before a failed request is tried again. */
export const RETRY_FIRST_MS = 500;
/** See RETRY_FIRST_MS. */
export const RETRY_CAP_MS = 5_000;
/** The same after all nodes failed: a refused connect is cheap, and the history soon has all again. */
export const NODES_FIRST_MS = 100;
/** See NODES_FIRST_MS. */
export const NODES_CAP_MS = 2_000;
/** The same after the store failed: a full disk is not filled again by asking it every few seconds. */
export const STORE_FIRST_MS = 500;
/** See STORE_FIRST_MS. */
export const STORE_CAP_MS = 10_000;
/** Requests that fail in a row before a back-fill that was requested is given up. */
export const JOB_FAILURES_MAX = 10;
/** Requests that fail in a row before another node is used. */
export const NODE_FAILURES_MAX = 3;
/** A finalised slot that stands still for as long is that of a node which lost the cluster. */
export const FINAL_STALL_MS = 60_000;
/** Outages that are still to be filled: more are read as one. */
export const GAPS_MAX = 64;

// Streams.

/** Between two flushes of a market, milliseconds: the cadence that clients in use are built for. */
export const FLUSH_MS = 300;
/** Between two tries to open a topic that could not be read, milliseconds: a failing disk is not pressed. */
export const REOPEN_MS = 1_000;
/**
 * Trades of one flush: 200 of about 1 KB are half of what may wait for a socket. Beyond it the newest
 * are sent, with the number of the others: 600 a second in one market are more than the chain settles.
 */
export const WINDOW_TRADES_MAX = 200;
/** Candles that one flush sends: beyond it subscribers get a new snapshot and read the older ones again. */
export const FLUSH_CANDLES_MAX = 16;
/** Trades that a subscription begins with: what a client shows before the first one moves. */
export const INIT_TRADES = 20;
/** Topics of the worker: as many as the server allows, and those that are just being left. */
export const STREAM_TOPICS_MAX = 4_096;
/** Buckets that a candle topic keeps, before all but those of one flush are dropped. */
export const RECENT_BUCKETS_MAX = 64;

/** Trades of an export that are read at once, some megabytes; no slot has as many of a market. */
export const EXPORT_TRADES_AT_ONCE = 16_384;

// Postgres. Times are milliseconds.

/** A connect that takes longer is tried again. */
export const POSTGRES_CONNECT_MS_MAX = 5_000;
/** Transactions that go with a dropped day in one step of retention: a second or two of the server, in which nothing else is stored. */
export const DROPPED_TRANSACTIONS_MAX = 50_000;
/** A statement that takes longer is ended by the server: the longest counts a day of some ten million trades. */
export const POSTGRES_STATEMENT_MS_MAX = 30_000;
/** A wait for a lock, so that readers never wait long behind a writer that waits for one of them. */
export const POSTGRES_LOCK_MS_MAX = 5_000;
/** A server that is silent for as long is given up: beyond what it allows itself, and below `WORKER_SILENCE_MS_MAX`. */
export const POSTGRES_REPLY_MS_MAX = 40_000;
/** Rows that wait for one COPY, bytes of their text: some ten thousand trades. */
export const COPY_BYTES_MAX = 8 * 1_024 * 1_024;
/** Partitions that are made ahead of the newest day, so that none is made at midnight, when much is written. */
export const PARTITION_DAYS_AHEAD = 2;
/** The first and the last day with a partition of its own, unix seconds: 2020 and 2105. Other times share one. */
export const PARTITION_TS_MIN = 1_577_836_800;
/** See PARTITION_TS_MIN. */
export const PARTITION_TS_MAX = 4_291_747_200;
/** Between two looks for what the writer has stored, milliseconds: an edge is as far behind at most. */
export const FOLLOW_MS = 250;
/** New trades that an edge reads at one look; of more it opens its streams again. */
export const FOLLOWED_TRADES_MAX = 2_000;
/** A writer whose mark is as old, milliseconds, is not there: it writes one each second. */
export const WRITER_SILENCE_MS_MAX = 10_000;
