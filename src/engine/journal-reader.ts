import {
  type Core,
  type JournalPosition,
  type JournalProblem,
  type JournalUntil,
  JournalReader as NativeReader,
  type JournalSegmentHead as SegmentHead,
} from '@slotbook/core/native';
import type { PublishMark } from '../contract/publish-mark.js';
import { EngineError, type EngineErrorCode } from './errors.js';
import type { JournalRows } from './journal-rows.js';
import { unpackMark } from './packed-mark.js';
import type { TurnReport } from './turn-records.js';
import type { EngineTurn } from './types.js';

export type { JournalUntil, SegmentHead };

/**
 * The result of one step. `moreBytes`: no change, because the next turn is incomplete; at the end
 * of a file this means the end or a torn block. `checkpoint`: the core has the state of the
 * segment's start. `turn`: one turn was applied. `reached`: the next turn is beyond a bound.
 * `full`: the row buffer is full, see {@link JournalReader.noteRows}.
 */
export type JournalStep =
  | { readonly kind: 'moreBytes' | 'checkpoint' | 'reached' | 'full' }
  | { readonly kind: 'turn'; readonly turn: EngineTurn; readonly mark: PublishMark };

/**
 * A placeholder program for callers that read the header only: the program is checked when accounts
 * are restored.
 */
export const ANY_PROGRAM = '1'.repeat(32);

/** The steps by the core's codes. */
const STEPS = ['moreBytes', 'turn', 'checkpoint', 'reached', 'full'] as const;

/** Reads one segment of a journal from its checkpoint on; {@link Engine.readJournal} applies it. */
export class JournalReader {
  readonly #native: NativeReader;
  /** The core that the segment is read into. */
  #core: Core | null = null;
  /** Records the rows of each turn. */
  #rows: JournalRows | null = null;

  /** Throws when the program id is not base58 of 32 bytes. */
  constructor(programId: string) {
    this.#native = new NativeReader(programId);
  }

  /** Adds bytes of the file, in chunks of any size. */
  pushBytes(bytes: Uint8Array): void {
    this.#native.push(bytes);
  }

  /** Continues from the core's present state: reads the segment's checkpoint but does not restore it. */
  resume(): void {
    this.#native.goOn();
  }

  /**
   * From now on applies only updates up to this slot, whichever turn they came in. The result is a
   * book that was never published, so its hashes are not compared.
   */
  takeSlotsTo(slot: number): void {
    this.#native.takeSlotsTo(slot);
  }

  /**
   * Call this before the bytes of a separate tail file, of the current segment or of the next
   * segment. All earlier bytes must have been read; otherwise the next step throws.
   */
  beginTail(): void {
    this.#native.beginTail();
  }

  /**
   * Drops the bytes after the last complete turn: their writer stopped within a turn, and another
   * writer continues with a tail.
   */
  dropRest(): void {
    this.#native.dropRest();
  }

  /** From now on computes {@link JournalReader.digest}. */
  keepDigest(): void {
    this.#native.keepDigest();
  }

  /**
   * The SHA-256 of the records since the turn with a hash before the last turn; null when the last
   * turn has no hash.
   */
  digest(): Uint8Array | null {
    return this.#native.digest();
  }

  /** Records the row changes of each turn from now on. */
  noteRows(rows: JournalRows): void {
    this.#rows = rows;
  }

  /**
   * The slot and time of the next turn, without applying it; null when the turn is incomplete, and
   * before the checkpoint.
   */
  nextMoment(): { readonly slot: number; readonly tsMs: number } | null {
    return this.#native.nextMoment();
  }

  position(): JournalPosition {
    return this.#native.position();
  }

  /**
   * Call this at the end of a file. Returns null when all bytes were read, and otherwise the torn
   * block: the last block is incomplete or has a wrong checksum. Throws an {@link EngineError} when
   * a valid block follows, because the file is damaged then.
   */
  finish(): JournalProblem | null {
    const tear = this.#native.finish();
    const problem = this.#native.problem();
    if (problem !== null) throw errorOf(problem);
    return tear;
  }

  /** The bytes of accounts (base58) as of the last applied turn; null for an unknown account. */
  readAccounts(keys: readonly string[]): readonly (Uint8Array | null)[] {
    return this.#native.accounts([...keys]).map((bytes) => bytes ?? null);
  }

  /** The slots of accounts (base58) written or closed in this slot or later, as of the last applied turn. */
  writtenFrom(slot: number): ReadonlyMap<string, number> {
    const written = this.#native.writtenFrom(slot);
    return new Map(written.map(({ pubkey, slot: last }) => [pubkey, last]));
  }

  /** The publish mark of the last turn. */
  mark(): PublishMark {
    return unpackMark(this.#native.position().marks);
  }

  /** Frees the memory of the reader and of the book immediately. Neither can be used after that. */
  release(): void {
    this.#native.release();
    this.#core?.release();
  }

  /** Frees the reader's memory immediately; the book continues with another segment. */
  releaseBytes(): void {
    this.#native.release();
  }

  /** Implements {@link TurnLog.continueFrom}, its only caller. */
  continueIn(core: Core): boolean {
    return this.#native.continueIn(core);
  }

  /** Implements {@link Engine.readJournal}, its only caller. */
  readInto(
    { core, report }: { readonly core: Core; readonly report: TurnReport },
    until: JournalUntil | undefined,
  ): JournalStep['kind'] {
    this.#core = core;
    const step = STEPS[this.#readMore(core, report, until)];
    if (step === undefined) throw errorOf(this.#native.problem());
    return step;
  }

  #readMore(core: Core, report: TurnReport, until: JournalUntil | undefined): number {
    if (until === undefined) return this.#native.readTurn(core, report.bytes);
    if (this.#rows === null) return this.#native.readTo(core, until);
    return this.#rows.native.read(this.#native, core, until);
  }
}

/**
 * Reads a segment's header from the first bytes of its file. Throws an {@link EngineError}, also
 * when there are too few bytes.
 */
export function readSegmentHead(bytes: Uint8Array): SegmentHead {
  const native = new NativeReader(ANY_PROGRAM);
  native.push(bytes);
  const head = native.head();
  const problem = head === null ? native.finish() : null;
  // The next file's decompressor gets the same memory.
  native.release();
  if (head === null) throw errorOf(problem);
  return head;
}

/**
 * The error of a file that the next file shows to be incomplete. Throws an {@link EngineError} when
 * the file is also damaged earlier.
 */
export function lostEndError(reader: JournalReader): EngineError {
  const { position } = reader.position();
  const message = 'the end of the file is lost';
  return errorOf(reader.finish() ?? { code: 'MALFORMED_JOURNAL', message, position });
}

/** No torn block means that the file is empty. */
function errorOf(problem: JournalProblem | null): EngineError {
  if (problem === null) return new EngineError('MALFORMED_JOURNAL', 'the file is empty');
  const { code, message, position } = problem;
  return new EngineError(code as EngineErrorCode, `${message} (at byte ${position})`, { position });
}
