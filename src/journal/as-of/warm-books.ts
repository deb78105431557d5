import { WARM_BOOKS_MAX, WARM_BYTES_MAX, WARM_USER_BYTES } from '../model/limits.js';
import type { BookCounts } from '../model/messages.js';
import type { JournalPlayer } from '../store/journal-player.js';
import type { SegmentInfo } from '../store/segment-info.js';
import type { MomentFinder } from './moment-finder.js';

const NO_BOOKS: BookCounts = { restores: 0, warmHits: 0 };

/**
 * A cache of the books of earlier requests, bounded in number and memory; the least recently used
 * book is evicted.
 */
export class WarmBooks {
  readonly #finder: MomentFinder;
  /** The most recently used is the last. */
  readonly #books: JournalPlayer[] = [];
  #counts: BookCounts = NO_BOOKS;

  constructor(finder: MomentFinder) {
    this.#finder = finder;
  }

  get count(): number {
    return this.#books.length;
  }

  /**
   * Takes a book of the segment that `isUsable` accepts: the furthest one, or a new book at the
   * segment's beginning. Throws the file system's error.
   */
  takeBook(segment: SegmentInfo, isUsable: (book: JournalPlayer) => boolean): JournalPlayer {
    const usable = this.#books.filter(
      (book) => book.segment.number === segment.number && isUsable(book),
    );
    const furthest = usable.reduce<JournalPlayer | undefined>(
      (best, book) => (best !== undefined && turnsOf(best) >= turnsOf(book) ? best : book),
      undefined,
    );
    const book = furthest ?? this.#finder.openSegment(segment);
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

  /** Drops a book whose file cannot be read further. */
  dropBook(book: JournalPlayer): void {
    this.#forget(book);
    book.release();
  }

  /** Evicts books beyond the limits, except the last used book. */
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

  #forget(book: JournalPlayer): void {
    const at = this.#books.indexOf(book);
    if (at >= 0) this.#books.splice(at, 1);
  }
}

function turnsOf({ reader }: JournalPlayer): number {
  return reader.position().turns;
}
