import { type Core, JournalReader as NativeReader } from '@slotbook/core';
import type { PublishMark } from '../contract/publish-mark.js';
import { EngineError, type EngineErrorCode } from './errors.js';
import type { JournalRows } from './journal-rows.js';
import { unpackMark } from './packed-mark.js';
import type { TurnReport } from './turn-report.js';
import type { EngineTurn } from './types.js';

/** How far a journal is read: turns are applied up to the first that is beyond any of these. */
export interface JournalUntil {
  /** The highest slot. */
  readonly slotMax?: number;
  /** The latest time, unix milliseconds. */
  readonly tsMsMax?: number;
  /** A market and the sequence number at which to stop. */
  readonly market?: number;
  readonly seq?: number;
  /** Turns that are applied by one call at most. */
  readonly turnsMax?: number;
}

/**
 * What one step did. `moreBytes`: nothing, the next turn is not there as a whole; at the end of a file that is its end, or a
 * tear. `checkpoint`: the core is as it was at the beginning of the segment. `turn`: one turn was applied. `reached`: the
 * next turn is beyond what was asked for. `full`: as many rows were noted as are taken at once, see {@link JournalReader.noteRows}.
 */
export type JournalStep =
  | { readonly kind: 'moreBytes' | 'checkpoint' | 'reached' | 'full' }
  | { readonly kind: 'turn'; readonly turn: EngineTurn; readonly mark: PublishMark };

/** The last turn that was applied. */
export interface JournalPosition {
  readonly slot: number;
  /** Unix milliseconds. */
  readonly tsMs: number;
  readonly turns: number;
  /** Account updates behind the checkpoint. */
  readonly updates: number;
  /** Bytes of the file that were read, whole blocks. */
  readonly position: number;
  /** Bytes behind them that are no whole block. */
  readonly waiting: number;
}

/** Why the last bytes of a file are no whole block. */
export interface JournalTear {
  readonly code: string;
  readonly message: string;
  /** Where they begin, in bytes of the file. */
  readonly position: number;
}

/** What the head of a segment says. */
export interface SegmentHead {
  readonly programId: string;
  readonly epoch: string;
  /** The moment of its checkpoint: unix milliseconds, and the chain's slot; 0 where that is empty. */
  readonly tsMs: number;
  readonly slot: number;
  /** Sequence numbers then, by the ids of the markets. */
  readonly seqs: readonly number[];
}

/** For a reader of what is before the accounts: it checks their program when it restores them, not before. */
export const ANY_PROGRAM = '1'.repeat(32);

/** The steps by the codes of the core. */
const [MORE_BYTES, TURN, CHECKPOINT, REACHED, FULL] = [0, 1, 2, 3, 4] as const;

/** Reads one segment of a journal: {@link Engine.readJournal} applies it, from its checkpoint on. */
export class JournalReader {
  readonly #native: NativeReader;
  /** The core into which it was read. */
  #core: Core | null = null;
  /** What notes each turn that is read with an end. */
  #rows: JournalRows | null = null;

  /** Throws when the program's id is not base58 of 32 bytes. */
  constructor(programId: string) {
    this.#native = new NativeReader(programId);
  }

  /** Adds bytes of the file, in pieces of any size. */
  pushBytes(bytes: Uint8Array): void {
    this.#native.push(bytes);
  }

  /** The segment goes on where the core stands: its checkpoint is read, and nothing of it restored. */
  goOn(): void {
    this.#native.goOn();
  }

  /**
   * From now on only what tells of slots up to this one is applied, in whatever turn it came. The book is then none that was
   * shown, and its hashes are not compared.
   */
  takeSlotsTo(slot: number): void {
    this.#native.takeSlotsTo(slot);
  }

  /**
   * A tail that is apart begins with the next bytes: of the segment whose checkpoint was read, or of the one after it. All bytes
   * before are to be read; where they are not, the next step throws.
   */
  beginTail(): void {
    this.#native.beginTail();
  }

  /** Forgets what was pushed behind the last turn: its writer has ended within one, and another one goes on with a tail. */
  dropRest(): void {
    this.#native.dropRest();
  }

  /** From now on what a turn changes is noted here, when it is read with an end. */
  noteRows(rows: JournalRows): void {
    this.#rows = rows;
  }

  /** The moment of the next turn, which is not applied; null when it is not there as a whole, and before the checkpoint. */
  nextMoment(): { readonly slot: number; readonly tsMs: number } | null {
    return this.#native.nextMoment();
  }

  position(): JournalPosition {
    return this.#native.position();
  }

  /**
   * Is to be called at the end of a file, when there are no more bytes. Returns null when all was read, else the tear: a block
   * that is not whole or does not check, with no good one behind it. Throws an {@link EngineError} when there is one: the file is damaged.
   */
  finish(): JournalTear | null {
    const tear = this.#native.finish();
    const problem = this.#native.problem();
    if (problem !== null) throw errorOf(problem);
    return tear;
  }

  /** The bytes of accounts (base58) as of the last turn that was applied; null for those that it has none of. */
  readAccounts(keys: readonly string[]): readonly (Uint8Array | null)[] {
    return this.#native.accounts([...keys]).map((bytes) => bytes ?? null);
  }

  /** The slots of accounts (base58) that were written in this slot or later, closed ones among them, as of the last turn. */
  writtenFrom(slot: number): ReadonlyMap<string, number> {
    const written = this.#native.writtenFrom(slot);
    return new Map(written.map(({ pubkey, slot: last }) => [pubkey, last]));
  }

  /** What the last turn published. */
  mark(): PublishMark {
    return unpackMark(this.#native.position().marks);
  }

  /** Gives the memory of what was read back at once, and that of the book: neither is of use any more. */
  release(): void {
    this.#native.release();
    this.#core?.release();
  }

  /** Gives the memory of what was read back at once; the book goes on with another segment. */
  releaseBytes(): void {
    this.#native.release();
  }

  /** As {@link TurnLog.continueFrom} says; nothing else calls it. */
  continueIn(core: Core): boolean {
    return this.#native.continueIn(core);
  }

  /** As {@link Engine.readJournal} says; nothing else calls it. */
  readInto(
    { core, report }: { readonly core: Core; readonly report: TurnReport },
    until: JournalUntil | undefined,
  ): JournalStep['kind'] {
    this.#core = core;
    switch (this.#readOn(core, report, until)) {
      case MORE_BYTES:
        return 'moreBytes';
      case TURN:
        return 'turn';
      case CHECKPOINT:
        return 'checkpoint';
      case REACHED:
        return 'reached';
      case FULL:
        return 'full';
      default:
        throw errorOf(this.#native.problem());
    }
  }

  #readOn(core: Core, report: TurnReport, until: JournalUntil | undefined): number {
    if (until === undefined) return this.#native.readTurn(core, report.bytes);
    if (this.#rows === null) return this.#native.readTo(core, until);
    return this.#rows.native.read(this.#native, core, until);
  }
}

/**
 * Reads the head of a segment from the first bytes of its file. Throws an {@link EngineError}, also when they are too few.
 */
export function readSegmentHead(bytes: Uint8Array): SegmentHead {
  const native = new NativeReader(ANY_PROGRAM);
  native.push(bytes);
  const head = native.head();
  if (head !== null) return head;
  const problem = native.finish();
  throw errorOf(problem);
}

/** The error of a file whose end is lost, as the next file shows. Throws an {@link EngineError} where it is damaged before. */
export function lostEndError(reader: JournalReader): EngineError {
  const { position } = reader.position();
  const message = 'the end of the file is lost';
  return errorOf(reader.finish() ?? { code: 'MALFORMED_JOURNAL', message, position });
}

/** Without a problem it is an empty file. */
function errorOf(problem: JournalTear | null): EngineError {
  if (problem === null) return new EngineError('MALFORMED_JOURNAL', 'the file is empty');
  const { code, message, position } = problem;
  return new EngineError(code as EngineErrorCode, `${message} (at byte ${position})`, { position });
}
