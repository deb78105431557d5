/** Market keys, account keys and addresses of the client library. */
import { PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  accountIdOfKey,
  accountKey,
  ClientError,
  decodeAddress,
  encodeAddress,
  isAddress,
  isSameMarket,
  marketIdOfKey,
  marketKey,
  perpMarket,
  spotMarket,
} from '../../src/client/index.js';

const indexes = fc.integer({ min: 0, max: 65_535 });
/** Zeros in front are what base58 is easily wrong about. */
const addresses = fc
  .tuple(fc.integer({ min: 0, max: 32 }), fc.uint8Array({ minLength: 32, maxLength: 32 }))
  .map(([zeros, bytes]) => bytes.fill(0, 0, zeros));

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ClientError) return error.code;
    throw error;
  }
  return 'none';
}

describe('keys of the client', () => {
  test('a market is named by its kind and index', () => {
    expect(perpMarket(0)).toEqual({ marketType: 'perp', marketIndex: 0, key: 'perp_0' });
    expect(spotMarket(3).key).toBe('spot_3');
    expect(isSameMarket(marketIdOfKey('spot_3'), spotMarket(3))).toBe(true);
    expect(isSameMarket(perpMarket(3), spotMarket(3))).toBe(false);
  });

  test('an account is named by its subaccount id and its authority', () => {
    const id = { subAccountId: 7, authority: '4rmhwytmKH1XsgGAUyUUH7U64HS5FtT6gM8HGKAfwcFE' };
    expect(accountKey(id)).toBe('7_4rmhwytmKH1XsgGAUyUUH7U64HS5FtT6gM8HGKAfwcFE');
    expect(accountIdOfKey(accountKey(id))).toEqual(id);
  });

  test('every key comes back as what it names', () => {
    fc.assert(
      fc.property(indexes, addresses, (index, bytes) => {
        const id = { subAccountId: index, authority: encodeAddress(bytes) };
        expect(accountIdOfKey(accountKey(id))).toEqual(id);
        expect(marketIdOfKey(marketKey('perp', index))).toEqual(perpMarket(index));
      }),
    );
  });

  test.each(['perp', 'perp_', 'perp_-1', 'perp_01', 'perp_65536', 'PERP_0', 'perp_0 ', 'perp_1e1'])(
    '%j is no market key',
    (key) => {
      expect(codeOf(() => marketIdOfKey(key))).toBe('INVALID_KEY');
    },
  );

  test.each([-1, 65_536, 0.5, Number.NaN])('%s is no market index', (index) => {
    expect(codeOf(() => perpMarket(index))).toBe('INVALID_KEY');
  });

  test.each(['0', '0_', '0_short', `65536_${'1'.repeat(32)}`, `0_${'1'.repeat(33)}`])(
    '%j is no account key',
    (key) => {
      expect(codeOf(() => accountIdOfKey(key))).toBe('INVALID_KEY');
    },
  );

  test('an address is written and read as the chain library does', () => {
    fc.assert(
      fc.property(addresses, (bytes) => {
        const text = new PublicKey(bytes).toBase58();
        expect(encodeAddress(bytes)).toBe(text);
        expect(decodeAddress(text)).toEqual(bytes);
      }),
    );
  });

  test('what is no address is told', () => {
    const system = '1'.repeat(32);
    expect(isAddress(system)).toBe(true);
    for (const text of ['', '1'.repeat(31), `${system}1`, `0${system.slice(1)}`, 'z'.repeat(44)]) {
      expect(isAddress(text)).toBe(false);
      expect(codeOf(() => decodeAddress(text))).toBe('INVALID_KEY');
    }
    expect(codeOf(() => encodeAddress(new Uint8Array(31)))).toBe('INVALID_KEY');
  });
});
