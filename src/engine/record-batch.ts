import type { RawAccount } from '../contract/accounts.js';
import { EngineError } from './errors.js';

/** Bytes of the length, form, gate, key length, owner length and slot of a record. */
const HEAD_BYTES = 16;

/** Base58 of 32 bytes is at most this long; longer text is not a key. */
const KEY_TEXT_BYTES_MAX = 44;

/** The first size of the buffer: some hundred accounts of base64. */
const BATCH_BYTES_START = 1 << 20;

/** The largest record: an account of 10 MiB, which Solana allows at most, as base64. */
export const RECORD_BYTES_MAX = 14 << 20;

/**
 * The buffer never grows beyond this: what arrives while the frames of the last turn are made waits in it.
 * When it is full these are made at once, and the turn ends early.
 */
export const BATCH_BYTES_MAX = 16 << 20;

const FORM = { base64: 1, 'base64+zstd': 2, closed: 3, bytes: 4 } as const;
const GATE_ARRIVAL = 0;

/**
 * Writes account texts one behind the other into one buffer, without decoding them.
 *
 * It does not read the texts: the core finds, counts and reports what is wrong with them, account by
 * account.
 */
export class RecordBatch {
  #buffer = Buffer.alloc(BATCH_BYTES_START);
  #length = 0;

  /** Bytes written. */
  get length(): number {
    return this.#length;
  }

  /** The buffer; its first `length` bytes are the batch. */
  get buffer(): Uint8Array {
    return this.#buffer;
  }

  /**
   * Appends an account. Returns false, and writes nothing, when the batch has to be applied first.
   * Throws an {@link EngineError} when no record can be made of it.
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

  /** Appends that an account is gone. Returns false when the batch has to be applied first. */
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
    // Latin-1 is one byte a character, so a text that is not ASCII cannot break the lengths.
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
