/** Conversion between 32-byte addresses and their base58 texts, with validation. */
import { ALPHABET, addressAt, viewOf, zerosAt } from './base58-text.js';
import { ClientError } from './error.js';

const ADDRESS_BYTES = 32;
/** 32 bytes of 255 have 44 characters; 32 bytes of 0 have 32. */
const ADDRESS_CHARS_MAX = 44;
const ADDRESS_CHARS_MIN = 32;

/**
 * Encodes an address as base58. Throws INVALID_KEY unless it has 32 bytes.
 *
 * @example
 * encodeAddress(new Uint8Array(32)); // '11111111111111111111111111111111'
 */
export function encodeAddress(bytes: Uint8Array): string {
  if (bytes.length === ADDRESS_BYTES) return addressAt(bytes, 0);
  const message = `address had ${bytes.length} bytes, must have ${ADDRESS_BYTES}`;
  throw new ClientError('INVALID_KEY', message);
}

/**
 * Decodes an address to 32 bytes. Throws INVALID_KEY for an invalid text.
 *
 * @example
 * const bytes = decodeAddress('11111111111111111111111111111111'); // 32 zeros
 */
export function decodeAddress(text: string): Uint8Array {
  const bytes = bytesOfAddress(text);
  if (bytes !== null) return bytes;
  const shown = JSON.stringify(text.slice(0, ADDRESS_CHARS_MAX));
  throw new ClientError('INVALID_KEY', `address was ${shown}, must be 32 bytes as base58`);
}

/**
 * Returns whether a text is an address: 32 bytes in base58.
 *
 * @example
 * isAddress('SOL-PERP'); // false
 */
export function isAddress(text: string): boolean {
  return bytesOfAddress(text) !== null;
}

function bytesOfAddress(text: string): Uint8Array | null {
  if (text.length < ADDRESS_CHARS_MIN || text.length > ADDRESS_CHARS_MAX) return null;
  const bytes = new Uint8Array(ADDRESS_BYTES);
  for (let place = 0; place < text.length; place += 1) {
    const value = ALPHABET.indexOf(text.charAt(place));
    if (value < 0 || !multiplyAdd(bytes, value)) return null;
  }
  const zeros = zerosAt(viewOf(bytes), 0, ADDRESS_BYTES);
  const hasZeros = text.startsWith('1'.repeat(zeros)) && text[zeros] !== '1';
  return hasZeros ? bytes : null;
}

/** Multiplies big-endian bytes by 58 and adds a digit, in place; returns false on overflow. */
function multiplyAdd(bytes: Uint8Array, digit: number): boolean {
  let carry = digit;
  for (let index = ADDRESS_BYTES - 1; index >= 0; index -= 1) {
    carry += (bytes[index] ?? 0) * 58;
    bytes[index] = carry & 0xff;
    carry >>= 8;
  }
  return carry === 0;
}
