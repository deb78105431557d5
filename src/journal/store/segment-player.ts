import { closeSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../engine/engine.js';
import {
  JournalReader,
  type JournalStep,
  type JournalTear,
  type JournalUntil,
} from '../../engine/journal-reader.js';
import { REPLAY_READ_BYTES } from '../model/limits.js';
import type { SegmentInfo } from './segment-info.js';
import { segmentName } from './segment-name.js';

/** A segment, and the engine that continues with it; without one it starts from its checkpoint. */
export interface PlayedSegment {
  readonly folder: string;
  readonly segment: Pick<SegmentInfo, 'number' | 'programId' | 'epoch'>;
  readonly engine?: Engine | undefined;
}

/** Reads one segment step by step, for callers on their own thread. */
export class SegmentPlayer {
  readonly engine: Engine;
  readonly reader: JournalReader;
  readonly #file: number;
  readonly #bytes = Buffer.allocUnsafeSlow(REPLAY_READ_BYTES);

  /** Throws the file system's error. */
  constructor({ folder, segment, engine }: PlayedSegment) {
    const { programId, epoch, number } = segment;
    this.engine = engine ?? new Engine({ programId, epoch });
    this.reader = new JournalReader(programId);
    if (engine !== undefined) this.reader.goOn();
    this.#file = openSync(path.join(folder, segmentName(number)), 'r');
  }

  /**
   * Makes the next step; `moreBytes` is the end of the file. With `until` a step applies all turns
   * of one read. Throws an EngineError when the file is damaged.
   */
  step(until?: JournalUntil): JournalStep {
    for (;;) {
      const step = this.engine.readJournal(this.reader, until);
      if (step.kind !== 'moreBytes' || !this.#readOn()) return step;
    }
  }

  /**
   * The moment of the next turn, after the checkpoint; null at the current end of the file, and
   * when {@link SegmentPlayer.step} would throw.
   */
  nextMoment(): { readonly slot: number; readonly tsMs: number } | null {
    for (;;) {
      const moment = this.reader.nextMoment();
      if (moment !== null || !this.#readOn()) return moment;
    }
  }

  /**
   * At the end of the file: why its last bytes are an incomplete block; null when they are
   * complete. Throws an EngineError when it is damaged.
   */
  finish(): JournalTear | null {
    return this.reader.finish();
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Reads more bytes; returns false at the current end of the file. */
  #readOn(): boolean {
    const length = readSync(this.#file, this.#bytes, 0, this.#bytes.length, null);
    this.reader.pushBytes(this.#bytes.subarray(0, length));
    return length > 0;
  }
}
