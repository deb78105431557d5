import { JournalWriter as NativeWriter } from '@slotbook/core';
import { EngineError, type EngineErrorCode } from './errors.js';

/** Finished bytes of a segment: whole blocks, so that a file may end behind any piece. */
export interface JournalPiece {
  /** Counts the segments of one writer from 1: another number is another file. */
  readonly segment: number;
  /** Whether it is of a tail that is apart: see {@link JournalWriter.separateTails}. */
  readonly isTail: boolean;
  readonly bytes: Uint8Array;
}

/** What a writer holds of the segment that it is writing. */
export interface JournalWriterStatus {
  readonly segment: number;
  /** Account updates behind its checkpoint. */
  readonly updates: number;
  /** Accounts that it holds, of which the next checkpoint is made. */
  readonly accounts: number;
  /** Finished bytes. */
  readonly bytes: number;
  /** Of those, the checkpoint's with which it begins. */
  readonly checkpointBytes: number;
  /** The last turn that was appended: unix milliseconds, and the chain's slot. */
  readonly tsMs: number;
  readonly slot: number;
}

/** Makes segments of a journal out of turn logs. It holds the last bytes of every account. */
export class JournalWriter {
  readonly #native: NativeWriter;

  constructor(programId: string) {
    this.#native = new NativeWriter(programId);
  }

  /**
   * From the next segment on, what follows its checkpoint is in pieces of its own: readers that have the segment before read
   * them without the checkpoint. Each reader has to know where they begin, see {@link JournalReader.beginTail}.
   */
  separateTails(): void {
    this.#native.separateTails();
  }

  /**
   * Takes whole turns, in their order; `createdMs` is what the head of a segment that begins in them says. Throws an
   * {@link EngineError} when they are not what a core wrote; nothing can be appended after that.
   */
  append(log: Uint8Array, createdMs: number): void {
    const problem = this.#native.append(log, createdMs);
    if (problem === null) return;
    throw new EngineError(problem.code as EngineErrorCode, problem.message);
  }

  /** Seals what was appended: it is in the pieces then. */
  flush(): void {
    this.#native.flush();
  }

  /** Takes the finished pieces, in their order. */
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
