/** Addresses of 32 bytes and their base58 text. */
import { ClientError } from './error.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ADDRESS_BYTES = 32;
/** 32 bytes of 255 take 44 characters, 32 bytes of 0 take 32. */
const ADDRESS_CHARS_MAX = 44;
const ADDRESS_CHARS_MIN = 32;

/**
 * Digits are made three at a time: 58^3 times 2^32 is still an exact number, and a division of the
 * whole by 58^3 costs no more than one by 58.
 */
const CHUNK_DIGITS = 3;
const CHUNK = 58 ** CHUNK_DIGITS;
const LIMBS = ADDRESS_BYTES / 4;
const LIMB = 2 ** 32;
const CHUNKS = Math.ceil(ADDRESS_CHARS_MAX / CHUNK_DIGITS);

/** The address at a place of bytes as base58. The place must hold 32 bytes. */
export function addressAt(bytes: Uint8Array, at: number): string {
  return addressInView(viewOf(bytes), at);
}

/** The address at a place of a view as base58. The place must hold 32 bytes. */
export function addressInView(view: DataView, at: number): string {
  const limbs: number[] = [];
  for (let index = 0; index < LIMBS; index += 1) limbs.push(view.getUint32(at + 4 * index));
  let text = '';
  for (let chunk = 0, first = 0; chunk < CHUNKS; chunk += 1) {
    // What the division has made 0 in front needs no dividing any more.
    while (first < LIMBS && limbs[first] === 0) first += 1;
    text = digitsOf(divideInPlace(limbs, first)) + text;
  }
  // Zeros in front of the number are written by the byte, not by the digit.
  return '1'.repeat(zerosAt(view, at)) + text.replace(/^1+/, '');
}

/** An address as base58. Throws INVALID_KEY when it has not 32 bytes. */
export function encodeAddress(bytes: Uint8Array): string {
  if (bytes.length === ADDRESS_BYTES) return addressAt(bytes, 0);
  const message = `address had ${bytes.length} bytes, must have ${ADDRESS_BYTES}`;
  throw new ClientError('INVALID_KEY', message);
}

/** The 32 bytes of an address. Throws INVALID_KEY when the text is none. */
export function decodeAddress(text: string): Uint8Array {
  const bytes = bytesOfAddress(text);
  if (bytes !== null) return bytes;
  const shown = JSON.stringify(text.slice(0, ADDRESS_CHARS_MAX));
  throw new ClientError('INVALID_KEY', `address was ${shown}, must be 32 bytes as base58`);
}

/** Whether a text is an address: 32 bytes as base58 writes them. */
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
  const zeros = zerosAt(viewOf(bytes), 0);
  const hasZeros = text.startsWith('1'.repeat(zeros)) && text[zeros] !== '1';
  return hasZeros ? bytes : null;
}

/** Big-endian bytes times 58 plus a digit, in place; false when they overflow. */
function multiplyAdd(bytes: Uint8Array, digit: number): boolean {
  let carry = digit;
  for (let index = ADDRESS_BYTES - 1; index >= 0; index -= 1) {
    carry += (bytes[index] ?? 0) * 58;
    bytes[index] = carry & 0xff;
    carry >>= 8;
  }
  return carry === 0;
}

/** Divides big-endian limbs by the chunk, from the first that is not 0: answers the remainder. */
function divideInPlace(limbs: number[], first: number): number {
  let remainder = 0;
  for (let index = first; index < LIMBS; index += 1) {
    const value = remainder * LIMB + (limbs[index] ?? 0);
    const quotient = Math.floor(value / CHUNK);
    limbs[index] = quotient;
    remainder = value - quotient * CHUNK;
  }
  return remainder;
}

function digitsOf(chunk: number): string {
  const last = chunk % 58;
  const rest = Math.floor(chunk / 58);
  return String.fromCharCode(
    ALPHABET.charCodeAt(Math.floor(rest / 58)),
    ALPHABET.charCodeAt(rest % 58),
    ALPHABET.charCodeAt(last),
  );
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function zerosAt(view: DataView, at: number): number {
  let zeros = 0;
  while (zeros < ADDRESS_BYTES && view.getUint8(at + zeros) === 0) zeros += 1;
  return zeros;
}
