/** Encodes addresses (32 bytes) and signatures (64 bytes) as base58. */

export const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** The character code of the digit 0. */
const ZERO_CODE = 49;
const ADDRESS_BYTES = 32;

/**
 * Digits are computed in groups of five, because 32 sums of a limb times a chunk are then still
 * exact doubles.
 */
const CHUNK_DIGITS = 5;
const CHUNK = 58 ** CHUNK_DIGITS;
const LIMB_BITS = 16;
/** A limb has 2.731 digits. */
const CHUNKS_PER_LIMB = 0.56;
/** The number of lowest limbs that contribute nothing to a chunk, for each lower chunk. */
const LIMBS_PER_CHUNK = 1.83;

/**
 * The weights of each limb in each chunk, lowest chunk first, by the number of limbs; computed on
 * demand.
 */
const weights: Float64Array[] = [];

function limbWeights(limbs: number): Float64Array {
  const found: number[] = [];
  for (let limb = limbs - 1; limb >= 0; limb -= 1) {
    let value = 1n << BigInt(limb * LIMB_BITS);
    for (let chunk = 0; chunk < limbs * CHUNKS_PER_LIMB; chunk += 1) {
      found.push(Number(value % BigInt(CHUNK)));
      value /= BigInt(CHUNK);
    }
  }
  return Float64Array.from(found);
}

/** Encodes the 32 bytes at an offset as a base58 address. */
export function addressAt(bytes: Uint8Array, at: number): string {
  return addressInView(viewOf(bytes), at);
}

/** Encodes the 32 bytes at an offset of a view as a base58 address. */
export function addressInView(view: DataView, at: number): string {
  return textInView(view, at, ADDRESS_BYTES);
}

function textInView(view: DataView, at: number, length: number): string {
  const limbs: number[] = [];
  for (let place = 0; place < length; place += 2) limbs.push(view.getUint16(at + place));
  const codes = codesOf(limbs);
  let place = 0;
  while (codes[place] === ZERO_CODE) place += 1;
  // Leading zeros are written for each zero byte, not for each zero digit.
  const zeros = '1'.repeat(zerosAt(view, at, length));
  return zeros + String.fromCharCode.apply(null, codes).slice(place);
}

/** Returns the character codes of a number of the given limbs, with leading zeros. */
function codesOf(limbs: readonly number[]): number[] {
  weights[limbs.length] ??= limbWeights(limbs.length);
  const own = weights[limbs.length] as Float64Array;
  const chunks = own.length / limbs.length;
  const codes = new Array<number>(chunks * CHUNK_DIGITS).fill(0);
  let place = codes.length;
  let carry = 0;
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    let sum = carry;
    const end = limbs.length - Math.floor(chunk * LIMBS_PER_CHUNK);
    for (let limb = 0; limb < end; limb += 1) {
      sum += (limbs[limb] ?? 0) * (own[limb * chunks + chunk] ?? 0);
    }
    carry = Math.floor(sum / CHUNK);
    let left = (sum - carry * CHUNK) | 0;
    for (let digit = 0; digit < CHUNK_DIGITS; digit += 1) {
      place -= 1;
      const next = (left / 58) | 0;
      codes[place] = ALPHABET.charCodeAt(left - next * 58);
      left = next;
    }
  }
  return codes;
}

/** Returns a view of the bytes, at any offset of their buffer. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns how many zero bytes follow each other from `at` on, at most `length`. */
export function zerosAt(view: DataView, at: number, length: number): number {
  let zeros = 0;
  while (zeros < length && view.getUint8(at + zeros) === 0) zeros += 1;
  return zeros;
}
