/**
 * The state of the feed and the epoch: every book shows them, so when one changes, all books do.
 */

import type { BookSource } from '../../contract/book-source.js';

/** Tells when they have changed. */
export class VersionStamp {
  #epoch = '';
  #state = '';

  constructor(private readonly book: BookSource) {}

  /** Whether they are others than the last time. */
  hasChanged(): boolean {
    const { epoch, state } = this.book;
    if (epoch === this.#epoch && state === this.#state) return false;
    this.#epoch = epoch;
    this.#state = state;
    return true;
  }
}
