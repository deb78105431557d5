/** Encodes the numbers, texts and keys of docs/binary.md. */

/** Maximum distance of a back-reference to a key. */
const KEYS_NAMED_MAX = 64;

/** The bytes of one message. */
export class ByteWriter {
  readonly #bytes: number[] = [];
  /** As text, the newest last. */
  readonly #keys: string[] = [];

  writeByte(byte: number): void {
    this.#bytes.push(byte);
  }

  /** Seven bits a byte, the lowest first; the highest bit marks a continuation. */
  writeVarint(value: number | bigint): void {
    let rest = BigInt(value);
    while (rest > 0x7fn) {
      this.#bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.#bytes.push(Number(rest));
  }

  /** Zigzag encoding. */
  writeSigned(value: number | bigint): void {
    const wide = BigInt(value);
    this.writeVarint(wide < 0n ? -wide * 2n - 1n : wide * 2n);
  }

  writeText(text: string): void {
    const bytes = Buffer.from(text);
    this.writeVarint(bytes.length);
    this.writeRaw(bytes);
  }

  writeRaw(bytes: Uint8Array): void {
    for (const byte of bytes) this.#bytes.push(byte);
  }

  /** Writes a key in full, or as a back-reference. */
  writeKey(key: Uint8Array): void {
    const text = Buffer.from(key).toString('latin1');
    const ago = this.#keys.length - this.#keys.lastIndexOf(text);
    if (ago <= Math.min(KEYS_NAMED_MAX, this.#keys.length)) {
      this.writeVarint(ago);
      return;
    }
    this.#keys.push(text);
    this.writeByte(0);
    this.writeRaw(key);
  }

  /** The written bytes, in a separate buffer. */
  get bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}
