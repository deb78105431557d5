/**
 * Caches the base58 texts of addresses: encoding an address costs more than decoding the rest of an
 * order, and the makers of a topic repeat.
 */
import { addressAt } from '../base58-text.js';

/** Maximum number of cached addresses, about 100 bytes each. */
const ADDRESSES_MAX = 4_096;

interface KnownAddress {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** The texts of the last addresses. */
export class AddressTexts {
  /**
   * The cached addresses by their first four bytes; a newer address replaces an older one with the
   * same bytes.
   */
  readonly #known = new Map<number, KnownAddress>();

  /** The base58 text of 32 bytes. */
  textOf(bytes: Uint8Array): string {
    const key = firstWord(bytes);
    const known = this.#known.get(key);
    if (known !== undefined && isSame(known.bytes, bytes)) return known.text;
    if (this.#known.size >= ADDRESSES_MAX) this.#known.clear();
    const text = addressAt(bytes, 0);
    this.#known.set(key, { bytes: bytes.slice(), text });
    return text;
  }
}

/** The bytes are read by index, because destructuring a byte list would dominate the cost. */
function firstWord(bytes: Uint8Array): number {
  return (
    ((bytes[0] ?? 0) << 24) | ((bytes[1] ?? 0) << 16) | ((bytes[2] ?? 0) << 8) | (bytes[3] ?? 0)
  );
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}
