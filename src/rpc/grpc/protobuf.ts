/**
 * The subset of the Protocol Buffers wire format that Yellowstone's messages use. Source:
 * protobuf.dev, "Encoding".
 */
import { RpcError } from '../error.js';

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
/** Maximum bytes of a 64-bit varint. */
const VARINT_BYTES_MAX = 10;

/** Reads a message field by field: `while (reader.nextField()) switch (reader.field)`. */
export class MessageReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;
  #wireType = VARINT;
  /** The number of the current field; the next call reads or skips its value. */
  field = 0;
  #taken = true;

  constructor(bytes: Buffer, from = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = end;
  }

  /** Advances to the next field; returns false at the end of the message. */
  nextField(): boolean {
    if (!this.#taken) this.#skip();
    if (this.#at >= this.#end) return false;
    const key = this.#varint();
    this.field = Math.floor(key / 8);
    this.#wireType = key % 8;
    this.#taken = false;
    return true;
  }

  /** Reads an unsigned or boolean value of at most 53 bits, which no slot or version exceeds. */
  readNumber(): number {
    this.#take(VARINT);
    const value = this.#varint();
    if (Number.isSafeInteger(value)) return value;
    throw malformedError('a number of more than 53 bits');
  }

  /** Reads the bytes of a field as a view. */
  readBytes(): Buffer {
    const [from, end] = this.#range();
    return this.#bytes.subarray(from, end);
  }

  /** Reads the bytes of a field as Latin-1 text, which is faster for short fields. */
  readLatin1(): string {
    const [from, end] = this.#range();
    return this.#bytes.toString('latin1', from, end);
  }

  readText(): string {
    const [from, end] = this.#range();
    return this.#bytes.toString('utf8', from, end);
  }

  readMessage(): MessageReader {
    const [from, end] = this.#range();
    return new MessageReader(this.#bytes, from, end);
  }

  #range(): readonly [number, number] {
    this.#take(BYTES);
    const length = this.#varint();
    const from = this.#at;
    this.#advance(length);
    return [from, this.#at];
  }

  #take(wireType: number): void {
    if (this.#wireType !== wireType) throw malformedError(`field ${this.field} of another type`);
    this.#taken = true;
  }

  #skip(): void {
    this.#taken = true;
    if (this.#wireType === VARINT) this.#varint();
    else if (this.#wireType === BYTES) this.#advance(this.#varint());
    else if (this.#wireType === FIXED64) this.#advance(8);
    else if (this.#wireType === FIXED32) this.#advance(4);
    else throw malformedError(`wire type ${this.#wireType}`);
  }

  #advance(bytes: number): void {
    if (bytes > this.#end - this.#at) throw malformedError('a field that reaches over its end');
    this.#at += bytes;
  }

  #varint(): number {
    let value = 0;
    let factor = 1;
    for (let count = 0; count < VARINT_BYTES_MAX; count += 1) {
      if (this.#at >= this.#end) throw malformedError('a number that is cut off');
      const byte = this.#bytes[this.#at] ?? 0;
      this.#at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    throw malformedError('a number of more than 64 bits');
  }
}

function malformedError(what: string): RpcError {
  return new RpcError('MALFORMED_STREAM_MESSAGE', `message had ${what}, must be a SubscribeUpdate`);
}

/** Writes a message field by field. */
export class MessageWriter {
  readonly #parts: Uint8Array[] = [];

  addNumber(field: number, value: number | boolean): this {
    this.#varint(field * 8 + VARINT);
    this.#varint(Number(value));
    return this;
  }

  addBytes(field: number, value: Uint8Array): this {
    this.#varint(field * 8 + BYTES);
    this.#varint(value.length);
    this.#parts.push(value);
    return this;
  }

  addText(field: number, value: string): this {
    return this.addBytes(field, Buffer.from(value));
  }

  addMessage(field: number, value: MessageWriter): this {
    return this.addBytes(field, value.finishMessage());
  }

  finishMessage(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #varint(value: number): void {
    const bytes: number[] = [];
    let left = value;
    while (left >= 128) {
      bytes.push((left % 128) + 128);
      left = Math.floor(left / 128);
    }
    bytes.push(left);
    this.#parts.push(Uint8Array.from(bytes));
  }
}
