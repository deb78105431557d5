import { closeSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { MarketIdentity } from '../../contract/as-of-source.js';
import type { JournalMoment } from '../../contract/journal-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import type { ProgramName } from '../../contract/program.js';
import { Engine } from '../../engine/engine.js';
import { EngineError } from '../../engine/errors.js';
import {
  JournalReader,
  type JournalStep,
  type JournalUntil,
  lostEndError,
} from '../../engine/journal-reader.js';
import { systemCodeOf } from '../model/error.js';
import { PLAYER_READ_BYTES, PLAYER_SLICE_TURNS } from '../model/limits.js';
import { continues, type SegmentInfo } from './segment-info.js';
import { segmentName } from './segment-name.js';

/** The facts about a journal file that playing it requires. */
export type PlayedSegment = Pick<SegmentInfo, 'number' | 'programId' | 'epoch'> &
  Partial<Pick<SegmentInfo, 'first'>>;

/** The first file, and the engine that will hold the book; a new engine by default. */
interface JournalPlayerOptions {
  readonly folder: string;
  readonly segment: PlayedSegment;
  readonly engine?: Engine | undefined;
  /** The rules of a new engine; by default those of the address of the program. */
  readonly program?: ProgramName | undefined;
}

/**
 * The reason for which playing stopped: the next turn is after the moment, `turnsMax` turns were
 * applied, the file has no further turns, the row buffer is full, or the caller cancelled.
 */
export type PlayedTo = 'reached' | 'paused' | 'end' | 'full' | 'cancelled';

/** A file that does not continue the previous file, and the reason for the gap. */
export interface Hole {
  readonly kind: 'hole';
  readonly segment: SegmentInfo;
  readonly reason: 'restart' | 'stopped' | 'damaged';
}

/** What follows a file: nothing yet, more of the same file, the next file, or a hole. */
export type Beyond =
  | { readonly kind: 'nothing' | 'more' }
  | { readonly kind: 'next'; readonly segment: SegmentInfo }
  | Hole;

/**
 * Plays the book of a journal turn by turn or up to a moment, from one file into the next. The file
 * stays open, so that nothing is read twice, and retention may delete it meanwhile.
 */
export class JournalPlayer {
  readonly engine: Engine;
  readonly #folder: string;
  readonly #piece = Buffer.allocUnsafeSlow(PLAYER_READ_BYTES);
  #segment: PlayedSegment;
  #reader: JournalReader;
  #file: number;
  #bytesRead = 0;
  #isRestored = false;
  /** Whether reading of this file has passed its checkpoint. */
  #isBegun = false;
  /** The moment that was requested last. */
  #until: JournalUntil = {};

  /** Throws what the file system says. */
  constructor({ folder, segment, engine, program }: JournalPlayerOptions) {
    const { programId, epoch } = segment;
    this.#folder = folder;
    this.#segment = segment;
    this.#file = openSegment(folder, segment.number);
    this.engine = engine ?? new Engine({ programId, program, epoch });
    this.#reader = new JournalReader(programId);
  }

  /** The file that is played. */
  get segment(): PlayedSegment {
    return this.#segment;
  }

  /** The reader of the file, which provides further facts about its turns. */
  get reader(): JournalReader {
    return this.#reader;
  }

  /** Bytes of all files that were read. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** Whether a checkpoint was read, so that there is a book. */
  get isRestored(): boolean {
    return this.#isRestored;
  }

  /** The end of the last applied turn; before the first turn, the moment of the checkpoint. */
  get moment(): JournalMoment {
    const { slot, tsMs: ts } = this.#reader.position();
    return ts === 0 ? (this.#segment.first ?? { slot, ts }) : { slot, ts };
  }

  /** User accounts of the book. */
  get users(): number {
    return this.#isRestored ? this.engine.stats().users : 0;
  }

  /** Returns the market in this epoch of the book; undefined when the book does not have it yet. */
  findMarket({ marketType, marketIndex }: MarketIdentity): MarketInfo | undefined {
    if (!this.#isRestored) return undefined;
    return this.engine
      .markets()
      .find((row) => row.marketType === marketType && row.marketIndex === marketIndex);
  }

  /**
   * Applies the next turn, or restores the checkpoint; `moreBytes` means the current end of the
   * file. Throws an EngineError when the file is damaged.
   */
  next(): JournalStep {
    return this.#step();
  }

  /** Applies turns up to a moment. Throws like {@link JournalPlayer.next}. */
  at(until: JournalUntil, isCancelled = (): boolean => false): PlayedTo {
    this.#until = until;
    let turnsLeft = until.turnsMax ?? Number.POSITIVE_INFINITY;
    while (!isCancelled()) {
      const { turns } = this.#reader.position();
      const turnsMax = Math.min(turnsLeft, PLAYER_SLICE_TURNS);
      const { kind } = this.#stepRead({ ...until, turnsMax });
      const played = this.#reader.position().turns - turns;
      turnsLeft -= played;
      if (kind === 'moreBytes' && !this.#readMore()) return 'end';
      if (kind === 'full') return 'full';
      if (kind === 'reached' && played < turnsMax) return 'reached';
      if (turnsLeft <= 0) return 'paused';
    }
    return 'cancelled';
  }

  /** Returns whether the book was played up to exactly this sequence number. */
  isAt({ market, seq }: JournalUntil): boolean {
    return seq !== undefined && this.#until.market === market && this.#until.seq === seq;
  }

  /**
   * Returns the moment of the next turn; null at the current end of the file, and when only {@link
   * JournalPlayer.next} can tell.
   */
  nextMoment(): JournalMoment | null {
    while (this.#isBegun) {
      const next = this.#reader.nextMoment();
      if (next !== null) return { slot: next.slot, ts: next.tsMs };
      if (!this.#readMore()) break;
    }
    return null;
  }

  /**
   * For a file that was played to its end: returns the reason when the end differs from the start
   * of the next file, and null when nothing is missing in between. Without a next file the end may
   * be incomplete. Throws an EngineError when the file is damaged.
   */
  findLostEnd(next: SegmentInfo | undefined): EngineError | null {
    const tear = this.#reader.finish();
    if (next === undefined) return null;
    const { slot, tsMs } = this.#reader.position();
    const isAtMoment = slot === next.first.slot && tsMs === next.first.ts;
    const isWhole = tear === null && isAtMoment && this.#hasSeqs(next.seqs);
    return isWhole ? null : lostEndError(this.#reader);
  }

  /**
   * Returns what follows the file, which was played to its end; `next` is the next file. Throws an
   * EngineError when the file is damaged.
   */
  findBeyond(next: SegmentInfo | undefined): Beyond {
    if (next === undefined) return { kind: 'nothing' };
    // The file may have got more turns before the next file was begun.
    if (this.nextMoment() !== null) return { kind: 'more' };
    if (continues(this.#segment, next)) {
      const isWhole = this.findLostEnd(next) === null;
      return isWhole
        ? { kind: 'next', segment: next }
        : { kind: 'hole', segment: next, reason: 'damaged' };
    }
    const reason = next.epoch === this.#segment.epoch ? 'stopped' : 'restart';
    return { kind: 'hole', segment: next, reason };
  }

  /**
   * Continues with the next file, whose checkpoint equals the current book. Throws the file
   * system's errors.
   */
  continueWith(segment: PlayedSegment): void {
    this.goTo(segment);
    this.#reader.resume();
  }

  /**
   * Starts another file, whose checkpoint replaces the book; the topics of readers stay open.
   * Throws the file system's errors.
   */
  goTo(segment: PlayedSegment): void {
    const file = openSegment(this.#folder, segment.number);
    closeSync(this.#file);
    this.#reader.releaseBytes();
    this.#file = file;
    this.#segment = segment;
    this.#isBegun = false;
    this.#reader = new JournalReader(segment.programId);
  }

  /** Closes the file. The engine keeps its book. */
  close(): void {
    closeSync(this.#file);
  }

  /** Closes the file and releases the memory of the book. */
  release(): void {
    this.close();
    this.#reader.release();
  }

  #step(): JournalStep {
    for (;;) {
      const step = this.#stepRead();
      if (step.kind !== 'moreBytes' || !this.#readMore()) return step;
    }
  }

  /** Makes a step within the bytes that were read. */
  #stepRead(until?: JournalUntil): JournalStep {
    const step = this.engine.readJournal(this.#reader, until);
    if (step.kind === 'checkpoint') this.#isRestored = this.#isBegun = true;
    return step;
  }

  /**
   * Returns whether the markets have these sequence numbers, because several turns may have the
   * same moment.
   */
  #hasSeqs(seqs: readonly number[]): boolean {
    const { length } = this.engine.markets();
    return length === seqs.length && seqs.every((seq, id) => this.engine.version(id).seq === seq);
  }

  /** Reads more of the file. Returns false at its current end. */
  #readMore(): boolean {
    const length = readSync(this.#file, this.#piece, 0, this.#piece.length, null);
    this.#bytesRead += length;
    this.#reader.pushBytes(this.#piece.subarray(0, length));
    return length > 0;
  }
}

function openSegment(folder: string, number: number): number {
  return openSync(path.join(folder, segmentName(number)), 'r');
}

/** Returns whether an error is caused by a file: it is damaged, was deleted, or cannot be read. */
export function isFileFault(error: unknown): boolean {
  if (error instanceof EngineError) return 'position' in error.context;
  return systemCodeOf(error) !== null;
}
