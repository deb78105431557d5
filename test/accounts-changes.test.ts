/** The channel `user` of a whole service while its accounts come, break and are mended. */
import { expect, test } from 'vitest';
import { encodeBase58 } from '../src/history/store/base58.js';
import { writeOf } from './simulation/market-life.js';
import { until } from './support/until.js';
import { bytesOf, UserReader, usersOf } from './support/user-reader.js';
import { world } from './world/world.js';

/** Where a user account has its number within its wallet. */
const SUB_ACCOUNT_AT = 4_346;
/** Where it has the status of its first order. */
const STATUS_AT = 1_192 + 82;

test('a malformed account is told to its watchers, and goes on when it is mended', async ({
  onTestFinished,
}) => {
  const scene = await world();
  onTestFinished(() => scene.stop());
  const { service, chain } = scene;
  const [account = ''] = usersOf(chain);
  const reader = await UserReader.open(service.url);
  reader.send({ type: 'subscribe', channel: 'user', account });
  const seen = () => reader.accounts.get(`user:${account}`);
  await until('its snapshot', () => seen() !== undefined);
  const write = chain.accounts.get(account)?.write ?? null;
  if (write === null) throw new Error('the account has no bytes');
  chain.stopLife();
  const data = Buffer.from(write.data);
  data[STATUS_AT] = 255;
  chain.setAccount(account, writeOf({ ...write, data }));
  await until('the reason', () => seen()?.['reason'] === 'malformed');
  expect(seen()).toMatchObject({ account, orders: [], positions: [], balances: [], margin: null });
  chain.setAccount(account, write);
  await until('its mending', () => seen()?.['reason'] === undefined);
  expect(seen()?.['margin']).not.toBeNull();
  chain.setAccount(account, null);
  await until('its end', () => seen()?.['reason'] === 'closed');
  expect(reader.faults).toEqual([]);
  await reader.close(scene);
});

test('a new account of a watched wallet joins by itself', async ({ onTestFinished }) => {
  const scene = await world();
  onTestFinished(() => scene.stop());
  const { service, chain } = scene;
  const [first = ''] = usersOf(chain);
  const authority = encodeBase58(bytesOf(chain, first).subarray(8, 40));
  const reader = await UserReader.open(service.url);
  reader.send({ type: 'subscribe', channel: 'user', authority });
  await until('the first account', () => reader.accounts.size === 1);
  const pubkey = encodeBase58(Uint8Array.from({ length: 32 }, (_, at) => 200 - at));
  const write = chain.accounts.get(first)?.write ?? null;
  if (write === null) throw new Error('the account has no bytes');
  const data = Buffer.from(write.data);
  data.writeUInt16LE(1, SUB_ACCOUNT_AT);
  chain.setAccount(pubkey, writeOf({ ...write, pubkey, data }));
  await until('the second account', () => reader.accounts.size === 2);
  const topic = `user:${pubkey}`;
  expect(reader.accounts.get(topic)).toMatchObject({ account: pubkey, authority, subAccountId: 1 });
  expect(reader.messages.filter(({ type }) => type === 'subscribed')).toMatchObject([
    { topic: `user:*:${authority}`, topics: [`user:${first}`] },
    { topic: `user:*:${authority}`, topics: [topic] },
  ]);
  await reader.close(scene);
});
