/** The limits of reads of accounts that logs name, each with its reason. */

/**
 * Slots after a logged transaction until its accounts must be notified. The notifications of a slot
 * arrive before the next slot begins, and one more slot allows for a late message.
 */
export const LOGGED_SLOTS_AFTER = 2;
/** The same limit in milliseconds, for a socket that announces no slots. */
export const LOGGED_WAIT_MS = 800;
/**
 * Milliseconds after a failed read, or after a read of a slot before the transaction: half a slot.
 */
export const LOGGED_REREAD_MS = 200;
/**
 * Milliseconds after which a logged account or transaction is not read any more: probes and audits
 * read it later.
 */
export const LOGGED_MS_MAX = 10_000;
/**
 * Maximum waiting accounts and transactions: two seconds of 5,000 transactions whose users are all
 * lost.
 */
export const LOGGED_KEYS_MAX = 10_000;
/** Maximum concurrent reads of logged accounts: 400 accounts in the time of one read. */
export const LOGGED_READS_MAX = 4;
