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

/** A segment, and the engine that goes on with it; without one it begins at its checkpoint. */
export interface PlayedSegment {
  readonly folder: string;
  readonly segment: Pick<SegmentInfo, 'number' | 'programId' | 'epoch'>;
  readonly engine?: Engine | undefined;
}

/** Reads one segment step by step, for whoever has a thread to itself. */
export class SegmentPlayer {
  readonly engine: Engine;
  readonly reader: JournalReader;
  readonly #file: number;
  readonly #bytes = Buffer.allocUnsafeSlow(REPLAY_READ_BYTES);

  /** Throws what the file system says. */
  constructor({ folder, segment, engine }: PlayedSegment) {
    const { programId, epoch, number } = segment;
    this.engine = engine ?? new Engine({ programId, epoch });
    this.reader = new JournalReader(programId);
    if (engine !== undefined) this.reader.goOn();
    this.#file = openSync(path.join(folder, segmentName(number)), 'r');
  }

  /**
   * Makes the next step; `moreBytes` is the end of the file. With `until` it is as many turns as are in a piece of the file.
   * Throws an EngineError of the place where the file is damaged.
   */
  step(until?: JournalUntil): JournalStep {
    for (;;) {
      const step = this.engine.readJournal(this.reader, until);
      if (step.kind !== 'moreBytes' || !this.#readOn()) return step;
    }
  }

  /**
   * The moment of the next turn, once the checkpoint was read; null at the present end of the file, and where {@link SegmentPlayer.step}
   * says what is wrong with it.
   */
  nextMoment(): { readonly slot: number; readonly tsMs: number } | null {
    for (;;) {
      const moment = this.reader.nextMoment();
      if (moment !== null || !this.#readOn()) return moment;
    }
  }

  /** At the end of the file: why its last bytes are no whole block; null when they are. Throws an EngineError where it is damaged. */
  finish(): JournalTear | null {
    return this.reader.finish();
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Returns false at the present end of the file. */
  #readOn(): boolean {
    const length = readSync(this.#file, this.#bytes, 0, this.#bytes.length, null);
    this.reader.pushBytes(this.#bytes.subarray(0, length));
    return length > 0;
  }
}
