/** Bounds of the merge of sources, each with its reason. */

/** Slots that are not final: the chain finalises the 32nd before, and a source that tells of none is taken to have done so. */
export const LEDGER_SLOTS_MAX = 150;
/** Characters of the writes that may be taken back: 32 slots of 1,500 users each. What is beyond is read from the chain. */
export const LEDGER_BYTES_MAX = 256 * 1024 * 1024;
/** Writes of one account in one slot that sources are compared by: few accounts have more. */
export const LEDGER_STATES_MAX = 64;

/** A source that comes later has notified everything once another one is so many slots beyond its first. */
export const JOINED_SLOTS_AFTER = 2;
/** Longest time without any source, while one is made again: the book is stale by then. */
export const SOURCES_DOWN_MS_MAX = 5_000;

/** A source that has not notified by so many slots later what the others notified misses it: nodes are apart by a slot or two. */
export const CONFIRM_SLOTS = 2;
/** Longest wait for a source that is behind: it is not judged by that slot then. A slot. */
export const CONFIRM_MS_MAX = 400;
/** A disagreement that nothing has decided for so long makes the book leave `live`: with the three slots before it, less than 3 s. */
export const DISPUTE_MS_MAX = 1_600;
/** Accounts in dispute at a time: as many as one reading takes. A source that is wrong about more is so about these. */
export const DISPUTES_MAX = 100;
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
/** Slots that a source may step ahead of the others at once: one that is further has jumped, and that slot is not believed. */
export const STEP_SLOTS_MAX = 64;
/** Part that a new lead has in the mean. */
export const LEAD_WEIGHT = 0.05;
