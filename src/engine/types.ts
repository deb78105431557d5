import type { BookStats } from '../contract/book-source.js';
import type { TurnChanges } from '../contract/feed-engine.js';

/** What one turn of the event loop changed. */
export interface EngineTurn extends TurnChanges {
  /** Accounts that reached the book, those that changed nothing included. */
  readonly applied: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Older than what the book has. */
  readonly stale: number;
  /** Not accounts a book is made of. */
  readonly ignored: number;
  readonly closed: number;
  /** All problems of the turn; `problems` holds the first 64 of them. */
  readonly problemCount: number;
}

/** What the core holds. */
export interface EngineStats extends BookStats {
  /** Cached bodies, their bytes, how often a body was requested and how often the cache had it. */
  readonly bodies: number;
  readonly bodyBytes: number;
  readonly bodyUses: number;
  readonly bodyHits: number;
}
