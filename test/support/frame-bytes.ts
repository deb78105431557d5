/** Bytes of frames, made by hand. */

/** A number is a byte, a text its length and its bytes. */
export type Part = number | string | readonly number[];

export function bytesOf(...parts: readonly Part[]): Buffer {
  const all = parts.map((part) => {
    if (typeof part === 'number') return Buffer.of(part);
    if (typeof part === 'string') return Buffer.of(part.length, ...Buffer.from(part));
    return Buffer.from(part);
  });
  return Buffer.concat(all);
}

export const varint = (value: bigint): readonly number[] =>
  value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)];

/** 0, -1, 1, -2 and so on as 0, 1, 2, 3. */
export const signed = (value: bigint): readonly number[] =>
  varint(value < 0n ? -value * 2n - 1n : value * 2n);
