/** The limits of the journal, each with its reason. All times are milliseconds. */

const MEBIBYTE = 1024 * 1024;

/** Maximum delay before pending turns are passed to the journal's thread. */
export const DRAIN_MS = 50;
/** Bytes of turns that are passed on earlier: several hundred accounts. */
export const DRAIN_BYTES = 256 * 1024;
/**
 * Bytes in flight to the thread. Beyond it turns wait in the core, whose own limit ends the
 * journal: both together hold the largest scan.
 */
export const IN_FLIGHT_BYTES_MAX = 64 * MEBIBYTE;

/** Interval of encoder flushes: with DRAIN_MS well below a second, the maximum loss by a kill. */
export const FLUSH_MS = 500;
/** Interval of disk syncs: a power loss loses about as much. */
export const SYNC_MS = 5_000;
/** Encoded bytes queued for the disk: the largest checkpoint; beyond it the disk is too slow. */
export const DISK_QUEUE_BYTES_MAX = 256 * MEBIBYTE;

/**
 * Minimum account updates of a segment: they are applied in about 150 ms, on average half of that,
 * to reach a moment, and take as much room as the checkpoint of 10,000 users.
 */
export const SEGMENT_UPDATES_MIN = 50_000;
/**
 * Additional updates per account, so that reading to a moment costs as much as restoring the
 * checkpoint, at any number of accounts.
 */
export const SEGMENT_UPDATES_PER_ACCOUNT = 5;
/**
 * Bytes of a segment after its checkpoint, or the checkpoint's size if larger: retention deletes
 * whole segments.
 */
export const SEGMENT_BYTES_MAX = 64 * MEBIBYTE;
/** Minimum segments within the byte limit, so that deleting one deletes little. */
export const SEGMENTS_IN_LIMIT = 16;
/** Minimum bytes of a segment, so that not every checkpoint starts one. */
export const SEGMENT_BYTES_MIN = 256 * 1024;
/**
 * Minimum tails within a log's byte limit, which take about three times as much in JetStream: a
 * joining reader finds the newest complete.
 */
export const TAILS_IN_LIMIT = 8;
/** Maximum time of a segment: the cost of a damaged file, and the maximum delay of retention. */
export const SEGMENT_MS_MAX = 600_000;

/** Files read at the start, newest first: two years of ten-minute segments. */
export const SEGMENTS_MAX = 100_000;
/** Bytes that contain the head of any segment. */
export const SEGMENT_HEAD_BYTES = 64 * 1024;
/** Maximum average duration of a slot: retention ignores clock time beyond it. */
export const SLOT_MS_MAX = 600;

/** Interval of tries to open the folder: a full disk should not be probed constantly. */
export const RETRY_MS = 10_000;
/** Bytes that a folder must accept before the journal resumes in it. */
export const PROBE_BYTES = 64 * 1024;
/** Interval of the thread's statistics. */
export const STATS_MS = 1_000;
/** Bytes of a file per read: a dozen blocks, because the rest is moved after each block. */
export const PLAYER_READ_BYTES = 131_072;
/** Turns after which a player looks whether it is still wanted: some milliseconds. */
export const PLAYER_SLICE_TURNS = 1_000;
/** How often it is checked whether the book of a replay that has ended grows old. */
export const REPLAY_WATCH_MS = 100;
/** Longer pauses without slots are clock faults: a replay skips them. */
export const REPLAY_PAUSE_MS_MAX = 60_000;

/** Time limit of a NATS request, or connect: after it, a cluster with a leader election is asked again. */
export const NATS_CONNECT_MS_MAX = 2_000;
/** Interval of reconnects to a NATS server. */
export const NATS_RECONNECT_MS = 250;
/** Interval of pings to a NATS server. */
export const NATS_PING_MS = 1_000;
/**
 * Missed pings before a NATS server is given up: after at most three seconds, as long as readers
 * consider a late book live.
 */
export const NATS_PINGS_MISSED_MAX = 2;
/** Bytes of a log message: half of NATS's limit, and a few milliseconds to apply. */
export const LOG_MESSAGE_BYTES_MAX = 512 * 1024;
/** Bytes queued for NATS: an hour of a busy book, after which the log continues with a checkpoint. */
export const LOG_QUEUE_BYTES_MAX = 256 * MEBIBYTE;
/**
 * Silence after which an empty message is appended: it shows readers that the log is alive, and a
 * writer that it still owns it.
 */
export const LOG_HEARTBEAT_MS = 1_000;
/**
 * Interval of the main thread's signs of life. Without one for LOG_HEARTBEAT_MS no empty message is
 * appended, because readers would take the last book for current.
 */
export const LOG_ALIVE_MS = 250;
/** Silence after which a log has no writer: three messages of a core with a silent chain. */
export const LOG_QUIET_MS = 3_500;
/** Delay between tries of a writer, or a reader, to continue a log. */
export const LOG_RETRY_MS = 250;
/**
 * Maximum delay before a useless checkpoint is read again, because it has tens of megabytes. A
 * newer one is read immediately.
 */
export const LOG_RESTORE_MS_MAX = 30_000;
/** Stored checkpoints: one may be read while the next is stored, and one more in case that fails halfway. */
export const LOG_CHECKPOINTS_KEPT = 3;
/** Time limit for storing a checkpoint: 500 MB at a quarter of a slow network's speed. */
export const CHECKPOINT_MS_MAX = 60_000;
/** First delay between tries to store one, doubled after each, because readers wait for it. */
export const CHECKPOINT_RETRY_MS = 500;
/** Maximum delay. */
export const CHECKPOINT_RETRY_MS_MAX = 30_000;
/** Tries to renew or acquire a lease within its duration: a late one does not lose it. */
export const LEASE_TRIES = 5;
/** Maximum delay between two of them: a released lease is acquired within this time. */
export const LEASE_PAUSE_MS_MAX = 100;
/** Time for a stopping core to release its lease: with its journal's below a service's stop limit. */
export const LEASE_STOP_MS_MAX = 1_000;
/** Polling interval for the end of the log in a failover: a tenth of its time limit at most. */
export const TAKE_OVER_LOOK_MS = 10;
/**
 * Time for a standby with the lease to read the log to its end: the largest checkpoint and two
 * hours of messages.
 */
export const TAKE_OVER_MS_MAX = 60_000;
/** Bytes of accounts that a standby received and its log may lack: the limit of the core's own queue. */
export const STANDBY_BYTES_MAX = 256 * MEBIBYTE;
/** Concurrent requests of one edge to the core: four for each listed maker, 16 MiB of the largest. */
export const QUOTES_IN_FLIGHT_MAX = 1_024;
/** Time limit of the core's reply: the lifetime of two quotes, after which the maker has sent others. */
export const QUOTE_REPLY_MS_MAX = 2_000;
/** Messages that a reader requests ahead: some seconds of a busy log, and 128 MiB of the largest. */
export const LOG_READ_MESSAGES = 256;
/** Silence after which a reader requests a new position: ten heartbeats. */
export const LOG_SILENCE_MS_MAX = 10_000;
/** Interval at which a reader checks the log. */
export const LOG_WATCH_MS = 100;
/** Interval at which a reader that catches up yields to the event loop. */
export const LOG_SLICE_MS = 4;

/** Time for a stopping thread to write its last turns, well below the limit of the whole service. */
export const STOP_MS_MAX = 3_000;
/** Time for a thread to open the folder before the service continues without it. */
export const OPEN_MS_MAX = 30_000;

/** Books that one thread keeps where requests left them: a client that continues in time reuses its book. */
export const WARM_BOOKS_MAX = 4;
/** Memory of one thread's warm books, except the last one. */
export const WARM_BYTES_MAX = 256 * MEBIBYTE;
/** Memory of a user account in such a book: its 4,376 bytes, needed for the next delta, and its orders. */
export const WARM_USER_BYTES = 12 * 1024;
/** Threads for past books: more would take cores from the live book and its readers. */
export const AS_OF_THREADS_MAX = 4;
/** Queued requests for past moments: at a fifth of a second each they wait for several seconds. */
export const AS_OF_WAITING_MAX = 64;
/** Time limit of a request, including its wait: longer than reading a whole segment. */
export const AS_OF_MS_MAX = 10_000;
/** Idle time after which a thread and its books end. */
export const AS_OF_IDLE_MS = 60_000;

/** Levels a side of an export, the maximum of a body. */
export const EXPORT_LEVELS = 1_000;

/** Concurrent replays of all sockets: each has its own book, about 120 MB for 10,000 users. */
export const REPLAYS_MAX = 8;
/** Closed replays with pending thread messages: it bounds a client that repeats requests. */
export const REPLAYS_CLOSING_MAX = 8;
/** Markets whose ids are remembered, those of a dozen runs: to learn those of a run takes a checkpoint, some 70 ms. */
export const LEARNED_MARKETS_MAX = 2_048;
/** Memory of the books of all of them, but of one however large it is. */
export const REPLAY_BOOK_BYTES_MAX = 1024 * MEBIBYTE;
/** Work slice of the replay thread before it rests and checks for messages. */
export const REPLAY_SLICE_MS = 5;
/** Maximum utilisation of the replay thread: half a core at the highest speed, for any number of replays. */
export const REPLAY_WORK_SHARE = 0.5;
/** Untaken bytes of a replay's frames beyond which it pauses: one of the largest frames fits. */
export const REPLAY_WINDOW_BYTES = 256 * 1024;
/** Bytes of frames passed on together: the main thread sends them in less than a millisecond. */
export const REPLAY_BATCH_BYTES = 64 * 1024;
/** Silence after which a replay sends a heartbeat, as live topics do. */
export const REPLAY_HEARTBEAT_MS = 1_000;
/**
 * Maximum lateness of a turn that is caught up: beyond it, the machine or the reader is too slow
 * for the speed.
 */
export const REPLAY_LATE_MS_MAX = 100;
/** Maximum lateness of an interval's mark, on a busy service. */
export const MARK_LATE_MS = 1_000;
/**
 * Polling interval of a replay that waits for its topic's next mark, or for a busy journal, to
 * become live: a mark comes within five seconds.
 */
export const REPLAY_MARK_WAIT_MS = 250;
/** Maximum pause of a replay, whose book takes memory from others. */
export const REPLAY_STILL_MS_MAX = 600_000;

/** Slots after which a service has received everything of a slot: it is then final. */
export const LATE_SLOTS = 32;
