/** The limits of the history, each with its reason: the store, the worker, ingestion, and the streams. */

/** Cached prepared statements: the store uses about fifty. */
export const STATEMENTS_MAX = 256;
/** Page cache of the file, KiB: the newest trades of all markets and the top of every index. */
export const PAGE_CACHE_KIB = 64 * 1_024;
/** Pages of the write-ahead log before a checkpoint: 16 MiB, which take a tenth of a second to copy. */
export const WAL_CHECKPOINT_PAGES = 4_096;
/** The log is truncated to this after a checkpoint, bytes: a large batch leaves no large file. */
export const WAL_BYTES_KEPT = 64 * 1_024 * 1_024;

/** Transactions of one write: a second of work; callers that must answer queries in between write fewer. */
export const BATCH_TRANSACTIONS_MAX = 10_000;

/** Unfinalised transactions of one query: a minute and a half at a thousand a second. */
export const UNFINALISED_READ_MAX = 100_000;

/** Actions on the orders of one page: the newest of them count. */
export const ORDER_ACTIONS_MAX = 20_000;

/** Rows of one page: the maximum of a response, plus the rest of its first and last slots. */
export const PAGE_ROWS_MAX = 1_064;
/** Maximum offset of a page: a hundred of the largest pages, 30 ms. Cursors reach further. */
export const PAGE_OFFSET_MAX = 100_000;
/** Rows of one archive page, as in the Drift v2 data API: a body of 7 MB, a fifth of a second. */
export const ARCHIVE_ROWS = 5_000;
/** Counted rows of a day in an archive: as many as its pages reach. 100,000 take a twentieth of a second. */
export const ARCHIVE_ROWS_COUNTED_MAX = 1_000_000;
/** Buckets of one query: a day of minutes. */
export const CANDLES_READ_MAX = 1_500;
/** Cached buckets: the current ones of sixty markets, and some for late trades; 2 MB. */
export const CANDLES_CACHED_MAX = 2_048;

/** Listed holes in fillRecordIds: further holes are only counted. */
export const GAPS_LISTED_MAX = 100;
/**
 * Slots around a removed fill that are searched for a fill of the same number. A fork is at most 32
 * slots long where it is confirmed, 512 anywhere.
 */
export const FORK_SLOTS_MAX = 512;

/** Rows deleted by one step of retention: about 30 ms. */
export const RETIRE_ROWS_MAX = 2_000;
/** Rows of one slice of the integrity check: about 3 ms, after which queries and writes proceed. */
export const CHECKED_ROWS_PER_SLICE = 100;
/** Pause between two slices, milliseconds: 4,000 rows a second, a tenth of a core. */
export const CHECK_PAUSE_MS = 25;
/** Pause between two checks of the whole file, milliseconds: six hours, because disks decay slowly. */
export const CHECK_REST_MS = 21_600_000;
/** Damaged rows that one check logs; further rows are only counted. */
export const DAMAGED_ROWS_LOGGED_MAX = 10;
/** Pending fills that one write adds to candles once their market's decimals are known: a fifth of a second. */
export const PENDING_FILLS_PER_WRITE_MAX = 2_000;
/** The last second of the year 9999: later values are not valid times. */
export const TS_MAX = 253_402_300_799;

/**
 * Time on a node's logs before the preferred streams are tried again: each switch reads missed
 * transactions.
 */
export const STREAM_RETURN_MS = 60_000;

/** Newest funding rates in the 24-hour average: the program sets one an hour, and no page has more. */
export const FUNDING_RATES_AVERAGED_MAX = 1_000;

/** Maximum distance between a chain time reading and another clock that confirms it, seconds. */
export const CHAIN_TIME_AGREES_SECONDS = 3_600;
/** Maximum rate of the chain's time against local time: its rule allows a quarter more. */
export const CHAIN_TIME_RATE_MAX = 1.25;
/** Additional tolerance in seconds: a node that catches up, or a leader with a wrong clock. */
export const CHAIN_TIME_SLACK_SECONDS = 60;
/** Time after which consistent readings of a single node are accepted: an hour, like the delay of deletions. */
export const CHAIN_TIME_DOUBT_MS = 3_600_000;

/** Time span of records that retention deletes without a delay, seconds: a running service deletes minutes. */
export const RETIRE_SPAN_SECONDS_MAX = 86_400;
/** Delay before retention deletes a longer span, in chain time and in local time, seconds. */
export const RETIRE_HOLD_SECONDS = 3_600;

// The worker and its handle on the main thread. All times are milliseconds.

/** Concurrent queries: the worker answers several thousand a second, so these wait briefly. */
export const QUERIES_MAX = 256;
/** Maximum duration of a query: beyond it, the worker hangs or the disk does not respond. */
export const QUERY_MS_MAX = 10_000;
/** First delay before an ended worker is restarted. */
export const RESTART_FIRST_MS = 250;
/** Maximum restart delay: a persistent fault needs an operator, and then a quick recovery. */
export const RESTART_CAP_MS = 15_000;
/** A worker that ran this long resets the restart delay. */
export const STABLE_AFTER_MS = 60_000;
/** Maximum silence of a worker: it posts stats each second, but a slow disk may block its thread. */
export const WORKER_SILENCE_MS_MAX = 60_000;
/** Interval of the silence check. */
export const WORKER_WATCH_MS = 1_000;
/** Time for a stopping worker to write its last rows, well below the limit of the whole service. */
export const STOP_MS_MAX = 3_000;

/**
 * Duration for which a read fault of the disk stays in the state, milliseconds: only one query of
 * many may meet it.
 */
export const FAULT_KEPT_MS = 10_000;

// Ingestion. Times are milliseconds where the name says so.

/** Signatures of one page: the maximum of a node. */
export const PAGE_SIGNATURES = 1_000;
/**
 * Pages of one reading at the live tip: more than a busy program produces between two checks. Older
 * signatures become a gap, which stores its progress after each page, so that little is read twice.
 */
export const TIP_PAGES_MAX = 2;
/** Pages of one reading to complete a slot longer than a page; no slot has as many. */
export const SLOT_PAGES_MAX = 20;
/** Concurrent transaction requests: a node responds in tens of milliseconds. */
export const FETCHES_MAX = 8;
/** Burst of requests after a pause, milliseconds: the average rate is kept. */
export const FETCH_BURST_MS = 1_000;
/** Notifications stored together. */
export const LIVE_BATCH_MAX = 256;
/** Delay of the first of them, which waits for others: negligible against the second of a confirmation. */
export const LIVE_BATCH_MS = 5;
/** Queued notifications; further ones are dropped, and read again from the node. */
export const LIVE_QUEUE_MAX = 20_000;
/** Remembered transactions without records: several minutes of a busy program. */
export const EMPTY_TRANSACTIONS_MAX = 200_000;
/** Slots whose notifications are numbered by arrival. */
export const ARRIVAL_SLOTS_MAX = 512;
/** Interval of finalised checks: a slot is final after about 13 s, so it adds little. */
export const FINALISED_CHECK_MS = 2_000;
/** Slots below the finalised one that are not listed yet: a node's signature index lags a moment. */
export const FINALISED_MARGIN_SLOTS = 2;
/** Tries before a listed transaction is given up, and counted as unavailable. */
export const FETCH_TRIES_MAX = 5;
/** Minimum time before that, milliseconds: a node's index lags by seconds. */
export const FETCH_TRIES_MS_MIN = 8_000;
/** Transactions given up in a row without any success: beyond, the node itself fails. */
export const UNPROVEN_MAX = 2;
/** Truncated logs in a row for which other nodes are asked, and then for one of so many. */
export const CUT_ALIKE_MAX = 16;
/** Ambiguous failures in a row that count as a failure of the node. */
export const UNSURE_FAILURES_MAX = 8;
/** First and maximum delay before a given-up transaction is requested again. */
export const LATER_FIRST_MS = 5_000;
/** See LATER_FIRST_MS. */
export const LATER_CAP_MS = 300_000;
/** Late retries of a transaction: over 35 minutes, in which a repaired node catches up. */
export const LATER_TRIES_MAX = 12;
/** Remembered transactions that no node returns: some hundred bytes each. */
export const UNGIVEN_MAX = 10_000;
/** The part of them that the store lists for the next start: some hundred kilobytes. */
export const UNGIVEN_STORED_MAX = 1_000;
/** Characters of an unreadable row that identify it. */
export const ROW_CHARS_MAX = 300;
/**
 * Time for which final logs with unreadable events are read again: a garbling node may have
 * recovered by then.
 */
export const UNREADABLE_MS_MAX = 10_000;
/** Time after which a stored transaction that a node knows but does not list is left to the orphan checks. */
export const UNLISTED_MS_MAX = 30_000;
/** Delay before a transaction that a finalised listing lacks is requested by signature. */
export const UNCONFIRMED_WAIT_MS = 3_000;
/** Pages read for unfinalised transactions below the tip: several minutes of a busy program. */
export const ORPHAN_PAGES_MAX = 10;
/**
 * First and maximum interval of these checks; the first is longer than the delay of an unconfirmed
 * transaction.
 */
export const ORPHANS_FIRST_MS = 4_000;
/** See ORPHANS_FIRST_MS. */
export const ORPHANS_CAP_MS = 300_000;
/** First and maximum delay before a failed request is retried. */
export const RETRY_FIRST_MS = 500;
/** See RETRY_FIRST_MS. */
export const RETRY_CAP_MS = 5_000;
/** First and maximum delay after all nodes failed: a refused connect is cheap, and recovery is quick. */
export const NODES_FIRST_MS = 100;
/** See NODES_FIRST_MS. */
export const NODES_CAP_MS = 2_000;
/** First and maximum delay after the store failed: a full disk should not be probed every few seconds. */
export const STORE_FIRST_MS = 500;
/** See STORE_FIRST_MS. */
export const STORE_CAP_MS = 10_000;
/** Failed requests in a row before a requested back-fill gives up. */
export const JOB_FAILURES_MAX = 10;
/** Failed requests in a row before another node is used. */
export const NODE_FAILURES_MAX = 3;
/** Duration without a new finalised slot after which a node counts as disconnected from the cluster. */
export const FINAL_STALL_MS = 60_000;
/** Open gaps: further ones merge. */
export const GAPS_MAX = 64;

// Streams.

/** Interval between two flushes of a market, milliseconds: existing clients expect this cadence. */
export const FLUSH_MS = 300;
/** Interval between two tries to open an unreadable topic, milliseconds: it spares a failing disk. */
export const REOPEN_MS = 1_000;
/**
 * Trades of one flush: 200 of about 1 KB are half of a socket's backlog limit. Beyond, only the
 * newest are sent, with the count of the others: 600 a second in one market exceed the chain's
 * capacity.
 */
export const WINDOW_TRADES_MAX = 200;
/** Candles of one flush: beyond, subscribers get a new snapshot and read older ones again. */
export const FLUSH_CANDLES_MAX = 16;
/**
 * Fills of a followed account whose finality is awaited: far more than an account has in the 13
 * seconds that a slot takes to be final. Of further ones the oldest are not told again.
 */
export const ACCOUNT_FILLS_MAX = 1_000;
/** Trades of an initial message: enough for a client to display. */
export const INIT_TRADES = 20;
/** Topics of the worker: the server's maximum, plus topics that are closing. */
export const STREAM_TOPICS_MAX = 4_096;
/** Cached buckets of a candle topic; beyond, only those of one flush are kept. */
export const RECENT_BUCKETS_MAX = 64;

/** Trades read at a time for an export, several megabytes; no slot of a market has as many. */
export const EXPORT_TRADES_AT_ONCE = 16_384;

// Postgres. Times are milliseconds.

/** Maximum duration of a connect; then it is retried. */
export const POSTGRES_CONNECT_MS_MAX = 5_000;
/** Maximum duration of a statement, enforced by the server. */
export const POSTGRES_STATEMENT_MS_MAX = 30_000;
/** Maximum wait for a lock, so that readers never wait long for a blocked writer. */
export const POSTGRES_LOCK_MS_MAX = 5_000;
/** Maximum silence of a server: longer than its own limits, and below `WORKER_SILENCE_MS_MAX`. */
export const POSTGRES_REPLY_MS_MAX = 40_000;
/** Buffered rows of one COPY, bytes of text: some ten thousand trades. */
export const COPY_BYTES_MAX = 8 * 1_024 * 1_024;
/** Polling interval for new records of the writer, milliseconds: the maximum delay of an edge. */
export const FOLLOW_MS = 250;
/** New trades that an edge reads per poll; beyond, it reopens its streams. */
export const FOLLOWED_TRADES_MAX = 2_000;
/** Maximum age of the writer's mark, milliseconds: it writes one each second. */
export const WRITER_SILENCE_MS_MAX = 10_000;

/** Maximum copies of a service's file: its log begins anew every some thousand pages, which spoils one. */
export const STORE_COPIES_MAX = 10;
