/** Base58 of keys and signatures, with bounds. */
import { base58 } from '@scure/base';

/** The longest that is read; signatures have 64 bytes. Decoding takes time by its square. */
const bytesMax = 96;
/** Characters that so many bytes can have: log 256 / log 58 = 1.37 each. */
const charsMax = Math.ceil(bytesMax * 1.37);

/** The text of some bytes, at most 96; each leading zero byte is a leading `1`. */
export function encodeBase58(bytes: Uint8Array): string {
  if (bytes.length > bytesMax) throw new RangeError(`base58 of ${bytes.length} bytes`);
  return base58.encode(bytes);
}

/** The bytes of a text, or null when it is no base58 of exactly `length` bytes. */
export function decodeBase58(text: string, length: number): Uint8Array | null {
  if (text.length > charsMax) return null;
  try {
    const bytes = base58.decode(text);
    return bytes.length === length ? bytes : null;
  } catch {
    return null;
  }
}
