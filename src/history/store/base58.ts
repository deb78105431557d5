/**
 * Base58 for keys and signatures, both ways: 64 bytes take about a microsecond, which counts when a
 * million transactions are stored. Digits are moved in fours and bytes in threes, so that every
 * intermediate product is an exact double: 58^4 * 2^24 < 2^53.
 */
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const digitsOfWord = 4;
const wordBase = 58 ** digitsOfWord;
const bytesOfLimb = 3;
const limbBase = 2 ** (8 * bytesOfLimb);

const digitValues = new Int8Array(128).fill(-1);
for (let value = 0; value < alphabet.length; value += 1)
  digitValues[alphabet.charCodeAt(value)] = value;

/** The text of some bytes; each leading zero byte is a leading `1`. */
export function encodeBase58(bytes: Uint8Array): string {
  const words: number[] = [];
  const head = bytes.length % bytesOfLimb;
  let taken = 0;
  while (taken < bytes.length) {
    const end = taken === 0 && head > 0 ? head : taken + bytesOfLimb;
    let carry = 0;
    const shift = 256 ** (end - taken);
    for (; taken < end; taken += 1) carry = carry * 256 + (bytes[taken] ?? 0);
    multiplyAdd(words, { factor: shift, addend: carry, base: wordBase });
  }
  return '1'.repeat(leadingZeros(bytes)) + textOf(words);
}

/** The bytes of a text, or null when it is no base58 of exactly `length` bytes. */
export function decodeBase58(text: string, length: number): Uint8Array | null {
  const limbs: number[] = [];
  for (let taken = 0; taken < text.length; ) {
    const end = Math.min(taken + digitsOfWord, text.length);
    const shift = 58 ** (end - taken);
    let carry = 0;
    for (; taken < end; taken += 1) {
      const value = digitValues[text.charCodeAt(taken)] ?? -1;
      if (value < 0) return null;
      carry = carry * 58 + value;
    }
    multiplyAdd(limbs, { factor: shift, addend: carry, base: limbBase });
    if (limbs.length * bytesOfLimb > length + bytesOfLimb) return null;
  }
  return bytesOf(limbs, text, length);
}

/** number = number * factor + addend, its digits to `base` from the least on. */
function multiplyAdd(
  digits: number[],
  step: { readonly factor: number; readonly addend: number; readonly base: number },
): void {
  let carry = step.addend;
  for (let at = 0; at < digits.length; at += 1) {
    const value = (digits[at] ?? 0) * step.factor + carry;
    carry = Math.floor(value / step.base);
    digits[at] = value - carry * step.base;
  }
  for (; carry > 0; carry = Math.floor(carry / step.base)) digits.push(carry % step.base);
}

function leadingZeros(bytes: Uint8Array): number {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1;
  return zeros;
}

function textOf(words: readonly number[]): string {
  let text = '';
  for (const word of words) {
    let rest = word;
    for (let digit = 0; digit < digitsOfWord; digit += 1) {
      text = alphabet.charAt(rest % 58) + text;
      rest = Math.floor(rest / 58);
    }
  }
  return text.replace(/^1+/, '');
}

function bytesOf(limbs: readonly number[], text: string, length: number): Uint8Array | null {
  const bytes = new Uint8Array(length);
  let at = length;
  for (const limb of limbs) {
    for (let rest = limb, byte = 0; byte < bytesOfLimb; byte += 1, rest = Math.floor(rest / 256)) {
      at -= 1;
      if (at >= 0) bytes[at] = rest % 256;
      else if (rest % 256 !== 0) return null;
    }
  }
  let ones = 0;
  while (text.charAt(ones) === '1') ones += 1;
  return leadingZeros(bytes) === ones ? bytes : null;
}
