import type { AsOfMoment, AsOfReply } from '../../contract/as-of-source.js';
import type { Timers } from '../../contract/timers.js';
import { EngineError } from '../../engine/errors.js';
import type { JournalUntil } from '../../engine/journal-reader.js';
import { systemCodeOf } from '../model/error.js';
import type { BookCounts, JournalFiles, MomentJob } from '../model/messages.js';
import type { JournalPlayer, PlayedTo } from '../store/journal-player.js';
import type { SegmentChoice } from '../store/segment-choice.js';
import { type BookBodies, renderBodies } from './bodies.js';
import { LiquidityHistory } from './liquidity-history.js';
import { MomentFinder } from './moment-finder.js';
import { WarmBooks } from './warm-books.js';

/** The segment of a moment, and the test for books that can reach the moment. */
interface Target {
  readonly choice: SegmentChoice;
  readonly until: JournalUntil;
  /** Whether a book is at the moment or before it, and can be played on to it. */
  readonly isUsable: (book: JournalPlayer) => boolean;
}

/**
 * Restores the book of any stored moment of a folder, and renders its bodies. It runs on a thread
 * of its own.
 */
export class MomentReader {
  readonly #finder: MomentFinder;
  readonly #books: WarmBooks;
  readonly #history: LiquidityHistory;

  constructor(files: JournalFiles, timers: Pick<Timers, 'nowMs'>) {
    this.#finder = new MomentFinder(files);
    this.#books = new WarmBooks(this.#finder);
    this.#history = new LiquidityHistory(files, this.#finder, timers);
  }

  /** Returns and resets the counts of restored and reused books. */
  takeBookCounts(): BookCounts {
    return this.#books.takeCounts();
  }

  /** Renders the requested bodies; undefined when the request was cancelled. */
  readMoment(job: MomentJob, isCancelled: () => boolean): AsOfReply | undefined {
    try {
      return this.#makeReply(job, isCancelled);
    } catch (error) {
      return this.#afterFault(job.moment, error);
    } finally {
      this.#books.trim();
    }
  }

  /**
   * Returns the reply after a failed read: the moment is not kept if the file is damaged or deleted,
   * and may be read later if the system could not open the file.
   */
  #afterFault(moment: AsOfMoment, error: unknown): AsOfReply {
    if (error instanceof EngineError) return this.#notKept(moment, error);
    const code = systemCodeOf(error);
    if (code === null) throw error;
    return {
      kind: 'busy',
      message: `the files of the journal cannot be read (${code})`,
    };
  }

  #makeReply(job: MomentJob, isCancelled: () => boolean): AsOfReply | undefined {
    const { moment, bodies } = job;
    if ('history' in bodies) return this.#history.read({ ...job, bodies }, isCancelled);
    const key = 'read' in bodies ? bodies.read.key : null;
    const { choice, market } = this.#finder.findMoment(moment, { key, isCancelled });
    if (isCancelled()) return undefined;
    if (market === -1) return { kind: 'noMarket' };
    if (choice === null) return this.#notKept(moment);
    return this.#readFrom(targetOf(moment, choice, market ?? 0), { ...job, bodies }, isCancelled);
  }

  #readFrom(
    { choice, until, isUsable }: Target,
    job: MomentJob & { readonly bodies: BookBodies },
    isCancelled: () => boolean,
  ): AsOfReply | undefined {
    const { moment } = job;
    const book = this.#books.takeBook(choice.segment, isUsable);
    const played = this.#playTo(book, until, isCancelled);
    if (played === 'cancelled') return undefined;
    if (played === 'end' && (choice.isContinued || isDamagedBefore(book, job.newestMs))) {
      this.#books.dropBook(book);
      return this.#notKept(moment, LOST);
    }
    const isNewestMoment = played === 'end' && choice.isNewest;
    if (!isKept(book, { ...job, until, isNewestMoment })) return this.#notKept(moment);
    const asOf = { epoch: choice.segment.epoch, ...book.moment };
    const rendered = renderBodies(book, job.bodies, asOf);
    return rendered.kind === 'body' ? { ...rendered, isFinal: !isNewestMoment } : rendered;
  }

  /** Plays a book to a moment; drops the book when its file is damaged. */
  #playTo(book: JournalPlayer, until: JournalUntil, isCancelled: () => boolean): PlayedTo {
    try {
      return book.at(until, isCancelled);
    } catch (error) {
      this.#books.dropBook(book);
      throw error;
    }
  }

  #notKept(moment: AsOfMoment, error?: unknown): AsOfReply {
    return { kind: 'notKept', message: this.#finder.describeNotKept(moment, error) };
  }
}

const LOST = new Error('the end of its file is lost');

function targetOf({ by, value }: AsOfMoment, choice: SegmentChoice, market: number): Target {
  if (by !== 'seq') {
    const until = by === 'slot' ? { slotMax: value } : { tsMsMax: value };
    return { choice, until, isUsable: (book) => book.moment[by] <= value };
  }
  const until = { market, seq: value };
  const isUsable = (book: JournalPlayer): boolean => {
    const { engine } = book;
    const isBefore = market >= engine.markets().length || engine.version(market).seq < value;
    return isBefore || book.isAt(until);
  };
  return { choice, until, isUsable };
}

/**
 * Returns whether a book ended before incomplete bytes, although the file has a turn of this time,
 * unix milliseconds.
 */
function isDamagedBefore({ reader }: JournalPlayer, newestMs: number): boolean {
  const { waiting, tsMs } = reader.position();
  return waiting > 0 && tsMs < newestMs;
}

function isKept(
  book: JournalPlayer,
  {
    moment: { by, value },
    flushedMs,
    until: { market = 0 },
    isNewestMoment,
  }: MomentJob & { readonly until: JournalUntil; readonly isNewestMoment: boolean },
): boolean {
  const { engine } = book;
  if (by === 'seq') return market < engine.markets().length && engine.version(market).seq === value;
  if (book.reader.position().tsMs === 0) return false;
  if (!isNewestMoment) return true;
  return by === 'slot' ? value <= book.moment.slot : value <= Math.max(book.moment.ts, flushedMs);
}
