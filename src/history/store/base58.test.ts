import { PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBase58, encodeBase58 } from './base58.js';

describe('base58', () => {
  test('writes keys as web3.js writes them, and reads them back', () => {
    const keys = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(keys, fc.nat(32), (key, zeros) => {
        key.fill(0, 0, zeros);
        const text = encodeBase58(key);
        expect(text).toBe(new PublicKey(key).toBase58());
        expect(decodeBase58(text, 32)).toEqual(key);
      }),
    );
  });

  test('reads back what it wrote of any length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(decodeBase58(encodeBase58(bytes), bytes.length)).toEqual(bytes);
      }),
    );
  });

  test('refuses what is not of the length asked for, or no base58', () => {
    const text = encodeBase58(new Uint8Array(64).fill(255));
    expect(decodeBase58(text, 64)).toHaveLength(64);
    expect(decodeBase58(text, 63)).toBeNull();
    expect(decodeBase58(text, 65)).toBeNull();
    expect(decodeBase58(`1${text}`, 64)).toBeNull();
    expect(decodeBase58(`${text.slice(0, -1)}0`, 64)).toBeNull();
    expect(decodeBase58(`${text.slice(0, -1)}é`, 64)).toBeNull();
    expect(decodeBase58('z'.repeat(10_000), 64)).toBeNull();
  });
});
