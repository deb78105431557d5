/** Every bound of the journal, each with its reason. All times are milliseconds. */

const MEBIBYTE = 1024 * 1024;

/** Turns are handed to the thread of the journal at least as often while any wait. */
export const DRAIN_MS = 50;
/** Bytes of turns that are handed over at once, before that: some hundred accounts. */
export const DRAIN_BYTES = 256 * 1024;
/**
 * Bytes on their way to the thread. Beyond it turns wait in the core, whose own limit ends the journal: what
 * both hold is that of the largest scan.
 */
export const IN_FLIGHT_BYTES_MAX = 64 * MEBIBYTE;

/** What waits in the encoder is written as often: with DRAIN_MS well below a second, which is all that a kill may lose. */
export const FLUSH_MS = 500;
/** What was written is synced to the disk as often: a power cut loses about as much. */
export const SYNC_MS = 5_000;
/** Encoded bytes that wait for the disk: as many as the largest checkpoint, beyond it the disk is too slow. */
export const DISK_QUEUE_BYTES_MAX = 256 * MEBIBYTE;

/**
 * Account updates of one segment at least: they are applied in some 150 ms, on average in half of that, to reach a
 * moment, and take as much room as the checkpoint of 10,000 users before them.
 */
export const SEGMENT_UPDATES_MIN = 50_000;
/** And as many for each account, so that reading to a moment costs as much as restoring the checkpoint, however many there are. */
export const SEGMENT_UPDATES_PER_ACCOUNT = 5;
/** Bytes of one segment behind its checkpoint, or as many as that has: what retention deletes at once. */
export const SEGMENT_BYTES_MAX = 64 * MEBIBYTE;
/** The limit on bytes holds at least so many segments, so that deleting one deletes little of what is kept. */
export const SEGMENTS_IN_LIMIT = 16;
/** But a segment has at least as many bytes, or there would be one for each checkpoint. */
export const SEGMENT_BYTES_MIN = 256 * 1024;
/** The limit on the bytes of a log holds so many tails at least, which take some three times as many in JetStream: one that joins finds the newest whole. */
export const TAILS_IN_LIMIT = 8;
/** Time of one segment: what a damaged file costs, and how late retention is at most. */
export const SEGMENT_MS_MAX = 600_000;

/** Files of the folder that are read at the start, the newest: two years of segments of ten minutes. */
export const SEGMENTS_MAX = 100_000;
/** Bytes from which the head of any segment can be read. */
export const SEGMENT_HEAD_BYTES = 64 * 1024;
/** The longest time that a slot takes on average: what the clock says beyond it is not believed by retention. */
export const SLOT_MS_MAX = 600;

/** Between two tries to open the folder again: a full disk is not filled again by asking it all the time. */
export const RETRY_MS = 10_000;
/** Bytes that a folder must take before the journal goes on in it. */
export const PROBE_BYTES = 64 * 1024;
/** How often the thread tells its figures. */
export const STATS_MS = 1_000;
/** Bytes of a file that a replay reads at once: a dozen blocks, because what is left is moved after each of them. */
export const REPLAY_READ_BYTES = 131_072;
/** How often it is checked whether the book of a replay that has ended grows old. */
export const REPLAY_WATCH_MS = 100;
/** A pause that is longer, and in which no slots passed, is the clock's fault: a replay does not wait for it. */
export const REPLAY_PAUSE_MS_MAX = 60_000;

/** Time for one request to NATS, to connect as well: a cluster that elects a leader is asked again after it. */
export const NATS_CONNECT_MS_MAX = 2_000;
/** Between two tries to reach a server of NATS. */
export const NATS_RECONNECT_MS = 250;
/** A server of NATS is asked as often whether it is there. */
export const NATS_PING_MS = 1_000;
/** A server that is silent for so many of these is given up: after three seconds at most, as long as readers hold a late book to be live. */
export const NATS_PINGS_MISSED_MAX = 2;
/** Bytes of one message of the log: half of what NATS takes, and a few milliseconds to apply. */
export const LOG_MESSAGE_BYTES_MAX = 512 * 1024;
/** Bytes that wait for NATS: an hour of a busy book, after which the log goes on with a checkpoint. */
export const LOG_QUEUE_BYTES_MAX = 256 * MEBIBYTE;
/** An empty message is appended where there was none for so long: readers see that the log is there, and a writer whether it is its own. */
export const LOG_HEARTBEAT_MS = 1_000;
/**
 * The main thread of a core says as often that its event loop turns. When it has said nothing for LOG_HEARTBEAT_MS there is no empty
 * message, because readers would take the last book for the present one.
 */
export const LOG_ALIVE_MS = 250;
/** A log is free when nobody has appended to it for so long: three messages of a core whose chain is silent. */
export const LOG_QUIET_MS = 3_500;
/** Between two tries of a writer, or of a reader, to go on with a log. */
export const LOG_RETRY_MS = 250;
/** A checkpoint with which a reader came no further is read again after so long at most: it is tens of megabytes. A newer one is read at once. */
export const LOG_RESTORE_MS_MAX = 30_000;
/** Checkpoints that are kept: one may be read while the next is stored, and one more in case that this ends halfway. */
export const LOG_CHECKPOINTS_KEPT = 3;
/** Time for a checkpoint to be stored: 500 MB at a quarter of what a slow network moves. */
export const CHECKPOINT_MS_MAX = 60_000;
/** Between two tries to store one, twice as long after each, as readers that need it wait. */
export const CHECKPOINT_RETRY_MS = 500;
/** The longest such pause. */
export const CHECKPOINT_RETRY_MS_MAX = 30_000;
/** Tries to renew a lease, or to take it, while it lasts: a late one does not lose it. */
export const LEASE_TRIES = 5;
/** Between two of them at most: a lease that was given back is not left alone for longer. */
export const LEASE_PAUSE_MS_MAX = 100;
/** Time that a stopping core has to give its lease back: with that of its journal below what a service has to stop. */
export const LEASE_STOP_MS_MAX = 1_000;
/** Between two looks whether a standby has read the log to its end: a tenth of what a take-over may take is lost by it at most. */
export const TAKE_OVER_LOOK_MS = 10;
/** Time for a standby that has the lease to read the log to its end: the largest checkpoint and two hours of messages. */
export const TAKE_OVER_MS_MAX = 60_000;
/** Bytes of accounts that a standby has received and its log may not have: the core's own limit of what waits. */
export const STANDBY_BYTES_MAX = 256 * MEBIBYTE;
/** Requests of one edge that wait for the core's reply: four of each maker of the list, 16 MiB of the largest. */
export const QUOTES_IN_FLIGHT_MAX = 1_024;
/** Time that the core has to reply to one: the life of two quotes, after which its maker has sent others. */
export const QUOTE_REPLY_MS_MAX = 2_000;
/** Messages that a reader requests ahead of the one that it applies: some seconds of a busy log, and 128 MiB of the largest. */
export const LOG_READ_MESSAGES = 256;
/** A reader without a message for so long requests a new position: ten heartbeats. */
export const LOG_SILENCE_MS_MAX = 10_000;
/** How often a reader looks whether the log is still there. */
export const LOG_WATCH_MS = 100;
/** A reader that catches up lets the event loop turn as often. */
export const LOG_SLICE_MS = 4;

/** Time that a stopping thread has for its last turns, well below that of the whole service. */
export const STOP_MS_MAX = 3_000;
/** Time that a thread has to open the folder before the service goes on without it. */
export const OPEN_MS_MAX = 30_000;

/** Bytes of a file that are read at once for a past moment, likewise. */
export const AS_OF_READ_BYTES = 131_072;
/** Turns after which a thread looks whether the request is still wanted: some milliseconds. */
export const AS_OF_SLICE_TURNS = 1_000;
/** Books that one thread keeps at the moments where requests left them: a client that goes on in time has its own. */
export const WARM_BOOKS_MAX = 4;
/** Memory of the books that one thread keeps, but the last one, however large it is. */
export const WARM_BYTES_MAX = 256 * MEBIBYTE;
/** Memory of a user account in such a book: its 4,376 bytes, against which the next change is read, and its orders. */
export const WARM_USER_BYTES = 12 * 1024;
/** Threads that make books of past moments: more would take the cores of the live book and its readers. */
export const AS_OF_THREADS_MAX = 4;
/** Requests for past moments that wait for a thread: with a fifth of a second each they wait for several seconds. */
export const AS_OF_WAITING_MAX = 64;
/** Time that a request has, its wait included: longer than a segment takes from its checkpoint to its end. */
export const AS_OF_MS_MAX = 10_000;
/** A thread without a request ends after this, and its books with it. */
export const AS_OF_IDLE_MS = 60_000;

/** Levels a side of an export: as many as a body has at most. */
export const EXPORT_LEVELS = 1_000;

/** Topics of the past that are played at once, of all sockets: each has a book of its own, some 120 MB of 10,000 users. */
export const REPLAYS_MAX = 8;
/** Replays that were closed and of which the thread still has messages: a client that asks again and again fills no queue. */
export const REPLAYS_CLOSING_MAX = 8;
/** Markets of runs whose ids are remembered: to learn one takes a checkpoint, some 70 ms. */
export const LEARNED_MARKETS_MAX = 256;
/** Memory of the books of all of them, but of one however large it is. */
export const REPLAY_BOOK_BYTES_MAX = 1024 * MEBIBYTE;
/** Work of the thread that plays them before it rests, and looks for messages. */
export const REPLAY_SLICE_MS = 5;
/** The share of its time in which it works: half a core at the highest speed, whatever the number of replays. */
export const REPLAY_WORK_SHARE = 0.5;
/** Bytes of frames of one replay that its reader has not taken, beyond which it waits: one of the largest fits. */
export const REPLAY_WINDOW_BYTES = 256 * 1024;
/** Bytes of frames that are handed over at once: the main thread sends them in less than a millisecond. */
export const REPLAY_BATCH_BYTES = 64 * 1024;
/** Silence after which a replay sends a heartbeat, as live topics do. */
export const REPLAY_HEARTBEAT_MS = 1_000;
/** How late a turn may be that is still made up for: beyond it, the machine or the reader is slower than the speed. */
export const REPLAY_LATE_MS_MAX = 100;
/** How late the mark of an interval comes at most, on a service that was busy. */
export const MARK_LATE_MS = 1_000;
/** Between two looks whether a replay that waits for the next mark of its topic, or for a busy journal, may become live: a mark comes within five seconds. */
export const REPLAY_MARK_WAIT_MS = 250;
/** How long a replay may stand still, as its book is in memory and takes the place of another. */
export const REPLAY_STILL_MS_MAX = 600_000;

/** Slots behind one in which a service may still receive what is of it: it is final then. */
export const LATE_SLOTS = 32;
