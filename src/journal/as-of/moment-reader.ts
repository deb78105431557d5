import type { AsOfMoment, AsOfReply, MarketKey } from '../../contract/as-of-source.js';
import { EngineError } from '../../engine/errors.js';
import type { JournalUntil } from '../../engine/journal-reader.js';
import { textOfError } from '../model/error.js';
import type { BookCounts, MomentJob } from '../model/messages.js';
import {
  chooseBySeq,
  chooseByTime,
  describeNotKept,
  type SegmentChoice,
} from '../store/segment-choice.js';
import { SegmentIndex } from '../store/segment-index.js';
import type { SegmentInfo } from '../store/segment-info.js';
import { renderBodies } from './bodies.js';
import type { JournalFiles, WarmBook } from './warm-book.js';
import { WarmBooks } from './warm-books.js';

/** The location of a moment, and the books that can reach it. */
interface Target {
  readonly choice: SegmentChoice;
  readonly until: JournalUntil;
  readonly isUsable: (book: WarmBook) => boolean;
}

/** Restores the book of any stored moment of a folder, and renders its bodies. It runs on its own thread. */
export class MomentReader {
  readonly #index: SegmentIndex;
  readonly #books: WarmBooks;
  /** The newest file of the folder, which may still grow, whatever its run. */
  #newest = 0;

  constructor(files: JournalFiles) {
    this.#index = new SegmentIndex(files.folder, files.programId);
    this.#books = new WarmBooks(files);
  }

  /** Takes the counts of used books since the last call. */
  takeBookCounts(): BookCounts {
    return this.#books.takeCounts();
  }

  /** Renders the bodies; undefined when the request was cancelled meanwhile. */
  readMoment(job: MomentJob, isCancelled: () => boolean): AsOfReply | undefined {
    const { epoch } = job.moment;
    const all = this.#index.read().segments;
    const segments = all.filter((segment) => epoch === undefined || segment.epoch === epoch);
    this.#newest = all.at(-1)?.number ?? 0;
    try {
      return this.#readFrom(segments, job, isCancelled);
    } catch (error) {
      if (!(error instanceof EngineError) && codeOf(error) !== 'ENOENT') throw error;
      return notKept(job.moment, segments, textOfError(error));
    } finally {
      this.#books.trim();
    }
  }

  #readFrom(
    segments: readonly SegmentInfo[],
    job: MomentJob,
    isCancelled: () => boolean,
  ): AsOfReply | undefined {
    const { moment } = job;
    const target = this.#findTarget(segments, job, isCancelled);
    if (target === undefined) return isCancelled() ? undefined : { kind: 'noMarket' };
    if (target === null) return notKept(moment, segments);
    const { choice, until, isUsable } = target;
    const book = this.#books.takeBook(choice.segment.number, isUsable);
    const advance = this.#advance(book, until, isCancelled);
    if (advance === 'cancelled') return undefined;
    if (advance === 'end' && (choice.goesOn || book.isDamagedBefore(job.newestMs))) {
      this.#books.dropBook(book);
      return notKept(moment, segments, LOST_TEXT);
    }
    const isNewestMoment = advance === 'end' && choice.isNewest;
    if (!isKept(book, { ...job, until, isNewestMoment })) {
      return notKept(moment, segments, undefined, choice.isNewest ? book : undefined);
    }
    const asOf = { epoch: choice.segment.epoch, ...book.moment };
    const rendered = renderBodies(book, job.bodies, asOf);
    return rendered.kind === 'body' ? { ...rendered, isFinal: !isNewestMoment } : rendered;
  }

  /**
   * The location of the moment; null when it is not stored, undefined when there is no such market,
   * or the request was cancelled.
   */
  #findTarget(
    segments: readonly SegmentInfo[],
    job: MomentJob,
    isCancelled: () => boolean,
  ): Target | null | undefined {
    const { by, value, epoch = '' } = job.moment;
    if (by !== 'seq') {
      const choice = chooseByTime(segments, { by, value, newest: this.#newest });
      if (choice === null) return null;
      const until = by === 'slot' ? { slotMax: value } : { tsMsMax: value };
      return { choice, until, isUsable: (book) => book.moment[by] <= value };
    }
    if (segments.length === 0) return null;
    const market = this.#learnId(segments, keyOfJob(job), isCancelled);
    if (market === undefined) return undefined;
    const choice = chooseBySeq(segments, { epoch, market, seq: value, newest: this.#newest });
    if (choice === null) return null;
    const until = { market, seq: value };
    const isUsable = (book: WarmBook): boolean => {
      const { engine } = book;
      const isBefore = market >= engine.markets().length || engine.version(market).seq < value;
      return isBefore || book.isAt(until);
    };
    return { choice, until, isUsable };
  }

  /** The id of a market in the run of these segments: ids are assigned in the order of discovery. */
  #learnId(
    segments: readonly SegmentInfo[],
    key: MarketKey,
    isCancelled: () => boolean,
  ): number | undefined {
    const last = segments.at(-1);
    if (last === undefined) return undefined;
    const book = this.#books.takeBook(last.number, () => true);
    while (book.findMarket(key) === undefined) {
      if (this.#advance(book, { turnsMax: 1 }, isCancelled) !== 'reached') break;
    }
    return book.findMarket(key)?.id;
  }

  /** A book from a damaged file is unusable, and is dropped. */
  #advance(book: WarmBook, until: JournalUntil, isCancelled: () => boolean) {
    try {
      return book.advance(until, isCancelled);
    } catch (error) {
      this.#books.dropBook(book);
      throw error;
    }
  }
}

const LOST_TEXT = 'the end of its file is lost';

function isKept(
  book: WarmBook,
  {
    moment: { by, value },
    flushedMs,
    until: { market = 0 },
    isNewestMoment,
  }: MomentJob & { readonly until: JournalUntil; readonly isNewestMoment: boolean },
): boolean {
  const { engine } = book;
  if (by === 'seq') return market < engine.markets().length && engine.version(market).seq === value;
  if (book.moment.ts === 0) return false;
  if (!isNewestMoment) return true;
  return by === 'slot' ? value <= book.moment.slot : value <= Math.max(book.moment.ts, flushedMs);
}

function keyOfJob({ bodies }: MomentJob): MarketKey {
  if ('read' in bodies) return bodies.read.key;
  throw new Error('Invariant: a seq names the moment of one body');
}

function notKept(
  moment: AsOfMoment,
  segments: readonly SegmentInfo[],
  damage?: string,
  newest?: WarmBook,
): AsOfReply {
  return { kind: 'notKept', message: describeNotKept(moment, segments, damage, newest?.moment) };
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}
