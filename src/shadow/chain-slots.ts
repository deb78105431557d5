import { type BookText, readLevels } from '../verify/book-text.js';
import type { ChainBook } from '../verify/chain-book.js';
import { LEVELS_MAX, SLOTS_BEHIND_MAX } from '../verify/limits.js';

/** The chain's levels before a slot and after it, and the chain's newest slot. */
export type ChainRows = NonNullable<ReturnType<ChainSlots['findSlot']>>;

/** The levels of one market on chain at each of the last slots. */
export class ChainSlots {
  #books: readonly BookText[] = [];

  /** Reads the chain as it is now; while it is not live, nothing is judged. */
  readNow(chain: ChainBook, symbol: string): void {
    const now = readLevels(chain.l2(symbol, LEVELS_MAX));
    const kept = this.#books.filter(({ slot }) => slot < now.slot).slice(-SLOTS_BEHIND_MAX);
    this.#books = chain.notLive() === null ? [...kept, now] : [];
  }

  /** Returns the levels around a slot, or the newest where it is too old; null when none was read. */
  findSlot(slot: number) {
    const newest = this.#books.at(-1);
    if (newest === undefined) return null;
    const at = this.#books.findIndex((book) => book.slot >= slot);
    const isKept = at > 0 || this.#books[0]?.slot === slot;
    const { rows } = (isKept ? this.#books[at] : undefined) ?? newest;
    return { before: this.#books[at - 1]?.rows ?? rows, after: rows, slot: newest.slot };
  }
}
