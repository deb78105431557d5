/** Every bound of the feed, each with its reason. All times are milliseconds. */

/** Without a slot for this long the book is `lagging`: six slots are missing. */
export const LAGGING_AFTER_MS = 2_500;
/** Without a slot for this long the book is `stale`. */
export const STALE_AFTER_MS = 5_000;
/** Nominal time of a slot: what a number of slots stands for. */
export const SLOT_MS = 400;
/**
 * No chain has shorter slots: mainnet's take 400 ms, those of local chains 50 or more. Slots that come
 * faster for long are not believed.
 */
export const SLOT_MS_MIN = 50;
/** Slots that a node may be ahead of that at once: it catches up, or its socket is ahead of its readings. */
export const SLOTS_AHEAD_MAX = 32;
/** Slots of one chain that are further apart, a minute, are not of one time. */
export const SLOTS_APART_MAX = 150;
/**
 * The same of a reading and the Clock in it: the Clock is written when its slot begins, so that they are of
 * one slot on a real chain, and of two next to each other on some local ones.
 */
export const READING_SLOTS_APART_MAX = 4;
/** A lag of fewer slots, about the least that is shown, is too short for the Clock's whole seconds to speak against it. */
export const JUDGED_LAG_SLOTS_MIN = 6;
/**
 * Slots that may stay ahead of the Clock that the same socket notifies, just below 3 s: the Clock of a slot comes when
 * the next one begins. Book and oracles would be judged by a slot that much too high.
 */
export const CLOCK_LEAD_SLOTS_MAX = 7;
/** For how long at most: slots that were skipped are ahead until the next one ends, a late block included. */
export const CLOCK_LEAD_MS_MAX = 1_000;
/** Slots that a connection may gain on their nominal time, just below 3 s, before other nodes are asked for theirs. */
export const PACE_SLOTS_MAX = 7;
/** What it may have gained on those, and be ahead of them: servers behind one address are not at one slot. */
export const PACE_APART_SLOTS_MAX = 4;
/**
 * The others are asked this often, so that there is something to compare with. Slots of the main network are up to 2.5 %
 * shorter than their nominal time, which gains less than four within it.
 */
export const PACE_INTERVAL_MS = 60_000;
/** Seconds that the chain's time may step ahead of this machine's monotonic clock, or back, at once. */
export const CHAIN_TIME_STEP_S_MAX = 30;
/** By which part of the time it may gain on that clock beyond: it is an estimate that lags, and catches up. */
export const CHAIN_TIME_DRIFT_MAX = 0.05;
/** By which part slots of the main network are shorter than their nominal time, at the most. */
export const SHORT_SLOTS_MAX = 0.025;
/** After so long the node before says nothing any more of one that takes over: half the lead is short slots by then. */
export const TAKEOVER_MS_MAX = 600_000;
/** Longest wait for the Clock of another node: one that hangs holds no start back for longer. */
export const OTHER_CLOCK_MS_MAX = 2_000;
/** Time between two readings that check slots which were not believed. */
export const SLOT_CHECK_INTERVAL_MS = 1_000;
/** How often freshness and the second of the chain's clock are checked. */
export const WATCH_INTERVAL_MS = 100;

/** The Clock is read this often when its subscription is silent. */
export const CLOCK_POLL_INTERVAL_MS = 1_000;
/** Longest wait between two such reads beyond that while they fail. */
export const CLOCK_POLL_BACKOFF_CAP_MS = 15_000;
/** A Clock that notified within this time needs no read: it changes with every slot. */
export const CLOCK_SILENT_AFTER_MS = 1_500;
/** The shown second never steps back by less than this: such steps are only jitter of the reads. */
export const CLOCK_STEP_BACK_MIN_S = 5;

/** Keys of one getMultipleAccounts: the server's own limit. */
export const ACCOUNTS_PER_READ = 100;
/** Oracles followed: the program has fewer than a hundred markets, so this is room enough. */
export const ORACLES_MAX = 1_000;
/** Market and State accounts of one response. */
export const MARKETS_MAX = 2_000;
/** Users applied between two turns of the loop: well under 1 ms, as 200 cold ones take up to 2 ms. */
export const SNAPSHOT_SLICE_USERS = 64;

/** Updates buffered while the accounts are read: a hundred seconds at 2,500 a second. */
export const REPLAY_UPDATES_MAX = 250_000;
/** Accounts whose last slot is stored, so that a revert is detected: more than the program has. */
export const SLOTS_KEPT_MAX = 1_000_000;
/** Their data in characters: bounds the memory when accounts are large. */
export const REPLAY_CHARS_MAX = 256 * 1024 * 1024;
/** Updates replayed between two turns of the loop, where few arrived. */
export const REPLAY_SLICE_UPDATES_MIN = 64;
/** The same where many did, which otherwise might arrive faster than they are replayed. */
export const REPLAY_SLICE_UPDATES_MAX = 512;
/** Slices of what arrived, between these bounds. */
export const REPLAY_SLICES = 64;

/** Reads of one kind before a node that lags behind its own socket is given up. */
export const READS_MAX = 5;
/** First wait before such a re-read: about a slot. */
export const REREAD_FIRST_MS = 400;
/** Longest such wait: what a node is behind by, it catches up with in a few slots or not at all. */
export const REREAD_CAP_MS = 3_000;
/**
 * Scans with users that could not be decoded before the rebuild or the audit fails: the scan is heavy,
 * and both retry after a wait.
 */
export const UNREADABLE_SCANS_MAX = 2;
/** Unreadable accounts named in the log for each such scan. */
export const UNREADABLE_LOGGED_MAX = 8;
/** A snapshot with fewer than this share of the known users is re-read. */
export const SHRUNKEN_PERCENT = 90;
/** Such snapshots that must agree before one is accepted: over more than three seconds, see below. */
export const SHRUNKEN_READS = 5;
/** Scans that must agree where nothing else tells how many users there are. */
export const FIRST_READS = 2;
/** A scan with fewer of the positions that markets count is read again: fills move some meanwhile. */
export const COMPLETE_PERCENT = 90;
/** One with fewer than these is refused: no fills move half of all positions. */
export const POSSIBLE_PERCENT = 50;
/** Refusals in a row after which scans as small are confirmed like others: two of each of two nodes. */
export const IMPOSSIBLE_READS = 4;
/** Malformed accounts beyond this share are more than a few odd ones: a new layout, or a bad node. */
export const QUARANTINED_PERCENT_MAX = 5;
/** The book counts no more of them than this. */
export const QUARANTINED_MAX = 10_000;
/** Wait between two scans that must agree, of which jitter may take half: a short overload of the node has passed by then. */
export const SHRUNKEN_REREAD_MS = 1_600;
/** Two such snapshots agree when the smaller has this share of the larger. */
export const AGREEING_PERCENT = 99;

/**
 * An audit waits until this many slots after its snapshot are announced. A node notifies the accounts
 * of a slot when it is processed, about when the next one begins; one more covers a late message.
 */
export const AUDIT_SLOTS_AFTER = 2;
/** Audits that a revert puts off in a row: a node that re-orders its notifications needs audits most. */
export const AUDIT_INTERRUPTIONS_MAX = 3;
/** Most intervals between two audits of which the first failed: doubled with each failure. */
export const AUDIT_WAIT_INTERVALS_MAX = 8;

/**
 * Time from the beginning of an audit to that of the next one that a gap in the slots asks for: a chain that stands still again and
 * again has a gap every three seconds, and each audit is a scan of all users.
 */
export const GAP_AUDIT_MS_MIN = 10_000;

/** Users of one probe that were notified last: those that a silent subscription leaves behind first. */
export const PROBE_NEWEST_USERS = 20;
/** Markets, State and oracles that are read in turn: half a read, so that 30 users in turn have room. */
export const PROBE_OTHERS_IN_TURN = 50;
/** Intervals in which each of these is read: three seconds, as long as an order may be wrong. */
export const PROBE_INTERVALS_A_TURN = 3;
/** Probes of one interval, where that takes more than one: each is a call that a node counts. */
export const PROBES_PER_INTERVAL_MAX = 4;
/** A probe is compared again when so many slots after it were announced, as an audit is. */
export const PROBE_SLOTS_AFTER = AUDIT_SLOTS_AFTER;
/** Slots after a reading without an account until the second one: the socket has notified by then what the first holds. */
export const ABSENCE_SLOTS_AFTER = 1;
/** Time until a reading that settled nothing is made again: about a slot, by which `confirmed` reaches the first reading. */
export const ABSENCE_REREAD_MS = 400;
/** Longest time for which an account is read a second time, and for a search: a later probe finds again what is absent. */
export const ABSENCE_MS_MAX = 10_000;
/** Longest wait for another node: with two tries and the reading of the node in use an account leaves within seconds. */
export const ABSENCE_OTHER_MS_MAX = 800;
/** Other nodes that failed, or were behind, are not asked for so long. */
export const ABSENCE_OTHERS_REST_MS = 30_000;
/** Accounts that are absent or new at once: far more than a chain closes or makes within seconds. */
export const ABSENCES_MAX = 10_000;
/** Slots after a notification until a reading can be past it: a slot is announced when it begins, and read when it ends. */
export const UNPROVEN_SLOTS_AFTER = 2;
/**
 * A new account that is notified again and again, and that no reading so many slots past its first notification has, is
 * one that the node made up: a fork that lasts as long is rarer.
 */
export const UNPROVEN_SLOTS_MAX = 6;
/** Reads of a search at once: 5,000 users with orders are read in some two seconds. */
export const SEARCH_READS_MAX = 4;
/** Longest time of one probe with its tries; the next one waits for it. */
export const PROBE_MS_MAX = 3_000;
/** Longest wait after a probe that failed: a node that refuses them is not asked each second. */
export const PROBE_BACKOFF_CAP_MS = 15_000;
/**
 * Longest time from the first slot after a gap until a read agrees with the book: what was on its way has come within three slots,
 * and a second read settles the rest. All accounts are read again then.
 */
export const PROOF_MS_MAX = 5_000;
/** So long after a fork a user that went back with it may be found: 5,000 users are read in less. */
export const PROBE_FORK_MS = 180_000;
/** Forks that are known of one connection: far more than a chain leaves within that time, the newest count. */
export const FORKS_KEPT_MAX = 64;
/** Within this time probes repair a few users; more of them are a loss of messages. */
export const PROBE_REPAIRS_MS = 60_000;
/**
 * Users that probes repair within that time. Of the 150 slots of a minute one or two are of a fork that is
 * abandoned, and most of what was in it comes again; a loss of a tenth of all messages shows more in seconds.
 */
export const PROBE_REPAIRS_MAX = 5;
/** Differences that an audit may find without a verdict: a message or two are lost on any day. */
export const AUDIT_DIFFERENCES_MAX = 3;
/** The same as a share of the users: one in so many. */
export const AUDIT_DIFFERENCES_ONE_IN = 1_000;
/** A connection that loses messages within this time of one before is not merely made again. */
export const LOSS_MEMORY_MS = 600_000;
/** Connections that lose messages before the next node is used: the first may be the network's. */
export const LOSSES_PER_NODE = 2;
/** First wait before the third connection within that time: each costs a scan. */
export const LOSS_BACKOFF_FIRST_MS = 1_000;
/** Longest such wait: the book is not live meanwhile, and the node may be sound again. */
export const LOSS_BACKOFF_CAP_MS = 15_000;

/**
 * A book that was read is live once a later slot than the snapshot's is announced: by then the socket
 * has notified what the snapshot holds, so that nothing older is notified after it.
 */
export const READ_SLOTS_AFTER = 1;
/** Longest wait for a slot to be announced: a socket that is so far behind its node is of no use. */
export const SLOT_WAIT_MS = 10_000;
/** How often that is checked. */
export const SLOT_POLL_MS = 20;
/** Longest wait for the first slot, before anything is read: a socket may notify none at all. */
export const FIRST_SLOT_WAIT_MS = 3_000;
/** Slots that follow each other faster than this were held back and come in a burst. */
export const SLOT_SPACING_MIN_MS = 40;

/** First wait before a failed bootstrap is retried. */
export const BOOTSTRAP_BACKOFF_FIRST_MS = 250;
/** Longest such wait: a scan of all users is heavy, and a node that returns must not wait long. */
export const BOOTSTRAP_BACKOFF_CAP_MS = 1_200;
/** First wait between two full snapshots that unreadable messages cause. */
export const RESYNC_BACKOFF_FIRST_MS = 300;
/** Longest such wait: a server that keeps doing so costs a scan each time. */
export const RESYNC_BACKOFF_CAP_MS = 15_000;

/** A node that is not connected to by then is left for the next one. */
export const NODE_OPEN_FIRST_MS = 2_000;
/** The same after some rounds of all nodes: all nodes may be far away or slow. */
export const NODE_OPEN_CAP_MS = 10_000;
/** Full snapshots that fail in a row before the next node is used. */
export const NODE_READ_FAILURES_MAX = 2;
/** First wait when all nodes have failed in a row. */
export const NODES_BACKOFF_FIRST_MS = 100;
/** Longest such wait: a refused connect is cheap, and 2 s after the return of one all is well. */
export const NODES_BACKOFF_CAP_MS = 1_000;
/**
 * A node that answers pings but notifies no slot for so long is reconnected, or, when no other node
 * has slots, left for the next one: its subscription may be dead.
 */
export const SILENCE_FIRST_MS = 20_000;
/** The same while no slot comes: the chain may stand still for hours, and each try costs a scan. */
export const SILENCE_CAP_MS = 300_000;
/** A snapshot node that failed is not used for this long. */
export const SCAN_NODE_REST_FIRST_MS = 60_000;
/** The same when it fails each time. */
export const SCAN_NODE_REST_CAP_MS = 900_000;
/** A scan that makes no progress for this long is begun by the next node as well. */
export const SCAN_SILENT_MS_MAX = 5_000;
/**
 * Fewer bytes than these are no progress: at this pace a scan would end with 6 MB in its two minutes,
 * and one of the whole exchange is far larger. A smaller one is whole within one such wait.
 */
export const SCAN_PROGRESS_BYTES_MIN = 256 * 1024;
/** Nor does a scan run alone for longer, however fast its bytes come: a node may send for ever. */
export const SCAN_ALONE_MS_MAX = 30_000;
/**
 * The same for the scans of audits: the book is live, and the other node is not called in haste. It is
 * before a silent call has failed.
 */
export const AUDIT_SCAN_SILENT_MS_MAX = 20_000;
/** Likewise. */
export const AUDIT_SCAN_ALONE_MS_MAX = 60_000;
/** One scan by the snapshot node: the node in use can take it instead. */
export const SCAN_NODE_TIMEOUT_MS = 60_000;

/** A transient error that lasts is logged once more after this time. */
export const TRANSIENT_LOG_INTERVAL_MS = 60_000;
/** Different transient errors that are distinguished in the log until the book is live again. */
export const TRANSIENT_ERRORS_MAX = 32;
/** Characters of a failure that is shown to callers: a line, and not a page of HTML. */
export const FAILURE_CHARS_MAX = 300;

/** Problem accounts named in the log once each; later ones are only counted. */
export const PROBLEMS_LOGGED_MAX = 1_000;
/** A quote that is due leaves with the next turn, which the loop ends before a timer of this. */
export const QUOTE_CHECK_MS_MIN = 1;
/** The life of a quote: one that is due later was sent before the clock was put back. */
export const QUOTE_CHECK_MS_MAX = 1_000;
