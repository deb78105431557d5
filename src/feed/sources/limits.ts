/** Bounds of the merge of sources, each with its reason. */

/** Slots that are not final: the chain finalises the 32nd before, and a source may announce slots too fast for a while. */
export const LEDGER_SLOTS_MAX = 150;
/** Characters of the writes that are kept. An account that goes back to a state beyond is read from the chain. */
export const LEDGER_BYTES_MAX = 64 * 1024 * 1024;
/** The part of them that is kept when there are more, so that many are dropped at a time. */
export const LEDGER_BYTES_KEPT = 0.75;
/** What a slot of an account weighs beside its data: lists by source, and two entries of maps. */
export const LEDGER_ENTRY_BYTES = 400;
/** Slots beyond the newest one of which nothing is kept. */
export const SLOTS_FAR = 150;

/** A source that comes later has notified everything once another one is so many slots beyond its first. */
export const JOINED_SLOTS_AFTER = 2;
/** Longest time without any source, while one is made again: the book is stale by then. */
export const SOURCES_DOWN_MS_MAX = 5_000;

/** A source that has not notified by so many slots later what the others notified misses it: nodes are apart by a slot or two. */
export const CONFIRM_SLOTS = 2;
/** A disagreement that nothing has decided for so long makes the book leave `live`: with the three slots before it, less than 3 s. */
export const DISPUTE_MS_MAX = 1_400;
/** Accounts in dispute at a time: ten readings. A source that is wrong about more is so about these. */
export const DISPUTES_MAX = 1_000;
/** Accounts of one reading: as many as a node takes. */
export const DISPUTE_KEYS_MAX = 100;
/** A reading that is so far beyond the sources is of another chain. */
export const READING_AHEAD_SLOTS_MAX = 32;
/** Longest wait for a reading of them. */
export const DISPUTE_READ_MS_MAX = 800;
/** Time between two readings of them; it doubles up to a longest, as each counts for the provider. */
export const DISPUTE_READ_INTERVAL_MS = 200;
/** The longest such wait. */
export const DISPUTE_READ_INTERVAL_MS_MAX = 5_000;
/** A source that is distrusted is trusted again when for so long it notified what the others notified. */
export const TRUSTED_AFTER_MS = 30_000;
/** And when it agreed in so many states meanwhile. */
export const TRUSTED_AFTER_STATES = 20;
/** Where no other source is left the book is read again over a distrusted one after this time: probes judge it then. */
export const DISTRUSTED_ALONE_MS = 10_000;
/** Slots that a source may be ahead of all others, and of the chain as nodes read it; one that is further changes nothing. */
export const AHEAD_SLOTS_MAX = 2;
/** And beyond the chain as nodes read it, which may be late themselves; one that is further is wrong. */
export const AHEAD_SLOTS_REFUTED = 6;
/** Shortest time of a slot: others are taken to have gone on by one in each of these since they last notified of any. */
export const SLOT_MS_MIN = 350;
/** A source that is ahead for so long is distrusted. */
export const AHEAD_MS_MAX = 3_000;
/** Slots that a source may be behind the others when it joins them. */
export const JOINED_SLOTS_BEHIND_MAX = 32;
/** A slot that was read says nothing of the chain's after this time. */
export const CHAIN_SLOT_MS_MAX = 1_500;
/** Time between two readings of it. */
export const CHAIN_SLOT_INTERVAL_MS = 1_000;
/** A source of which no slot came for so long, while others went on, has not notified everything. */
export const SILENT_MS_MAX = 3_000;
/** Part that a new lead has in the mean. */
export const LEAD_WEIGHT = 0.05;
