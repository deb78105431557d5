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
