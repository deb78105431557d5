import type { BookStats } from '../contract/book-source.js';
import type { TurnChanges } from '../contract/feed-engine.js';

/** The changes of one turn of the event loop. */
export interface EngineTurn extends TurnChanges {
  /** Accounts that the core accepted, including those without changes. */
  readonly applied: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Accounts that are older than the book's state. */
  readonly stale: number;
  /** Accounts that are not relevant for a book. */
  readonly ignored: number;
  readonly closed: number;
  /** The number of all problems; `problems` contains the first 64. */
  readonly problemCount: number;
}

/** The core's counters. */
export interface EngineStats extends BookStats {
  /** Number of cached bodies, their bytes, the number of requests and of cache hits. */
  readonly bodies: number;
  readonly bodyBytes: number;
  readonly bodyUses: number;
  readonly bodyHits: number;
}
