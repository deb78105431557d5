/** Every bound of ingestion, each with its reason. Times are milliseconds where the name says so. */

/** Signatures of one page: the most that a node gives. */
export const PAGE_SIGNATURES = 1_000;
/**
 * Pages read at once at the live edge: more than come between two checks of a busy program. What lies
 * deeper is a span, which is marked after each page, so that little of it is read twice.
 */
export const EDGE_PAGES_MAX = 2;
/** Pages read at once for the sake of one slot that is longer than a page; no slot has as many. */
export const SLOT_PAGES_MAX = 20;
/** Transactions asked for at once: a node answers one in some ten milliseconds. */
export const FETCHES_MAX = 8;
/** After a rest, requests of so many milliseconds go out at once: on average the rate is kept. */
export const FETCH_BURST_MS = 1_000;
/** Notifications that are stored together at most. */
export const LIVE_BATCH_MAX = 256;
/** How long the first of them waits for others: invisible beside the second of a confirmation. */
export const LIVE_BATCH_MS = 5;
/** Notifications that wait for the store; more are dropped, and read again from the node. */
export const LIVE_QUEUE_MAX = 20_000;
/** Signatures that were looked at and held nothing: some minutes of a busy program. */
export const SEEN_MAX = 200_000;
/** Slots whose notifications are numbered in the order of their arrival. */
export const ARRIVAL_SLOTS_MAX = 512;
/** Time between two finalised checks: a slot is final after about 13 s, so it adds little. */
export const SETTLE_INTERVAL_MS = 2_000;
/** A node writes its index of signatures a moment behind its finalised slot. */
export const SETTLE_MARGIN_SLOTS = 2;
/** How often a listed transaction is asked for before it is counted as not to be had. */
export const FETCH_TRIES_MAX = 5;
/** How long what is missing in a finalised listing waits for the second question. */
export const SUSPECT_WAIT_MS = 3_000;
/** Pages read for what is not final below the edge: some minutes of a busy program. */
export const STRAY_PAGES_MAX = 10;
/** First and longest time between two such readings; the first is more than a suspect waits. */
export const STRAYS_FIRST_MS = 4_000;
export const STRAYS_CAP_MS = 300_000;
/** First and longest wait before a reading that failed is tried again. */
export const RETRY_FIRST_MS = 500;
export const RETRY_CAP_MS = 5_000;
/** The same after all nodes failed: a refused connect is cheap, and the history soon has all again. */
export const NODES_FIRST_MS = 100;
export const NODES_CAP_MS = 2_000;
/** The same after the store failed: a full disk is not filled again by asking it every few seconds. */
export const STORE_FIRST_MS = 500;
export const STORE_CAP_MS = 10_000;
/** Readings that fail in a row before a back-fill that was asked for is given up. */
export const JOB_FAILURES_MAX = 10;
/** Readings that fail in a row before another node is used. */
export const NODE_FAILURES_MAX = 3;
/** A finalised slot that stands still for as long is that of a node which lost the cluster. */
export const FINAL_STALL_MS = 60_000;
/** Outages that are still to be filled: more are read as one. */
export const SPANS_MAX = 64;
