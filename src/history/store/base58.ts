/** Base58 of keys and signatures, with limits. */
import { base58 } from '@scure/base';

/** Maximum decoded bytes; signatures have 64. Decoding takes quadratic time. */
const bytesMax = 96;
/** Maximum characters for these bytes: log 256 / log 58 = 1.37 each. */
const charsMax = Math.ceil(bytesMax * 1.37);

/** Encodes at most 96 bytes; each leading zero byte becomes a leading `1`. */
export function encodeBase58(bytes: Uint8Array): string {
  if (bytes.length > bytesMax) throw new RangeError(`base58 of ${bytes.length} bytes`);
  return base58.encode(bytes);
}

/** Decodes a text, or returns null unless it is base58 of exactly `length` bytes. */
export function decodeBase58(text: string, length: number): Uint8Array | null {
  if (text.length > charsMax) return null;
  try {
    const bytes = base58.decode(text);
    return bytes.length === length ? bytes : null;
  } catch {
    return null;
  }
}
