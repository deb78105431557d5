import type { RawAccount } from '../contract/accounts.js';
import { EngineError } from './errors.js';

/** Bytes of a record's header: length, form, gate, key length, owner length and slot. */
const HEAD_BYTES = 16;

/** The maximum length of 32 bytes in base58; longer text is not a key. */
const KEY_TEXT_BYTES_MAX = 44;

/** The first size of the buffer: a few hundred accounts in base64. */
const BATCH_BYTES_START = 1 << 20;

/** The maximum size of a record: an account of 10 MiB, the maximum of Solana, in base64. */
export const RECORD_BYTES_MAX = 14 << 20;

/**
 * The maximum size of the buffer. Updates wait in it while the frames of the last turn are
 * rendered. When the buffer is full, the frames are rendered immediately and the turn ends early.
 */
export const BATCH_BYTES_MAX = 16 << 20;

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

  /** The buffer, of which the first `length` bytes are records. */
  get buffer(): Uint8Array {
    return this.#buffer;
  }

  /**
   * Appends an account. Returns false without writing when the batch must be applied first. Throws
   * an {@link EngineError} for an account that cannot be encoded.
   */
  addAccount(account: RawAccount): boolean {
    return this.#writeRecord(
      FORM[account.encoding],
      account.pubkey,
      account.owner,
      account.data,
      account.slot,
    );
  }

  /** Appends the closing of an account. Returns false when the batch must be applied first. */
  addClosed(pubkey: string, slot: number): boolean {
    return this.#writeRecord(FORM.closed, pubkey, '', '', slot);
  }

  clear(): void {
    this.#length = 0;
  }

  #writeRecord(form: number, pubkey: string, owner: string, data: string, slot: number): boolean {
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
    if (!this.#makeRoom(bytes)) return false;
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
    return true;
  }

  #makeRoom(bytes: number): boolean {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return true;
    if (needed > BATCH_BYTES_MAX) return false;
    const grown = Buffer.alloc(Math.min(BATCH_BYTES_MAX, 2 * needed));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
    return true;
  }
}
