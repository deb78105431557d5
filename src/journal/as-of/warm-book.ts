import { closeSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { MarketKey } from '../../contract/as-of-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import { Engine } from '../../engine/engine.js';
import { JournalReader, type JournalUntil } from '../../engine/journal-reader.js';
import { AS_OF_READ_BYTES, AS_OF_SLICE_TURNS } from '../model/limits.js';
import { segmentName } from '../store/segment-name.js';

/** The files of a journal. */
export interface JournalFiles {
  readonly folder: string;
  readonly programId: string;
}

/** Why reading ended: at the first turn beyond the target, at the end of the file, or by cancellation. */
export type Advance = 'reached' | 'end' | 'cancelled';

/**
 * The book at a moment of one segment, which can advance: its file stays open, so that nothing is
 * read twice, and retention may delete it meanwhile.
 */
export class WarmBook {
  readonly segment: number;
  readonly engine: Engine;
  readonly #reader: JournalReader;
  readonly #handle: number;
  readonly #piece = Buffer.allocUnsafeSlow(AS_OF_READ_BYTES);
  #offset = 0;
  #isRestored = false;
  /** The last target. */
  #until: JournalUntil = {};

  /** Opens the file of a segment. Throws the file system's error. */
  constructor(segment: number, { folder, programId }: JournalFiles) {
    this.segment = segment;
    this.#handle = openSync(path.join(folder, segmentName(segment)), 'r');
    this.engine = new Engine({ programId, epoch: '' });
    this.#reader = new JournalReader(programId);
  }

  /** The end of the last applied turn. */
  get moment(): { readonly slot: number; readonly ts: number } {
    const { slot, tsMs: ts } = this.#reader.position();
    return { slot, ts };
  }

  /**
   * Whether reading ended at an incomplete block although the file has a turn of this time, unix
   * milliseconds.
   */
  isDamagedBefore(tsMs: number): boolean {
    const { waiting, tsMs: lastMs } = this.#reader.position();
    return waiting > 0 && lastMs < tsMs;
  }

  /** Whether the last target is exactly this. */
  isAt({ market, seq }: JournalUntil): boolean {
    return seq !== undefined && this.#until.market === market && this.#until.seq === seq;
  }

  get turns(): number {
    return this.#reader.position().turns;
  }

  get users(): number {
    return this.#isRestored ? this.engine.stats().users : 0;
  }

  /** The market's id in this run of the book; undefined when it has none yet. */
  findMarket({ marketType, marketIndex }: MarketKey): MarketInfo | undefined {
    if (!this.#isRestored) return undefined;
    return this.engine
      .markets()
      .find((row) => row.marketType === marketType && row.marketIndex === marketIndex);
  }

  /** Applies turns up to the target. Throws an EngineError when the file is damaged. */
  advance(until: JournalUntil, isCancelled: () => boolean): Advance {
    this.#until = until;
    const turnsMax = Math.min(until.turnsMax ?? AS_OF_SLICE_TURNS, AS_OF_SLICE_TURNS);
    while (!isCancelled()) {
      const { turns } = this.#reader.position();
      const { kind } = this.engine.readJournal(this.#reader, { ...until, turnsMax });
      if (kind === 'checkpoint') this.#isRestored = true;
      else if (kind === 'moreBytes' && !this.#readOn()) return 'end';
      else if (kind === 'reached') {
        const isPaused = this.#reader.position().turns - turns === turnsMax;
        if (!isPaused || until.turnsMax !== undefined) return 'reached';
      }
    }
    return 'cancelled';
  }

  /** Releases its file and memory. */
  close(): void {
    closeSync(this.#handle);
    this.#reader.release();
  }

  /** Reads more bytes; returns false at the current end of the file. */
  #readOn(): boolean {
    const piece = this.#piece;
    const length = readSync(this.#handle, piece, 0, piece.length, this.#offset);
    this.#offset += length;
    this.#reader.pushBytes(piece.subarray(0, length));
    return length > 0;
  }
}
