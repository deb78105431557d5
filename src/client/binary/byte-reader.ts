/** Reads the numbers and texts of an untrusted frame. */

/** Maximum bytes of a frame's text, from docs/binary.md. */
const TEXT_BYTES_MAX = 512;

/** The maximum bits for which bitwise operators give an exact number. */
const SMALL_BITS_MAX = 28;
const EXACT_BITS_MAX = 53;

/** The bits of the largest size, and of an amount with its sign. */
const WIDE_BITS_MAX = 128;

/** Bits of the largest price. */
export const LONG_BITS_MAX = 64;

const ADDRESS_BYTES = 32;

/** A number when a double represents it exactly, otherwise a bigint. */
export type Amount = number | bigint;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads the bytes of one frame. Its errors describe what is malformed. */
export class ByteReader {
  readonly bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  readByte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw new RangeError('the frame ends too early');
    this.at += 1;
    return byte;
  }

  readU32(): number {
    const a = this.readByte();
    const b = this.readByte();
    const c = this.readByte();
    const d = this.readByte();
    return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
  }

  /**
   * Reads a number that a double represents exactly; only {@link ByteReader.readWide} reads larger
   * numbers.
   */
  readVarint(): number {
    let byte = this.readByte();
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let bits = 7;
    let unit = 2 ** SMALL_BITS_MAX;
    do {
      byte = this.readByte();
      if (bits < SMALL_BITS_MAX) value |= (byte & 0x7f) << bits;
      else {
        value += (byte & 0x7f) * unit;
        unit *= 0x80;
      }
      bits += 7;
    } while (byte >= 0x80 && bits < EXACT_BITS_MAX);
    if (byte >= 0x80 || byte === 0 || !Number.isSafeInteger(value)) throw tooLarge();
    return value;
  }

  /** Reads a number of up to 128 bits. */
  readWide(): Amount {
    return this.#isShort() ? this.readVarint() : this.#readBytewise();
  }

  /** Reads a number of up to 64 bits. */
  readLong(): Amount {
    const value = this.readWide();
    if (typeof value === 'bigint' && value >> BigInt(LONG_BITS_MAX) > 0n) throw tooLarge();
    return value;
  }

  readText(): string {
    const length = this.readVarint();
    if (length > TEXT_BYTES_MAX) throw tooLarge();
    return this.#readUtf8(length);
  }

  /** Reads the rest of the bytes as a JSON object. */
  readObject(): Record<string, unknown> {
    const value = parseJson(this.#readUtf8(this.bytes.length - this.at));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
    throw new RangeError('the rest of a body is not a JSON object');
  }

  /** The 32 bytes of an address. */
  readAddress(): Uint8Array {
    return this.#take(ADDRESS_BYTES);
  }

  #readUtf8(length: number): string {
    try {
      return utf8.decode(this.#take(length));
    } catch (error) {
      throw error instanceof RangeError ? error : new RangeError('a text is not UTF-8');
    }
  }

  #take(length: number): Uint8Array {
    const end = this.at + length;
    if (end > this.bytes.length) throw new RangeError('the frame ends too early');
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  #readBytewise(): bigint {
    let value = 0n;
    for (let bits = 0; bits < WIDE_BITS_MAX; bits += 7) {
      const byte = this.readByte();
      value |= BigInt(byte & 0x7f) << BigInt(bits);
      if (byte >= 0x80) continue;
      if ((byte === 0 && bits > 0) || value >> BigInt(WIDE_BITS_MAX) > 0n) break;
      return value;
    }
    throw tooLarge();
  }

  /** Returns whether the number at the position has at most seven bytes, and so fits a double. */
  #isShort(): boolean {
    for (let index = 0; index < 7; index += 1) {
      if ((this.bytes[this.at + index] ?? 0) < 0x80) return true;
    }
    return false;
  }
}

/** Parses a JSON text. Throws RangeError, like all readers. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RangeError('a text is not JSON');
  }
}

/** Decodes zigzag: 0, 1, 2, 3 to 0, -1, 1, -2. */
export function unzigzag(value: number): number {
  const half = Math.floor(value / 2);
  return value % 2 === 0 ? half : -half - 1;
}

/** Returns the error for a value beyond its limit. */
export function tooLarge(): RangeError {
  return new RangeError('a number, a text or a list of the frame is too large');
}
