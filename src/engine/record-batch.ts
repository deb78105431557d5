import type { RawAccount } from '../contract/accounts.js';
import { EngineError } from './errors.js';

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
