import type { JournalMoment } from '../../contract/journal-source.js';
import type { Engine } from '../../engine/engine.js';
import { EngineError } from '../../engine/errors.js';
import type { JournalStep } from '../../engine/journal-reader.js';
import type { JournalFiles } from '../as-of/warm-book.js';
import { findLostEnd } from '../store/lost-end.js';
import type { SegmentIndex } from '../store/segment-index.js';
import { continues, type SegmentInfo } from '../store/segment-info.js';
import { SegmentPlayer } from '../store/segment-player.js';

/** A segment after a gap, and the reason for the gap. */
export interface Hole {
  readonly kind: 'hole';
  readonly segment: SegmentInfo;
  readonly reason: 'restart' | 'stopped' | 'damaged';
}

/** The continuation of a segment: none yet, more bytes, the next segment, or a hole. */
export type Beyond =
  | { readonly kind: 'nothing' | 'more' }
  | { readonly kind: 'next'; readonly segment: SegmentInfo }
  | Hole;

/** A position in a journal that advances turn by turn, across segments. */
export class SegmentCursor {
  readonly #files: JournalFiles;
  readonly #index: SegmentIndex;
  #segment: SegmentInfo;
  #player: SegmentPlayer;
  #isRestored = false;
  /** Whether the checkpoint of this segment was read. */
  #isBegun = false;

  /** Throws the file system's error. */
  constructor(files: JournalFiles, index: SegmentIndex, segment: SegmentInfo) {
    this.#files = files;
    this.#index = index;
    this.#segment = segment;
    this.#player = new SegmentPlayer({ folder: files.folder, segment });
  }

  get engine(): Engine {
    return this.#player.engine;
  }

  /** Whether the checkpoint was read. */
  get isRestored(): boolean {
    return this.#isRestored;
  }

  /** The run of the service at this position. */
  get epoch(): string {
    return this.#segment.epoch;
  }

  /** The end of the last applied turn, initially the checkpoint's moment. */
  get moment(): JournalMoment {
    const { slot, tsMs: ts } = this.#player.reader.position();
    return ts === 0 ? this.#segment.first : { slot, ts };
  }

  /** The moment of the next turn; null when only {@link SegmentCursor.step} can find it. */
  nextMoment(): JournalMoment | null {
    if (!this.#isBegun) return null;
    const next = this.#player.nextMoment();
    return next === null ? null : { slot: next.slot, ts: next.tsMs };
  }

  /** Like {@link SegmentPlayer.step}: `moreBytes` is the current end of the segment. */
  step(): JournalStep {
    const step = this.#player.step();
    if (step.kind === 'checkpoint') {
      this.#isRestored = true;
      this.#isBegun = true;
    }
    return step;
  }

  /** The continuation of the segment, which was read to its end. Throws an EngineError when it is damaged. */
  findBeyond(): Beyond {
    const segment = this.#findNext();
    if (segment === undefined) return { kind: 'nothing' };
    // It may have grown before the next one was begun.
    if (this.nextMoment() !== null) return { kind: 'more' };
    if (continues(this.#segment, segment)) {
      const isWhole = findLostEnd(this.#player, segment) === null;
      return isWhole ? { kind: 'next', segment } : { kind: 'hole', segment, reason: 'damaged' };
    }
    const reason = segment.epoch === this.#segment.epoch ? 'stopped' : 'restart';
    return { kind: 'hole', segment, reason };
  }

  /** The continuation of a segment whose rest is unreadable; null for none. */
  findBehindDamage(): Hole | null {
    const segment = this.#findNext();
    return segment === undefined ? null : { kind: 'hole', segment, reason: 'damaged' };
  }

  /** Continues with the next segment, whose checkpoint equals the book. */
  goOn(segment: SegmentInfo): void {
    const { folder } = this.#files;
    const player = new SegmentPlayer({ folder, segment, engine: this.engine });
    this.#player.close();
    this.#player.reader.releaseBytes();
    this.#player = player;
    this.#segment = segment;
    this.#isBegun = false;
  }

  /** Releases its file and memory. */
  close(): void {
    this.#player.close();
    this.#player.reader.release();
  }

  #findNext(): SegmentInfo | undefined {
    return this.#index.read().segments.find(({ number }) => number > this.#segment.number);
  }
}

/** Whether an error concerns a file: it is damaged, deleted, or unreadable. */
export function isFileFault(error: unknown): boolean {
  if (error instanceof EngineError) return 'position' in error.context;
  return error instanceof Error && 'syscall' in error;
}
