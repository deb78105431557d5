/** Reads the fields of a borsh message in order. */
import { addressAt } from '../base58-text.js';
import { ClientError } from '../error.js';

/** A message and its reading position. Reading past the end throws MALFORMED_MESSAGE. */
export class BorshReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  i32(): number {
    return this.#view.getInt32(this.#advance(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true);
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#advance(8), true);
  }

  readBool(): boolean {
    return this.oneOf('boolean', [false, true]);
  }

  /** An address, as base58. */
  readAddress(): string {
    return addressAt(this.#bytes, this.#advance(32));
  }

  /** Reads a text of `length` bytes; invalid UTF-8 is replaced. */
  readText(length: number): string {
    const at = this.#advance(length);
    return new TextDecoder().decode(this.#bytes.subarray(at, at + length));
  }

  /** One of the values, by its number. */
  oneOf<Value>(what: string, values: readonly Value[]): Value {
    const number = this.u8();
    const value = values[number];
    if (value !== undefined) return value;
    const message = `${what} was ${number}, must be below ${values.length}`;
    throw new ClientError('MALFORMED_MESSAGE', message);
  }

  /** Reads an option, with `read` for its value; null for none. */
  readOption<Value>(read: () => Value): Value | null {
    return this.oneOf('option', [false, true]) ? read() : null;
  }

  /** Reads an option that older messages do not have; null when the message ends before it. */
  addedOption<Value>(read: () => Value): Value | null {
    return this.#at === this.#bytes.length ? null : this.readOption(read);
  }

  #advance(length: number): number {
    const at = this.#at;
    const missing = at + length - this.#bytes.length;
    if (missing > 0) {
      const message = `message ends ${missing} bytes before a field at ${at} is complete`;
      throw new ClientError('MALFORMED_MESSAGE', message, { bytes: this.#bytes.length });
    }
    this.#at = at + length;
    return at;
  }
}
