import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import { CLOCK_KEY } from '../model/queries.js';
import { AccountReader } from './account-reader.js';

const OWNER = '02'.repeat(32);
const latin1Of = (hex: string) => Buffer.from(hex, 'hex').toString('latin1');
const ACCOUNT = {
  kind: 'account' as const,
  slot: 412_345_678,
  pubkey: '\x01'.repeat(32),
  owner: latin1Of(OWNER),
  lamports: 5,
  data: Buffer.from('abc'),
  writeVersion: 4_503_599_627_370_497,
};

test('grpc: accounts of another owner, or of no key, are foreign, and others of the program are left out', () => {
  const programId = base58.encode(Buffer.from(OWNER, 'hex'));
  const reader = new AccountReader({ programId, program: 'drift' });
  expect(reader.readAccount(ACCOUNT)).toBe(null);
  expect(reader.readAccount({ ...ACCOUNT, owner: ACCOUNT.pubkey })).toBe('foreign');
  expect(reader.readAccount({ ...ACCOUNT, pubkey: 'short' })).toBe('foreign');
  const pubkey = Buffer.from(base58.decode(CLOCK_KEY)).toString('latin1');
  expect(reader.readAccount({ ...ACCOUNT, pubkey, owner: ACCOUNT.pubkey })).toMatchObject({
    kind: 'clock',
    data: 'YWJj',
    encoding: 'base64',
  });
});
