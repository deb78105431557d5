import { WARM_BOOKS_MAX, WARM_BYTES_MAX, WARM_USER_BYTES } from '../model/limits.js';
import type { BookCounts } from '../model/messages.js';
import { type JournalFiles, WarmBook } from './warm-book.js';

const NO_BOOKS: BookCounts = { restores: 0, warmHits: 0 };

/**
 * The books of earlier requests at their moments, bounded in number and memory: the least recently
 * used one is evicted.
 */
export class WarmBooks {
  readonly #files: JournalFiles;
  /** The most recently used is last. */
  readonly #books: WarmBook[] = [];
  #counts: BookCounts = NO_BOOKS;

  constructor(files: JournalFiles) {
    this.#files = files;
  }

  get count(): number {
    return this.#books.length;
  }

  /**
   * A book of the segment that `isUsable` accepts: the furthest one, or a new one at its beginning.
   * Throws the file system's error.
   */
  takeBook(segment: number, isUsable: (book: WarmBook) => boolean): WarmBook {
    const usable = this.#books.filter((book) => book.segment === segment && isUsable(book));
    const furthest = usable.reduce<WarmBook | undefined>(
      (best, book) => (best !== undefined && best.turns >= book.turns ? best : book),
      undefined,
    );
    const book = furthest ?? new WarmBook(segment, this.#files);
    const { restores, warmHits } = this.#counts;
    const isWarm = furthest !== undefined;
    this.#counts = isWarm
      ? { restores, warmHits: warmHits + 1 }
      : { restores: restores + 1, warmHits };
    this.#forget(book);
    this.#books.push(book);
    return book;
  }

  /** Takes the counts since the last call. */
  takeCounts(): BookCounts {
    const counts = this.#counts;
    this.#counts = NO_BOOKS;
    return counts;
  }

  dropBook(book: WarmBook): void {
    this.#forget(book);
    book.close();
  }

  /** Evicts books beyond the limits, except the last used one. */
  trim(): void {
    while (this.#books.length > 1 && this.#isBeyond()) {
      const [oldest] = this.#books;
      if (oldest !== undefined) this.dropBook(oldest);
    }
  }

  #isBeyond(): boolean {
    const bytes = this.#books.reduce((sum, book) => sum + book.users * WARM_USER_BYTES, 0);
    return this.#books.length > WARM_BOOKS_MAX || bytes > WARM_BYTES_MAX;
  }

  #forget(book: WarmBook): void {
    const at = this.#books.indexOf(book);
    if (at >= 0) this.#books.splice(at, 1);
  }
}
