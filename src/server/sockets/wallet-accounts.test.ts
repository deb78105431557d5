import { expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { SocketError } from '../transport/errors.js';
import { WalletAccounts } from './wallet-accounts.js';

test('a wallet whose reading failed is read again while it is followed, and no longer', async () => {
  const asked: string[] = [];
  let isDown = true;
  const wallets = new WalletAccounts({ ofAuthority: () => [] }, async (authority) => {
    asked.push(authority);
    if (isDown) throw new Error('the node is down');
    return ['account'];
  });
  wallets.listAccounts('followed', 'one');
  wallets.listAccounts('left', 'one');
  expect([await wallets.readNext(), await wallets.readNext()]).toEqual([true, true]);
  expect(await wallets.readNext()).toBe(false);
  isDown = false;
  expect(wallets.listAccounts('followed', 'one')).toEqual([]);
  expect(await wallets.readNext()).toBe(true);
  expect(wallets.listAccounts('followed', 'one')).toEqual(['account']);
  expect(asked).toEqual(['followed', 'left', 'followed']);
});

test('clients take turns, and one of them does not fill the queue', async () => {
  const asked: string[] = [];
  const wallets = new WalletAccounts({ ofAuthority: () => [] }, async (authority) => {
    asked.push(authority);
    return [];
  });
  const half = LIMITS.walletsMax / 2;
  for (let number = 0; number < half; number += 1) wallets.listAccounts(`of-one-${number}`, 'one');
  const full = new SocketError(
    'LIMIT_EXCEEDED',
    `${half} more wallets may wait, and of no address more than that`,
  );
  expect(() => wallets.listAccounts('one-more', 'one')).toThrow(full);
  expect(wallets.listAccounts('of-another', 'another')).toEqual([]);
  for (let turn = 0; turn < 3; turn += 1) await wallets.readNext();
  expect(asked).toEqual(['of-one-0', 'of-another', 'of-one-1']);
  const none = new SocketError('UNKNOWN_ACCOUNT', 'there is no account of a wallet of-another');
  expect(() => wallets.listAccounts('of-another', 'another')).toThrow(none);
  expect(wallets.listAccounts('one-more', 'one')).toEqual([]);
});

test('a wallet that others follow as well is read in the first turn of any of them', async () => {
  const asked: string[] = [];
  const wallets = new WalletAccounts({ ofAuthority: () => [] }, async (authority) => {
    asked.push(authority);
    return ['account'];
  });
  for (const authority of ['a', 'b', 'c', 'shared']) wallets.listAccounts(authority, 'one');
  wallets.listAccounts('shared', 'another');
  for (let turn = 0; turn < 5; turn += 1) await wallets.readNext();
  expect(asked).toEqual(['a', 'shared', 'b', 'c']);
});
