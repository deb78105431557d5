/** Limits of the merge of sources, with their reasons. */

/**
 * Slots that are not final. The chain finalises the 32nd slot before its newest; a source may
 * announce slots too fast for a while.
 */
export const LEDGER_SLOTS_MAX = 150;
/** Characters of stored writes. Accounts rolled back to an older state are read from the chain. */
export const LEDGER_BYTES_MAX = 64 * 1024 * 1024;
/** The part of the stored writes that is kept above the limit, so that many writes are dropped at a time. */
export const LEDGER_BYTES_KEPT = 0.75;
/** Estimated memory of an account's slot, without data: lists by source and two map entries. */
export const LEDGER_ENTRY_BYTES = 400;
/** Slots further beyond the newest slot are not stored. */
export const SLOTS_FAR = 150;

/** A late source is complete once another source is this many slots beyond the late source's first slot. */
export const JOINED_SLOTS_AFTER = 2;
/** Maximum time without any source while one reconnects: after that the book is stale. */
export const SOURCES_DOWN_MS_MAX = 5_000;

/** A source that reports a write this many slots late has missed it: nodes differ by a slot or two. */
export const CONFIRM_SLOTS = 2;
/** A disagreement undecided for this long ends the state `live`: with the three slots before it, within 3 s. */
export const DISPUTE_MS_MAX = 1_400;
/**
 * Maximum disputed accounts: ten readings. A source that is wrong about more accounts is wrong
 * about these too.
 */
export const DISPUTES_MAX = 1_000;
/** Accounts of one reading: the maximum of nodes. */
export const DISPUTE_KEYS_MAX = 100;
/** A reading further ahead of the sources belongs to another chain. */
export const READING_AHEAD_SLOTS_MAX = 32;
/** Maximum wait for a reading of disputed accounts. */
export const DISPUTE_READ_MS_MAX = 800;
/** Pause between two such readings. It doubles up to a maximum, because providers charge for readings. */
export const DISPUTE_READ_INTERVAL_MS = 200;
/** The maximum pause. */
export const DISPUTE_READ_INTERVAL_MS_MAX = 5_000;
/** A distrusted source must agree with the others for this long. */
export const TRUSTED_AFTER_MS = 30_000;
/** It must also agree in this many states. */
export const TRUSTED_AFTER_STATES = 20;
/**
 * Without other sources, the book is read again from a distrusted source after this time, and
 * probes check it.
 */
export const DISTRUSTED_ALONE_MS = 10_000;
/**
 * Slots that a source may be ahead of all others and of the chain as nodes read it; a source
 * further ahead is ignored.
 */
export const AHEAD_SLOTS_MAX = 2;
/**
 * Slots that a source may be ahead of the nodes' readings, which may be late; a source further
 * ahead is wrong.
 */
export const AHEAD_SLOTS_REFUTED = 6;
/** Minimum duration of a slot: sources are assumed to advance by one slot in this time. */
export const SLOT_MS_MIN = 350;
/** A source that is ahead for this long is distrusted. */
export const AHEAD_MS_MAX = 3_000;
/** Slots that a source may lag when it joins. */
export const JOINED_SLOTS_BEHIND_MAX = 32;
/** A reading of the chain's slot is valid for this long. */
export const CHAIN_SLOT_MS_MAX = 1_500;
/** Pause between two readings of the chain's slot. */
export const CHAIN_SLOT_INTERVAL_MS = 1_000;
/** A source without a slot for this long, while others have new slots, is incomplete. */
export const SILENT_MS_MAX = 3_000;
/** Weight of a new lead in the mean. */
export const LEAD_WEIGHT = 0.05;
