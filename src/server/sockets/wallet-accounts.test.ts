import { expect, test } from 'vitest';
import { WalletAccounts } from './wallet-accounts.js';

test('a wallet whose reading failed is read again while it is followed, and no longer', async () => {
  const asked: string[] = [];
  let isDown = true;
  const wallets = new WalletAccounts({ ofAuthority: () => [] }, async (authority) => {
    asked.push(authority);
    if (isDown) throw new Error('the node is down');
    return ['account'];
  });
  wallets.listAccounts('followed');
  wallets.listAccounts('left');
  expect([await wallets.readNext(), await wallets.readNext()]).toEqual([true, true]);
  expect(await wallets.readNext()).toBe(false);
  isDown = false;
  expect(wallets.listAccounts('followed')).toEqual([]);
  expect(await wallets.readNext()).toBe(true);
  expect(wallets.listAccounts('followed')).toEqual(['account']);
  expect(asked).toEqual(['followed', 'left', 'followed']);
});
