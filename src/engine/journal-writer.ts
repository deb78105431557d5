import {
  type JournalWriterStatus,
  JournalWriter as NativeWriter,
  type JournalDigest as TurnDigest,
} from '@slotbook/core/native';
import { EngineError, type EngineErrorCode } from './errors.js';

export type { TurnDigest };

/** Complete blocks of a segment. A file may end after any piece. */
export interface JournalPiece {
  /** The number of the segment, from 1 for each writer. Each segment has its own file. */
  readonly segment: number;
  /** Whether the piece belongs to a separate tail: see {@link JournalWriter.separateTails}. */
  readonly isTail: boolean;
  readonly bytes: Uint8Array;
}

/** Writes turn logs as segments of a journal. It keeps the latest bytes of every account in memory. */
export class JournalWriter {
  readonly #native: NativeWriter;

  constructor(programId: string) {
    this.#native = new NativeWriter(programId);
  }

  /**
   * From the next segment on, returns the blocks after the checkpoint as separate pieces. A reader
   * of the segment before can then read them without the checkpoint, but needs to know where they
   * start: see {@link JournalReader.beginTail}.
   */
  separateTails(): void {
    this.#native.separateTails();
  }

  /** From now on computes the digests of {@link JournalWriter.takeDigests}. */
  keepDigests(): void {
    this.#native.keepDigests();
  }

  /** Takes the digests of the appended turns with a hash, in order. */
  takeDigests(): readonly TurnDigest[] {
    const digests: TurnDigest[] = [];
    for (let next = this.#native.takeDigest(); next !== null; next = this.#native.takeDigest()) {
      digests.push(next);
    }
    return digests;
  }

  /**
   * Appends complete turns in order. `createdMs` is written to the header of a segment that starts
   * in them. Throws an {@link EngineError} when the log is invalid; nothing can be appended after
   * that.
   */
  append(log: Uint8Array, createdMs: number): void {
    const problem = this.#native.append(log, createdMs);
    if (problem === null) return;
    throw new EngineError(problem.code as EngineErrorCode, problem.message);
  }

  /** Completes the current block, so that the pieces contain all appended turns. */
  flush(): void {
    this.#native.flush();
  }

  /** Takes the complete pieces, in order. */
  takePieces(): readonly JournalPiece[] {
    const pieces: JournalPiece[] = [];
    for (let piece = this.#native.takePiece(); piece !== null; piece = this.#native.takePiece()) {
      pieces.push(piece);
    }
    return pieces;
  }

  status(): JournalWriterStatus {
    return this.#native.status();
  }
}
