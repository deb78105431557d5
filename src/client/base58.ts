/** Addresses of 32 bytes and their base58 text. */
import { ClientError } from './error.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ADDRESS_BYTES = 32;
/** 32 bytes of 255 take 44 characters, 32 bytes of 0 take 32. */
const ADDRESS_CHARS_MAX = 44;
const ADDRESS_CHARS_MIN = 32;

/**
 * Digits are made five at a time: 58^5 times 2^16 is still an exact number, and a division of the
 * whole by 58^5 costs no more than one by 58.
 */
const CHUNK_DIGITS = 5;
const CHUNK = 58 ** CHUNK_DIGITS;
const LIMBS = ADDRESS_BYTES / 2;
const LIMB = 65_536;
const CHUNKS = Math.ceil(ADDRESS_CHARS_MAX / CHUNK_DIGITS);

/** The address at a place of bytes as base58. The place must hold 32 bytes. */
export function addressAt(bytes: Uint8Array, at: number): string {
  return addressInView(viewOf(bytes), at);
}

/** The address at a place of a view as base58. The place must hold 32 bytes. */
export function addressInView(view: DataView, at: number): string {
  let limbs: number[] = [];
  for (let index = 0; index < LIMBS; index += 1) limbs.push(view.getUint16(at + 2 * index));
  let text = '';
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
    const [quotient, remainder] = divided(limbs);
    text = digitsOf(remainder) + text;
    limbs = quotient;
  }
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

/** Big-endian limbs divided by the chunk: what is left of them, and the remainder. */
function divided(limbs: readonly number[]): [number[], number] {
  const quotient: number[] = [];
  let remainder = 0;
  for (const limb of limbs) {
    const value = remainder * LIMB + limb;
    const whole = Math.floor(value / CHUNK);
    remainder = value - whole * CHUNK;
    if (quotient.length > 0 || whole > 0) quotient.push(whole);
  }
  return [quotient, remainder];
}

function digitsOf(chunk: number): string {
  let text = '';
  let left = chunk;
  for (let digit = 0; digit < CHUNK_DIGITS; digit += 1) {
    text = ALPHABET.charAt(left % 58) + text;
    left = Math.floor(left / 58);
  }
  return text;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function zerosAt(view: DataView, at: number): number {
  let zeros = 0;
  while (zeros < ADDRESS_BYTES && view.getUint8(at + zeros) === 0) zeros += 1;
  return zeros;
}
