import type { JournalMoment } from '../../contract/journal-source.js';
import type { Engine } from '../../engine/engine.js';
import { EngineError } from '../../engine/errors.js';
import type { JournalStep } from '../../engine/journal-reader.js';
import type { JournalFiles } from '../as-of/warm-book.js';
import { findLostEnd } from '../store/lost-end.js';
import type { SegmentIndex } from '../store/segment-index.js';
import { continues, type SegmentInfo } from '../store/segment-info.js';
import { SegmentPlayer } from '../store/segment-player.js';

/** A segment behind one that it does not go on with, and why nothing is kept between the two. */
export interface Hole {
  readonly kind: 'hole';
  readonly segment: SegmentInfo;
  readonly reason: 'restart' | 'stopped' | 'damaged';
}

/** What is behind the end of a segment: nothing yet, more of itself, the segment that goes on with it, or a hole. */
export type Beyond =
  | { readonly kind: 'nothing' | 'more' }
  | { readonly kind: 'next'; readonly segment: SegmentInfo }
  | Hole;

/** A place in a journal that moves on turn by turn, through one segment after the other. */
export class SegmentCursor {
  readonly #files: JournalFiles;
  readonly #index: SegmentIndex;
  #segment: SegmentInfo;
  #player: SegmentPlayer;
  #isRestored = false;
  /** The checkpoint of this segment was read. */
  #isBegun = false;

  /** Throws what the file system says. */
  constructor(files: JournalFiles, index: SegmentIndex, segment: SegmentInfo) {
    this.#files = files;
    this.#index = index;
    this.#segment = segment;
    this.#player = new SegmentPlayer({ folder: files.folder, segment });
  }

  get engine(): Engine {
    return this.#player.engine;
  }

  /** Whether the book is there: the checkpoint was read. */
  get isRestored(): boolean {
    return this.#isRestored;
  }

  /** The run of the service in which it is. */
  get epoch(): string {
    return this.#segment.epoch;
  }

  /** The end of the last turn that was applied; before the first one that of the checkpoint. */
  get moment(): JournalMoment {
    const { slot, tsMs: ts } = this.#player.reader.position();
    return ts === 0 ? this.#segment.first : { slot, ts };
  }

  /** The moment of the next turn; null where only {@link SegmentCursor.step} knows. */
  nextMoment(): JournalMoment | null {
    if (!this.#isBegun) return null;
    const next = this.#player.nextMoment();
    return next === null ? null : { slot: next.slot, ts: next.tsMs };
  }

  /** As {@link SegmentPlayer.step}: `moreBytes` is the present end of the segment. */
  step(): JournalStep {
    const step = this.#player.step();
    if (step.kind === 'checkpoint') {
      this.#isRestored = true;
      this.#isBegun = true;
    }
    return step;
  }

  /** What comes behind the segment, which has been read to its end. Throws an EngineError when it is damaged. */
  findBeyond(): Beyond {
    const segment = this.#findNext();
    if (segment === undefined) return { kind: 'nothing' };
    // It may have got some before the next one was begun.
    if (this.nextMoment() !== null) return { kind: 'more' };
    if (continues(this.#segment, segment)) {
      const isWhole = findLostEnd(this.#player, segment) === null;
      return isWhole ? { kind: 'next', segment } : { kind: 'hole', segment, reason: 'damaged' };
    }
    const reason = segment.epoch === this.#segment.epoch ? 'stopped' : 'restart';
    return { kind: 'hole', segment, reason };
  }

  /** What comes behind the segment, which cannot be read any further; null for nothing. */
  findBehindDamage(): Hole | null {
    const segment = this.#findNext();
    return segment === undefined ? null : { kind: 'hole', segment, reason: 'damaged' };
  }

  /** Goes on with the segment that continues this one: the book stands where its checkpoint is. */
  goOn(segment: SegmentInfo): void {
    const { folder } = this.#files;
    const player = new SegmentPlayer({ folder, segment, engine: this.engine });
    this.#player.close();
    this.#player.reader.releaseBytes();
    this.#player = player;
    this.#segment = segment;
    this.#isBegun = false;
  }

  /** Gives back its file and its memory. */
  close(): void {
    this.#player.close();
    this.#player.reader.release();
  }

  #findNext(): SegmentInfo | undefined {
    return this.#index.read().segments.find(({ number }) => number > this.#segment.number);
  }
}

/** Whether an error is the fault of a file: it is damaged, was deleted, or the system does not read it. */
export function isFileFault(error: unknown): boolean {
  if (error instanceof EngineError) return 'position' in error.context;
  return error instanceof Error && 'syscall' in error;
}
