/** What a turn passes to the core in one call, and what the core reports of it. */
import type { AccountProblem, RawAccount } from '../contract/accounts.js';
import { EngineError } from './errors.js';
import type { EngineTurn } from './types.js';

/** Bytes of a record's header: length, form, gate, key length, owner length and slot. */
const HEAD_BYTES = 16;

/** The maximum length of 32 bytes in base58; longer text is not a key. */
const KEY_TEXT_BYTES_MAX = 44;

/** The first size of the buffer: a few hundred accounts in base64. */
const BATCH_BYTES_START = 1 << 20;

/** The maximum size of a record: an account of 10 MiB, the maximum of Solana, in base64. */
const RECORD_BYTES_MAX = 14 << 20;

/**
 * The size in bytes above which the batch is full. Updates that arrive while the frames of the last
 * turn are rendered wait in the batch.
 */
const BATCH_BYTES_MAX = 16 << 20;

const FORM = { base64: 1, 'base64+zstd': 2, closed: 3, bytes: 4 } as const;
const GATE_ARRIVAL = 0;

/**
 * A buffer of account records.
 *
 * It copies account texts without decoding them. The core decodes them and reports errors by
 * account.
 */
export class RecordBatch {
  #buffer = Buffer.alloc(BATCH_BYTES_START);
  #length = 0;

  /** The number of bytes written. */
  get length(): number {
    return this.#length;
  }

  /**
   * Whether the turn should end now. A full batch still accepts accounts; it only should not take
   * much memory.
   */
  get isFull(): boolean {
    return this.#length > BATCH_BYTES_MAX;
  }

  /** The buffer; its first `length` bytes are the batch. */
  get buffer(): Uint8Array {
    return this.#buffer;
  }

  /** Appends an account. Throws an {@link EngineError} when no record can be made of it. */
  addAccount(account: RawAccount): void {
    this.#writeRecord(
      FORM[account.encoding],
      account.pubkey,
      account.owner,
      account.data,
      account.slot,
    );
  }

  /** Appends that an account is gone. */
  addClosed(pubkey: string, slot: number): void {
    this.#writeRecord(FORM.closed, pubkey, '', '', slot);
  }

  clear(): void {
    this.#length = 0;
    if (this.#buffer.length > BATCH_BYTES_MAX) this.#buffer = Buffer.alloc(BATCH_BYTES_START);
  }

  #writeRecord(form: number, pubkey: string, owner: string, data: string, slot: number): void {
    if (pubkey.length > KEY_TEXT_BYTES_MAX || owner.length > KEY_TEXT_BYTES_MAX) {
      throw new EngineError('INVALID_RECORD', 'a key must be at most 44 characters of base58', {
        pubkey: pubkey.slice(0, KEY_TEXT_BYTES_MAX),
        owner: owner.slice(0, KEY_TEXT_BYTES_MAX),
      });
    }
    if (!Number.isSafeInteger(slot) || slot < 0) {
      throw new EngineError('INVALID_RECORD', `slot was ${slot}, must be a whole number`, {
        pubkey,
      });
    }
    const bytes = HEAD_BYTES + pubkey.length + owner.length + data.length;
    if (bytes > RECORD_BYTES_MAX) {
      const message = `record was ${bytes} bytes, must be at most ${RECORD_BYTES_MAX}`;
      throw new EngineError('RECORD_BYTES_EXCEEDED', message, { pubkey, bytes });
    }
    this.#makeRoom(bytes);
    const start = this.#length;
    const buffer = this.#buffer;
    buffer.writeUInt32LE(bytes - 4, start);
    buffer[start + 4] = form;
    buffer[start + 5] = GATE_ARRIVAL;
    buffer[start + 6] = pubkey.length;
    buffer[start + 7] = owner.length;
    buffer.writeUInt32LE(slot % 2 ** 32, start + 8);
    buffer.writeUInt32LE(Math.floor(slot / 2 ** 32), start + 12);
    // Latin-1 writes one byte for each character, so text that is not ASCII cannot make the lengths
    // wrong.
    let at = start + HEAD_BYTES;
    at += buffer.write(pubkey, at, 'latin1');
    at += buffer.write(owner, at, 'latin1');
    at += buffer.write(data, at, 'latin1');
    this.#length = at;
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.alloc(2 * needed);
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

/** The maximum number of markets in a turn's report, which is the core's limit of markets. */
const MARKETS_MAX = 4096;

/** Words of the report before the market ids; the order is that of `Core.endTurn`. */
const HEAD_WORDS = 9;

/** Flag of a market id: only quotes changed. */
const QUOTES_ONLY = 2 ** 31;

/** Flag of a market id, set in addition: only indicative quotes changed. */
const INDICATIVE_ONLY = 2 ** 30;

/** The parts of a turn that are not in the report's words. */
interface ReportedTurn {
  /** The number of words that the core wrote. */
  readonly words: number;
  readonly problemCount: number;
  readonly problems: readonly AccountProblem[];
  /** The epoch and state of the book. */
  readonly stamp: string;
}

/** The core's report on a turn or a snapshot. The core writes its words into {@link TurnReport.bytes}. */
export class TurnReport {
  readonly bytes: Buffer;
  readonly #words = new Uint32Array(HEAD_WORDS + MARKETS_MAX);
  #marketSet = 0;
  /** The stamp of the last turn. */
  #stamp = '';

  constructor() {
    this.bytes = Buffer.from(this.#words.buffer);
  }

  get length(): number {
    return this.#words.length;
  }

  /** The version of the set of markets at the last turn; it changes when a market is added or changed. */
  get marketSet(): number {
    return this.#marketSet;
  }

  /** The number of problems in the turn. */
  get problemCount(): number {
    return this.wordAt(6);
  }

  wordAt(index: number): number {
    return this.#words[index] ?? 0;
  }

  /** Reads the report of a journal turn, which contains its own number of markets. */
  readCountedTurn(stamp: string): EngineTurn {
    const words = HEAD_WORDS + this.wordAt(8);
    return this.readTurn({ words, stamp, problemCount: 0, problems: [] });
  }

  /**
   * Reads the turn from the report's words. It is one object literal because a spread costs more
   * than all the other fields.
   */
  readTurn({ words, problemCount, problems, stamp }: ReportedTurn): EngineTurn {
    const allChanged = stamp !== this.#stamp;
    this.#stamp = stamp;
    const marketsChanged = this.wordAt(7) !== this.#marketSet;
    this.#marketSet = this.wordAt(7);
    const dirty: number[] = [];
    const requoted: number[] = [];
    const indicated: number[] = [];
    for (let at = HEAD_WORDS; at < words; at += 1) {
      const word = this.wordAt(at);
      if (word < QUOTES_ONLY) dirty.push(word);
      else if (word < QUOTES_ONLY + INDICATIVE_ONLY) requoted.push(word - QUOTES_ONLY);
      else indicated.push(word - QUOTES_ONLY - INDICATIVE_ONLY);
    }
    return {
      dirty,
      requoted,
      indicated,
      allChanged,
      applied: this.wordAt(5),
      changed: this.wordAt(0),
      unchanged: this.wordAt(1),
      stale: this.wordAt(2),
      ignored: this.wordAt(3),
      closed: this.wordAt(4),
      problemCount,
      problems,
      marketsChanged,
    };
  }
}
