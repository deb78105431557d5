/** The limits of the feed, each with its reason. All times are milliseconds. */

/** Time without a slot after which the book is `lagging`: six slots are missing. */
export const LAGGING_AFTER_MS = 2_500;
/** Time without a slot after which the book is `stale`. */
export const STALE_AFTER_MS = 5_000;
/**
 * Minimum plausible duration of a slot: mainnet's take 400 ms, those of local chains 50 or more.
 * Persistently faster slots are not believed.
 */
export const SLOT_MS_MIN = 50;
/** Slots that a node may jump ahead: it catches up, or its socket is ahead of its readings. */
export const SLOTS_AHEAD_MAX = 32;
/** Maximum distance between slots of one time: a minute. */
export const SLOTS_APART_MAX = 150;
/**
 * Maximum distance between a reading's slot and its Clock: the Clock is written at the start of its
 * slot, so they are equal on a real chain, and adjacent on some local ones.
 */
export const READING_SLOTS_APART_MAX = 4;
/** Minimum lag that the Clock can contradict: below it, the Clock's whole seconds are too coarse. */
export const JUDGED_LAG_SLOTS_MIN = 6;
/**
 * Maximum persistent lead of slots over the Clock from the same socket, just below 3 s: the Clock
 * of a slot arrives when the next one begins. Book and oracles would be judged by a slot too high
 * by this much.
 */
export const CLOCK_LEAD_SLOTS_MAX = 7;
/** Maximum duration of a larger lead: skipped slots lead until the next one ends, late blocks included. */
export const CLOCK_LEAD_MS_MAX = 1_000;
/** Maximum lead of notified accounts over announced slots: some servers announce a slot at its end. */
export const NOTIFIED_AHEAD_SLOTS_MAX = 2;
/** Slots that a connection may gain on the nominal duration, just below 3 s, before other nodes are asked. */
export const PACE_SLOTS_MAX = 7;
/** Maximum gain on the other nodes, and maximum lead over them: servers behind one address differ in slots. */
export const PACE_APART_SLOTS_MAX = 4;
/**
 * Interval at which the other nodes are asked, as a basis of comparison. Slots of the main network
 * are up to 2.5 % shorter than nominal, which gains less than four within it.
 */
export const PACE_INTERVAL_MS = 60_000;
/** Maximum step of the chain's time against this machine's monotonic clock, in seconds. */
export const CHAIN_TIME_STEP_S_MAX = 30;
/** Maximum additional drift as a fraction: the chain's time is an estimate that lags, and catches up. */
export const CHAIN_TIME_DRIFT_MAX = 0.05;
/** Maximum deviation of the main network's slots from their nominal duration, as a fraction. */
export const SHORT_SLOTS_MAX = 0.025;
/** Age at which the previous node no longer constrains its successor: half the lead is short slots by then. */
export const TAKEOVER_MS_MAX = 600_000;
/** Time limit for the Clock of another node: a hanging one delays a start by no more. */
export const OTHER_CLOCK_MS_MAX = 2_000;
/** Interval at which a connected node is asked again for its chain. */
export const GENESIS_INTERVAL_MS = 30_000;
/** Interval of readings that check doubted slots and chains. */
export const SLOT_CHECK_INTERVAL_MS = 1_000;
/** Interval of checks of freshness and of the chain's second. */
export const WATCH_INTERVAL_MS = 100;

/** Interval of Clock reads while its subscription is silent. */
export const CLOCK_POLL_INTERVAL_MS = 1_000;
/** Maximum additional delay of such reads while they fail. */
export const CLOCK_POLL_BACKOFF_CAP_MS = 15_000;
/** Age of a notified Clock below which no read is needed: it changes with every slot. */
export const CLOCK_SILENT_AFTER_MS = 1_500;
/** Minimum step back of the shown second: smaller steps are jitter of the reads. */
export const CLOCK_STEP_BACK_MIN_S = 5;

/** Keys of one getMultipleAccounts, the server's limit. */
export const ACCOUNTS_PER_READ = 100;
/** Followed oracles: the program has fewer than a hundred markets. */
export const ORACLES_MAX = 1_000;
/** Market and State accounts of one response. */
export const MARKETS_MAX = 2_000;
/** Users applied between two turns of the loop: well under 1 ms; 200 uncached ones take up to 2 ms. */
export const SNAPSHOT_SLICE_USERS = 64;

/** Updates buffered during a full reading: a hundred seconds at 2,500 a second. */
export const REPLAY_UPDATES_MAX = 250_000;
/** Accounts with a stored last slot, for revert detection: more than the program has. */
export const SLOTS_KEPT_MAX = 1_000_000;
/** Characters of buffered data, which bound the memory when accounts are large. */
export const REPLAY_CHARS_MAX = 256 * 1024 * 1024;
/** Updates replayed between two turns of the loop, when few are buffered. */
export const REPLAY_SLICE_UPDATES_MIN = 64;
/** The same when many are buffered, so that the replay outpaces new arrivals. */
export const REPLAY_SLICE_UPDATES_MAX = 512;
/** Slices of a replay, between these bounds. */
export const REPLAY_SLICES = 64;

/** Reads of one kind before a node that lags its own socket is given up. */
export const READS_MAX = 5;
/** First delay before such a re-read: about a slot. */
export const REREAD_FIRST_MS = 400;
/** Maximum delay: a node catches up within a few slots or not at all. */
export const REREAD_CAP_MS = 3_000;
/** Broken accounts that are read by themselves: as many as a turn or a scan names. */
export const BROKEN_KEYS_MAX = 64;
/** Accounts because of which one call may be refused; with more, the node itself fails. */
export const SPOILERS_MAX = 4;
/** Time for which calls to a node leave such an account out: finding it takes some twenty calls. */
export const SPOILER_REST_MS = 60_000;
/** Minimum share of the known users in an accepted snapshot; smaller ones are re-read. */
export const SHRUNKEN_PERCENT = 90;
/** Smaller snapshots that must agree before one is accepted: over more than three seconds, see below. */
export const SHRUNKEN_READS = 5;
/** Scans that must agree when the number of users is unknown. */
export const FIRST_READS = 2;
/** Minimum share of the positions that markets count; smaller scans are repeated, because fills change some. */
export const COMPLETE_PERCENT = 90;
/** Share of positions below which a scan is rejected: fills cannot move half of all positions. */
export const POSSIBLE_PERCENT = 50;
/** Consecutive rejections after which small scans can be confirmed like others: two of each of two nodes. */
export const IMPOSSIBLE_READS = 4;
/** Users of a scan that are checked against the layout: nearly all contradict another layout. */
export const LAYOUT_SAMPLES = 50;
/** Share of malformed accounts above which a new layout or a bad node is assumed. */
export const QUARANTINED_PERCENT_MAX = 5;
/** Malformed accounts that the book counts. */
export const QUARANTINED_MAX = 10_000;
/**
 * Delay between two scans that must agree, half of it jitter: a brief overload of the node has
 * passed by then.
 */
export const SHRUNKEN_REREAD_MS = 1_600;
/** Two such snapshots agree when the smaller has this share of the larger. */
export const AGREEING_PERCENT = 99;

/**
 * Slots announced after an audit's snapshot before it is compared. A node notifies a slot's
 * accounts when it is processed, about when the next one begins; one more covers a late message.
 */
export const AUDIT_SLOTS_AFTER = 2;
/** Consecutive postponements of an audit by reverts: a node that reorders notifications needs audits most. */
export const AUDIT_INTERRUPTIONS_MAX = 3;
/** Maximum intervals between two audits after failures, doubled with each. */
export const AUDIT_WAIT_INTERVALS_MAX = 8;

/**
 * Minimum time between audits that gaps in the slots request: a repeatedly pausing chain has a gap
 * every three seconds, and each audit is a full scan.
 */
export const GAP_AUDIT_MS_MIN = 10_000;

/** Recently notified users in one probe: a silent subscription misses these first. */
export const PROBE_NEWEST_USERS = 20;
/**
 * Markets, State and oracles per probe, in turn: all of 148 markets and their oracles within little
 * more than an interval, and room for ten users in turn.
 */
export const PROBE_OTHERS_IN_TURN = 70;
/** Probes of one interval, when one is not enough: nodes count each call. */
export const PROBES_PER_INTERVAL_MAX = 4;
/** Slots announced after a probe before it is compared again, as for an audit. */
export const PROBE_SLOTS_AFTER = AUDIT_SLOTS_AFTER;
/** Slots between two readings without an account: the socket has then notified the first's state. */
export const ABSENCE_SLOTS_AFTER = 1;
/** Slots by which the Clock of a reading may lag its slot; it is not, unless bodies are cached. */
export const ABSENCE_CLOCK_SLOTS_MAX = 2;
/** Delay after an inconclusive reading: half a slot, after which `confirmed` may reach the first reading. */
export const ABSENCE_REREAD_MS = 200;
/** Time limit of second readings: a later probe finds the account again. */
export const ABSENCE_MS_MAX = 10_000;
/** Time limit of other nodes, several tries of each: an account leaves within 2 s. */
export const ABSENCE_OTHER_MS_MAX = 800;
/** Rest of other nodes after they failed or lagged. */
export const ABSENCE_OTHERS_REST_MS = 30_000;
/** Absent or new accounts at one time: far more than a chain closes or creates within seconds. */
export const ABSENCES_MAX = 10_000;
/**
 * Slots after a notification until a reading can be later: a slot is announced at its start, and
 * readable at its end.
 */
export const UNPROVEN_SLOTS_AFTER = 2;
/**
 * Readings of different slots without a repeatedly notified new account after which it counts as
 * made up: forks of this length are rarer.
 */
export const UNPROVEN_SLOTS_MAX = 6;
/** Time limit of one probe with its retries; the next one waits for it. */
export const PROBE_MS_MAX = 3_000;
/**
 * Time after a gap within which a read must agree with the book: messages in flight arrive within
 * three slots, and a second read settles the rest. Otherwise all accounts are read again.
 */
export const PROOF_MS_MAX = 5_000;
/** Time after a fork in which reverted users may be found: reading 5,000 users takes less. */
export const PROBE_FORK_MS = 180_000;
/** Remembered forks of one connection, newest first: far more than a chain has within that time. */
export const FORKS_KEPT_MAX = 64;
/** Period within which probes repair only a few users; more indicate lost messages. */
export const PROBE_REPAIRS_MS = 60_000;
/**
 * Users that probes repair within that period. Of a minute's 150 slots, one or two belong to an
 * abandoned fork, most of whose content recurs; a loss of a tenth of all messages shows more within
 * seconds.
 */
export const PROBE_REPAIRS_MAX = 5;
/** Tolerated differences of an audit: one or two lost messages are normal. */
export const AUDIT_DIFFERENCES_MAX = 3;
/** The same as a share of the users: one in so many. */
export const AUDIT_DIFFERENCES_ONE_IN = 1_000;
/** Period within which another loss of messages needs more than a reconnect. */
export const LOSS_MEMORY_MS = 600_000;
/** Lossy connections before the next node is used: the first may be the network's fault. */
export const LOSSES_PER_NODE = 2;
/** First delay before the third connection in that period: each costs a scan. */
export const LOSS_BACKOFF_FIRST_MS = 1_000;
/** Maximum delay: the book is not live meanwhile, and the node may have recovered. */
export const LOSS_BACKOFF_CAP_MS = 15_000;

/**
 * Slots announced after the snapshot's before a book is live: the socket has then notified the
 * snapshot's state, so nothing older follows.
 */
export const READ_SLOTS_AFTER = 1;
/** Time limit for a slot announcement: a socket that lags more is unusable. */
export const SLOT_WAIT_MS = 10_000;
/** Polling interval of that. */
export const SLOT_POLL_MS = 20;
/** Time limit for the first slot, before anything is read: a socket may notify none. */
export const FIRST_SLOT_WAIT_MS = 3_000;
/** Minimum spacing of regular slots: closer ones were held back and arrive in a burst. */
export const SLOT_SPACING_MIN_MS = 40;

/** First delay before a failed bootstrap is retried. */
export const BOOTSTRAP_BACKOFF_FIRST_MS = 250;
/** Maximum delay: a scan is heavy, but a recovered node must not wait long. */
export const BOOTSTRAP_BACKOFF_CAP_MS = 1_200;
/** First delay between full snapshots caused by malformed messages. */
export const RESYNC_BACKOFF_FIRST_MS = 300;
/** Maximum delay: a persistently faulty server costs a scan each time. */
export const RESYNC_BACKOFF_CAP_MS = 15_000;

/** Time limit of a connect before the next node is tried. */
export const NODE_OPEN_FIRST_MS = 2_000;
/** The same after several rounds of all nodes, which may all be slow or far away. */
export const NODE_OPEN_CAP_MS = 10_000;
/** Consecutive failed snapshots before the next node is used. */
export const NODE_READ_FAILURES_MAX = 2;
/** First delay after all nodes have failed in a row. */
export const NODES_BACKOFF_FIRST_MS = 100;
/** Maximum delay: a refused connect is cheap, and recovery within 2 s is the goal. */
export const NODES_BACKOFF_CAP_MS = 1_000;
/**
 * Time without slots after which a node that answers pings is reconnected, or left for the next one
 * if none has slots: its subscription may be dead.
 */
export const SILENCE_FIRST_MS = 20_000;
/** The same while no node has slots: a chain may pause for hours, and each try costs a scan. */
export const SILENCE_CAP_MS = 300_000;
/** Rest of a failed snapshot node. */
export const SCAN_NODE_REST_FIRST_MS = 60_000;
/** Maximum rest after repeated failures. */
export const SCAN_NODE_REST_CAP_MS = 900_000;
/** Time without progress after which the next node scans as well. */
export const SCAN_SILENT_MS_MAX = 5_000;
/**
 * Minimum bytes that count as progress: at this pace a scan ends with 6 MB in its two minutes, and
 * the whole exchange is far larger. A smaller scan completes within one such period.
 */
export const SCAN_PROGRESS_BYTES_MIN = 256 * 1024;
/** Maximum time of a scan before the next node scans as well: a node may send forever. */
export const SCAN_ALONE_MS_MAX = 30_000;
/**
 * The silence limit for audit scans: the book is live, so there is no hurry, but the limit is below
 * that of a failed call.
 */
export const AUDIT_SCAN_SILENT_MS_MAX = 20_000;
/** Likewise. */
export const AUDIT_SCAN_ALONE_MS_MAX = 60_000;
/** Time limit of the snapshot node: the node in use can scan instead. */
export const SCAN_NODE_TIMEOUT_MS = 60_000;

/** Interval of repeated log lines for a persistent error. */
export const TRANSIENT_LOG_INTERVAL_MS = 60_000;
/** Distinct errors in the log until the book is live again. */
export const TRANSIENT_ERRORS_MAX = 32;
/** Characters of a failure text for clients: a line, not an HTML page. */
export const FAILURE_CHARS_MAX = 300;

/** Unreadable accounts that are logged once each; further ones are only counted. */
export const PROBLEMS_LOGGED_MAX = 1_000;
/** Minimum delay of a quote check: an earlier due quote leaves with the next turn. */
export const QUOTE_CHECK_MS_MIN = 1;
/** Maximum delay, a quote's lifetime: a later due time stems from a clock that was set back. */
export const QUOTE_CHECK_MS_MAX = 1_000;
