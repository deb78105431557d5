/** The limits of the journal, each with its reason. All times are in milliseconds. */

const MEBIBYTE = 1024 * 1024;

/** Maximum delay before waiting turns are passed to the journal's thread. */
export const DRAIN_MS = 50;
/** Waiting bytes that are passed on before that delay: several hundred accounts. */
export const DRAIN_BYTES = 256 * 1024;
/**
 * Maximum bytes in flight to the thread. Further turns wait in the core, whose own limit ends the
 * journal: both limits together hold the largest scan.
 */
export const IN_FLIGHT_BYTES_MAX = 64 * MEBIBYTE;

/** Interval of encoder flushes: together with DRAIN_MS, a kill loses well below a second. */
export const FLUSH_MS = 500;
/** Interval of disk syncs: a power loss loses about this much. */
export const SYNC_MS = 5_000;
/**
 * Maximum encoded bytes that wait for the disk: the largest checkpoint; with more, the disk is too
 * slow.
 */
export const DISK_QUEUE_BYTES_MAX = 256 * MEBIBYTE;

/**
 * Minimum account updates of a segment. Applying all of them takes about 110 ms, so a moment takes
 * half of that on average; they need half the space of the checkpoint of 10,000 users.
 */
export const SEGMENT_UPDATES_MIN = 50_000;
/**
 * Additional account updates of a segment for each account, so that reading to a moment costs as
 * much as restoring the checkpoint, with any number of accounts.
 */
export const SEGMENT_UPDATES_PER_ACCOUNT = 5;
/**
 * Maximum bytes of a segment after its checkpoint, or the size of the checkpoint if that is larger:
 * retention deletes whole segments.
 */
export const SEGMENT_BYTES_MAX = 64 * MEBIBYTE;
/**
 * Minimum number of segments within the byte limit, so that deleting one segment deletes little.
 */
export const SEGMENTS_IN_LIMIT = 16;
/** Minimum bytes of a segment, so that not every checkpoint starts one. */
export const SEGMENT_BYTES_MIN = 256 * 1024;
/**
 * Minimum number of tails within a log's byte limit; JetStream needs about three times their size.
 * A joining reader then finds the newest tail complete.
 */
export const TAILS_IN_LIMIT = 8;
/**
 * Maximum duration of a segment: the time that a damaged file loses, and the maximum delay of
 * retention.
 */
export const SEGMENT_MS_MAX = 600_000;

/** Age of the entries that a cluster keeps for proofs: as a service keeps them. */
export const PROOFS_MS_MAX = 3_600_000;
/** Their bytes, likewise. */
export const PROOFS_BYTES_MAX = 32 * MEBIBYTE;

/** Digests of turns that NATS has not stored yet: those of an hour. */
export const DIGESTS_MAX = 3_600;

/** Files read at the start, newest first: two years of ten-minute segments. */
export const SEGMENTS_MAX = 100_000;
/** Bytes that contain the head of any segment. */
export const SEGMENT_HEAD_BYTES = 64 * 1024;
/** Maximum average duration of a slot: retention ignores time by the clock beyond it. */
export const SLOT_MS_MAX = 600;

/** Interval of attempts to open the folder, so that a full disk is not probed constantly. */
export const RETRY_MS = 10_000;
/** Bytes that a folder must accept before the journal resumes in it. */
export const PROBE_BYTES = 64 * 1024;
/** Interval of the thread's statistics. */
export const STATS_MS = 1_000;
/**
 * Bytes of one read of a file: a dozen blocks, because the rest of the buffer is moved after each
 * block.
 */
export const PLAYER_READ_BYTES = 131_072;
/** Turns after which a player checks whether it was cancelled: some milliseconds. */
export const PLAYER_SLICE_TURNS = 1_000;
/** Interval at which the freshness of the last book of an ended replay is updated. */
export const REPLAY_WATCH_MS = 100;
/** A longer pause without slots is a clock fault, which a replay skips. */
export const REPLAY_PAUSE_MS_MAX = 60_000;

/**
 * Time limit of a NATS request or connection attempt: after it the request is sent again, for
 * example to a cluster that has elected its leader by then.
 */
export const NATS_CONNECT_MS_MAX = 2_000;
/** Interval of reconnects to a NATS server. */
export const NATS_RECONNECT_MS = 250;
/** Interval of pings to a NATS server. */
export const NATS_PING_MS = 1_000;
/**
 * Missed pings before a NATS server is given up: at most three seconds, as long as readers consider
 * a late book live.
 */
export const NATS_PINGS_MISSED_MAX = 2;
/** Maximum bytes of a log message: half of NATS's limit, and a few milliseconds to apply. */
export const LOG_MESSAGE_BYTES_MAX = 512 * 1024;
/**
 * Maximum bytes that wait for NATS: an hour of a busy book, after which the log continues with a
 * checkpoint.
 */
export const LOG_QUEUE_BYTES_MAX = 256 * MEBIBYTE;
/**
 * Silence after which an empty message is appended. It shows readers that the log is alive, and the
 * writer that it still owns the log.
 */
export const LOG_HEARTBEAT_MS = 1_000;
/**
 * Interval of the main thread's signs of life. Without one for LOG_HEARTBEAT_MS no empty message is
 * appended, because readers would take the last book for current.
 */
export const LOG_ALIVE_MS = 250;
/**
 * Silence after which a log counts as having no writer: three messages of a core whose chain is
 * silent.
 */
export const LOG_QUIET_MS = 3_500;
/** Delay between two attempts of a writer or a reader to continue a log. */
export const LOG_RETRY_MS = 250;
/** Maximum delay of that in the streams of a signed log: a checkpoint a second is late by no more. */
export const LEAVES_RETRY_MS_MAX = 2_000;
/**
 * Maximum delay before an unusable checkpoint, which has tens of megabytes, is read again. A newer
 * checkpoint is read immediately.
 */
export const LOG_RESTORE_MS_MAX = 30_000;
/**
 * Number of stored checkpoints: one may be read while the next is stored, and one is a reserve in
 * case storing fails halfway.
 */
export const LOG_CHECKPOINTS_KEPT = 3;
/** Time limit for storing a checkpoint: 500 MB at a quarter of a slow network's speed. */
export const CHECKPOINT_MS_MAX = 60_000;
/**
 * Milliseconds between searches for the newest checkpoint: a deletion is detected within a minute.
 */
export const CHECKPOINT_CHECK_MS = 20_000;
/** Minimum milliseconds between two checkpoints that readers request. */
export const CHECKPOINT_WANTED_MS = 5_000;
/**
 * First delay before storing a checkpoint is retried; the delay doubles with each attempt, because
 * readers wait for the checkpoint.
 */
export const CHECKPOINT_RETRY_MS = 500;
/** Maximum delay. */
export const CHECKPOINT_RETRY_MS_MAX = 30_000;
/**
 * Number of attempts to renew or acquire a lease within its duration, so that one late attempt does
 * not lose it.
 */
export const LEASE_TRIES = 5;
/** Maximum delay between two of these attempts: a released lease is acquired within this time. */
export const LEASE_PAUSE_MS_MAX = 100;
/**
 * Time for a stopping core to release its lease; with the journal's stop time it is below the stop
 * limit of a service.
 */
export const LEASE_STOP_MS_MAX = 1_000;
/**
 * Interval at which a failover checks whether the end of the log is reached: at most a tenth of its
 * time limit.
 */
export const TAKE_OVER_LOOK_MS = 10;
/**
 * Time for a standby with the lease to read the log to its end: the largest checkpoint and two
 * hours of messages.
 */
export const TAKE_OVER_MS_MAX = 60_000;
/**
 * Maximum bytes of accounts that a standby has received and its log may lack: the limit of the
 * core's own queue.
 */
export const STANDBY_BYTES_MAX = 256 * MEBIBYTE;
/**
 * Maximum concurrent requests of one edge to the core: four for each listed maker, 16 MiB of the
 * largest requests.
 */
export const QUOTES_IN_FLIGHT_MAX = 1_024;
/**
 * Time limit of the core's reply: twice the lifetime of a quote, after which the maker has sent
 * other quotes.
 */
export const QUOTE_REPLY_MS_MAX = 2_000;
/**
 * Messages that a reader requests in advance: some seconds of a busy log, and 128 MiB of the
 * largest messages.
 */
export const LOG_READ_MESSAGES = 256;
/** Silence after which a reader requests messages from its position again: three heartbeats. */
export const LOG_SILENCE_MS_MAX = 3_000;
/** Interval at which a reader checks whether the log is silent. */
export const LOG_WATCH_MS = 100;
/** Time after which a reader that catches up yields to the event loop. */
export const LOG_SLICE_MS = 4;

/** Time for a stopping thread to write its last turns, well below the stop limit of the service. */
export const STOP_MS_MAX = 3_000;
/** Time for a thread to open the folder, after which the service starts without the journal. */
export const OPEN_MS_MAX = 30_000;

/**
 * Maximum books that one thread keeps after requests, for clients that continue from their last
 * moment.
 */
export const WARM_BOOKS_MAX = 4;
/** Memory of one thread's kept books, except the last used book. */
export const WARM_BYTES_MAX = 256 * MEBIBYTE;
/**
 * Memory of a user account in a kept book, at most: its orders, and its 4,376 bytes if it changes
 * often.
 */
export const WARM_USER_BYTES = 12 * 1024;
/** Maximum threads for past books: more would take cores from the live book and its readers. */
export const AS_OF_THREADS_MAX = 4;
/**
 * Maximum queued requests for past moments: at a fifth of a second each, they wait for several
 * seconds.
 */
export const AS_OF_WAITING_MAX = 64;
/** Time limit of a request, including its wait; longer than reading a whole segment. */
export const AS_OF_MS_MAX = 10_000;
/** Idle time after which a thread ends and its books are dropped. */
export const AS_OF_IDLE_MS = 60_000;

/** Distance of two rows of a summary. */
export const SUMMARY_STEP_MS = 10_000;
/** The steps whose rows a summary has together, ascending: a day of one row a minute needs one piece of each. */
export const SUMMARY_STEPS_MS = [SUMMARY_STEP_MS, 60_000] as const;
/** Bytes that contain the index of any summary: two thousand markets. */
export const SUMMARY_INDEX_BYTES_MAX = 128 * 1024;
/** The last turns of an ended segment are no older when its summary is made. */
export const SUMMARY_LOOK_MS = 20_000;
/** Time of a request for missing summaries, so that other requests wait no longer. */
export const SUMMARY_WORK_MS = 500;
/** Books of a thread whose summaries are not whole: the newest segment, and one that has ended. */
export const SUMMARIES_MADE_MAX = 2;

/** Levels a side in an export, the same as the maximum of a body. */
export const EXPORT_LEVELS = 1_000;

/**
 * Maximum concurrent replays of all sockets: each has a book of its own, about 120 MB for 10,000
 * users.
 */
export const REPLAYS_MAX = 8;
/**
 * Maximum closed replays that wait for a message of the thread; limits a client that repeats
 * requests.
 */
export const REPLAYS_CLOSING_MAX = 8;
/**
 * Maximum remembered ids of markets, those of a dozen epochs: learning the ids of an epoch means
 * reading a checkpoint, about 70 ms.
 */
export const LEARNED_MARKETS_MAX = 2_048;
/** Maximum memory of the books of all replays; a single book may be larger. */
export const REPLAY_BOOK_BYTES_MAX = 1024 * MEBIBYTE;
/** Time of a work slice of the replay thread, after which it rests and checks for messages. */
export const REPLAY_SLICE_MS = 5;
/** Maximum utilisation of the replay thread: half a core, for any speed and number of replays. */
export const REPLAY_WORK_SHARE = 0.5;
/**
 * Bytes of a replay's frames that its reader has not taken; beyond it the replay pauses. One of the
 * largest frames fits.
 */
export const REPLAY_WINDOW_BYTES = 256 * 1024;
/**
 * Bytes of frames that are passed on together: the main thread sends them in less than a
 * millisecond.
 */
export const REPLAY_BATCH_BYTES = 64 * 1024;
/** Silence after which a replay sends a heartbeat, as live topics do. */
export const REPLAY_HEARTBEAT_MS = 1_000;
/**
 * Maximum lateness of a turn that is caught up: with more, the machine or the reader is too slow
 * for the speed.
 */
export const REPLAY_LATE_MS_MAX = 100;
/** Maximum lateness of the mark of an interval class on a busy service. */
export const MARK_LATE_MS = 1_000;
/**
 * Interval at which a replay that is about to become live checks for its topic's next mark, or for
 * a busy journal: a mark comes within five seconds.
 */
export const REPLAY_MARK_WAIT_MS = 250;
/** Maximum pause of a replay, because its book takes memory from other replays. */
export const REPLAY_STILL_MS_MAX = 600_000;

/**
 * Number of slots after which a service has received all updates of a slot, which is then final.
 */
export const LATE_SLOTS = 32;
