import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compress, decompress } from './codec.js';
import { codeOf } from './testing.js';

const MAX = 1 << 20;

describe('codec: zstd', () => {
  test('whatever was compressed comes back', () => {
    const sizes = fc.uint8Array({ maxLength: 5_000 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 40 }), (piece, times) => {
        const bytes = Buffer.concat(Array.from({ length: times }, () => piece));
        const packed = compress(bytes);
        expect(Buffer.compare(decompress(packed, bytes.length), bytes)).toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  test('what repeats becomes small, and the frame is the one that zstd knows', () => {
    const packed = compress(Buffer.alloc(100_000, 'book'));
    expect(packed.length).toBeLessThan(200);
    expect(Buffer.from(packed.subarray(0, 4)).toString('hex')).toBe('28b52ffd');
  });

  test('a frame that holds more than allowed is refused before it is unpacked', () => {
    const bomb = compress(Buffer.alloc(MAX + 1));
    expect(bomb.length).toBeLessThan(1_000);
    expect(codeOf(() => decompress(bomb, MAX))).toBe('DECODED_BYTES_EXCEEDED');
    expect(decompress(bomb, MAX + 1).length).toBe(MAX + 1);
    const two = Buffer.concat([bomb, bomb]);
    expect(codeOf(() => decompress(two, MAX + 1))).toBe('DECODED_BYTES_EXCEEDED');
  });

  test('more than the largest batch is refused', () => {
    expect(codeOf(() => compress(new Uint8Array((64 << 20) + 1)))).toBe('RECORD_BYTES_EXCEEDED');
  });

  test('a cut or foreign frame is refused with its code', () => {
    const packed = compress(Buffer.from('a book that never lies '.repeat(40)));
    for (let length = 0; length < packed.length; length += 1) {
      expect(codeOf(() => decompress(packed.subarray(0, length), MAX))).toBe('INVALID_ZSTD');
    }
    expect(codeOf(() => decompress(Buffer.from('no frame at all'), MAX))).toBe('INVALID_ZSTD');
  });

  test('changed bytes never crash it, and never give more than allowed', () => {
    const packed = compress(Buffer.from('bids descend, asks ascend; '.repeat(60)));
    fc.assert(
      fc.property(fc.nat(packed.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(packed);
        changed[at] = byte;
        try {
          expect(decompress(changed, MAX).length).toBeLessThanOrEqual(MAX);
        } catch (error) {
          expect(error).toHaveProperty('code', expect.stringMatching(/INVALID_ZSTD|EXCEEDED/));
        }
      }),
      { numRuns: 500 },
    );
  });
});
