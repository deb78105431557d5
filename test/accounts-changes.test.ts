/** The channel `user` of a whole service while its accounts come, break and are mended, and fills are final or not. */
import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LIMITS } from '../src/config/limits.js';
import { PROGRAM_IDS } from '../src/contract/program.js';
import { decodeBase58, encodeBase58 } from '../src/history/store/base58.js';
import { address } from '../src/sim/bytes/keys.js';
import { writeOf } from './simulation/market-life.js';
import { fillLog } from './support/fill-log.js';
import { testWorld } from './support/test-world.js';
import { until } from './support/until.js';
import { bytesOf, UserReader, usersOf } from './support/user-reader.js';
import { type World, world } from './world/world.js';

/** Where a user account has its number within its wallet. */
const SUB_ACCOUNT_AT = 4_346;
/** Where it has its name, the quote side of its first position, and whether it is idle. */
const NAME_AT = 72;
const QUOTE_AT = 424 + 16;
const IDLE_AT = 4_350;
/** Where it has the status of its first order. */
const STATUS_AT = 1_192 + 82;

/** A world whose first user is followed. */
async function followFirst() {
  const scene = await testWorld();
  const { service, chain } = scene;
  const [account = ''] = usersOf(chain);
  const reader = await UserReader.open(service.url);
  reader.send({ type: 'subscribe', channel: 'user', account });
  const seen = () => reader.accounts.get(`user:${account}`);
  await until('its snapshot', () => seen() !== undefined);
  const write = chain.accounts.get(account)?.write ?? null;
  if (write === null) throw new Error('the account has no bytes');
  chain.stopLife();
  return { scene, service, chain, account, reader, seen, write };
}

test('a malformed account is told to its watchers, and goes on when it is mended', async () => {
  const { scene, service, chain, account, reader, seen, write } = await followFirst();
  const data = Buffer.from(write.data);
  data[STATUS_AT] = 255;
  chain.setAccount(account, writeOf({ ...write, data }));
  await until('the reason', () => seen()?.['reason'] === 'malformed');
  expect(seen()).toMatchObject({ account, orders: [], positions: [], balances: [], margin: null });
  expect(await service.json(`/accounts/${account}`)).toMatchObject({
    error: { code: 'INVALID_PARAM', message: expect.stringContaining('the book leaves it out') },
  });
  chain.setAccount(account, write);
  await until('its mending', () => seen()?.['reason'] === undefined);
  expect(seen()?.['margin']).not.toBeNull();
  chain.setAccount(account, null);
  await until('its end', () => seen()?.['reason'] === 'closed');
  expect(reader.faults).toEqual([]);
  await reader.close(scene);
});

test('a write is told in its turn, not at the end of an interval', async () => {
  const { scene, chain, account, reader, seen, write } = await followFirst();
  const positions = () => JSON.stringify(seen()?.['positions']);
  await scene.run(2_000);
  for (let quote = 1; quote <= 5; quote += 1) {
    const data = Buffer.from(write.data);
    data.writeBigInt64LE(BigInt(-quote * 1_000_000), QUOTE_AT);
    const before = positions();
    const beganMs = performance.now();
    chain.setAccount(account, writeOf({ ...write, data }));
    await until('the change', () => positions() !== before, 5_000);
    expect(performance.now() - beganMs).toBeLessThan(LIMITS.userIntervalMs / 5);
  }
  expect(reader.messages.filter(({ type }) => type === 'snapshot')).toHaveLength(1);
  // An account of a new name begins again with it.
  const data = Buffer.from(write.data);
  data.write('renamed'.padEnd(32), NAME_AT);
  chain.setAccount(account, writeOf({ ...write, data }));
  const renamed = () => reader.messages.find(({ name }) => name === 'renamed');
  await until('its name', renamed, 5_000);
  expect(renamed()).toMatchObject({ type: 'snapshot', reset: true });
  expect(reader.faults).toEqual([]);
  await reader.close(scene);
});

test('a new account of a watched wallet joins by itself', async () => {
  const scene = await testWorld();
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

test('a watched wallet has its accounts outside the book too', async () => {
  const scene = await testWorld();
  const { service, chain } = scene;
  const [first = ''] = usersOf(chain);
  const write = chain.accounts.get(first)?.write ?? null;
  if (write === null) throw new Error('the account has no bytes');
  const reader = await UserReader.open(service.url);
  const idle = Buffer.from(write.data);
  idle[IDLE_AT] = 1;
  idle.fill(0, STATUS_AT - 82, STATUS_AT - 82 + 32 * 96);
  // A wallet with accounts of both kinds, one without an account in the book, and one without any.
  const [both, asleep, none] = [encodeBase58(idle.subarray(8, 40)), keyOf(11), keyOf(12)];
  const outside = [both, asleep].map((authority) => {
    const pubkey = address.user({ authority, subAccountId: 3 });
    const data = Buffer.concat([
      idle.subarray(0, 8),
      decodeBase58(authority, 32) ?? Buffer.alloc(0),
      idle.subarray(40),
    ]);
    chain.setAccount(pubkey, writeOf({ ...write, pubkey, data }));
    return pubkey;
  });
  await scene.run(2_000);
  for (const authority of [both, asleep, none]) {
    reader.send({ type: 'subscribe', channel: 'user', authority });
  }
  const expected = [first, ...outside].map((account) => `user:${account}`);
  await until('all accounts', () => reader.accounts.size === expected.length);
  expect([...reader.accounts.keys()].sort()).toEqual(expected.sort());
  expect(service.engine.accounts.holds(outside[0] ?? '')).toBe(false);
  await until('the refusal', () => reader.messages.some(({ type }) => type === 'error'));
  const errors = reader.messages.filter(({ type }) => type === 'error');
  expect(errors).toMatchObject([{ code: 'UNKNOWN_ACCOUNT', topic: `user:*:${none}` }]);
  await reader.close(scene);
});

test('an account that the node refuses for a time is as it was read before, and is found later', async () => {
  const scene = await testWorld();
  const { chain, nodes } = scene;
  const [first = ''] = usersOf(chain);
  const write = chain.accounts.get(first)?.write ?? null;
  if (write === null) throw new Error('the account has no bytes');
  const idle = Buffer.from(write.data);
  idle[IDLE_AT] = 1;
  idle.fill(0, STATUS_AT - 82, STATUS_AT - 82 + 32 * 96);
  const [authority, other] = [keyOf(11), keyOf(12)];
  const [followed = '', ofWallet = ''] = [authority, other].map((wallet) => {
    const pubkey = address.user({ authority: wallet, subAccountId: 3 });
    const owner = decodeBase58(wallet, 32) ?? Buffer.alloc(0);
    const data = Buffer.concat([idle.subarray(0, 8), owner, idle.subarray(40)]);
    chain.setAccount(pubkey, writeOf({ ...write, pubkey, data }));
    return pubkey;
  });
  const reader = await UserReader.open(scene.service.url);
  for (const account of [followed, keyOf(7)]) {
    chain.setAccount(account, writeOf({ ...write, pubkey: account, data: idle }));
    reader.send({ type: 'subscribe', channel: 'user', account });
  }
  await until('both accounts', () => reader.accounts.size === 2);
  for (const node of nodes) {
    Object.assign(node.faults, { spoilt: new Set([followed, ofWallet]) });
  }
  reader.send({ type: 'subscribe', channel: 'user', authority: other });
  await scene.run(5_000);
  expect(reader.messages.filter(({ reason, type }) => reason ?? type === 'error')).toEqual([]);
  for (const node of nodes) Object.assign(node.faults, { spoilt: new Set() });
  await scene.run(65_000);
  expect(reader.accounts.has(`user:${ofWallet}`)).toBe(true);
  await reader.close(scene);
});

/** A fill of an account lands now; returns its signature. */
function landFill({ chain, ledger }: World, account: string, id: number): string {
  const signature = encodeBase58(createHash('sha512').update(`own fill ${id}`).digest());
  const lines = fillLog(id, chain.secondOf(chain.slot), PROGRAM_IDS.drift, account);
  ledger.land(signature, lines);
  return signature;
}

test('what becomes of a fill is told: confirmed, final, and taken back by a fork, also after a cut', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'slotbook-user-'));
  const scene = await world({ flags: { dataDir } });
  const { service, ledger } = scene;
  const [account = '', other = ''] = usersOf(scene.chain);
  const topic = `user:${account}`;
  const follow = async (point: object): Promise<UserReader> => {
    const reader = await UserReader.open(service.url);
    reader.send({ type: 'subscribe', channel: 'user', account, ...point });
    return reader;
  };
  const told = ({ messages }: UserReader): readonly string[] =>
    messages.flatMap(({ trades = [] }) =>
      (trades as { status: string; trade: { txSig: string; user: string } }[]).map(
        ({ status, trade }) => `${status} ${trade.user === account ? trade.txSig : 'of another'}`,
      ),
    );
  const reader = await follow({});
  await until('a live history', async () => {
    const { history } = (await service.json('/ready')) as { history: { state: string } };
    return history.state === 'live';
  });
  await scene.run(3_000);
  landFill(scene, other, 1_000_001);
  const kept = landFill(scene, account, 1_000_002);
  await until('its confirmation', () => told(reader).length === 1);
  const lost = landFill(scene, account, 1_000_003);
  await until('the next', () => told(reader).length === 2);
  ledger.drop(lost);
  const known = { ...reader.accounts.get(topic), ...reader.messages.at(-1) };
  const { epoch, seq } = known as Record<string, unknown>;
  const before = told(reader);
  await reader.close(scene);
  await scene.run(40_000);
  const again = await follow({ resume: { epoch, seq } });
  await until('what was missed', () => told(again).length === 2);
  expect(before).toEqual([`confirmed ${kept}`, `confirmed ${lost}`]);
  expect([...told(again)].sort()).toEqual([`finalized ${kept}`, `reverted ${lost}`]);
  expect(again.messages.filter(({ type }) => type === 'snapshot')).toEqual([]);
  await again.close(scene);
  await scene.stop();
});

const ordersOf = (account: Record<string, unknown> = {}) => account['orders'] as readonly unknown[];
const keyOf = (byte: number): string => encodeBase58(new Uint8Array(32).fill(byte));

test('an account outside the book is followed by reading it, into the book and out again', async () => {
  const scene = await testWorld();
  const { service, chain } = scene;
  const [first = ''] = usersOf(chain);
  chain.stopLife();
  const write = chain.accounts.get(first)?.write ?? null;
  if (write === null) throw new Error('the account has no bytes');
  const account = keyOf(7);
  const put = (name: string, isIdle: boolean): void => {
    const data = Buffer.from(write.data);
    data.write(name.padEnd(32), NAME_AT);
    data[IDLE_AT] = isIdle ? 1 : 0;
    if (isIdle) data.fill(0, STATUS_AT - 82, STATUS_AT - 82 + 32 * 96);
    chain.setAccount(account, writeOf({ ...write, pubkey: account, data }));
  };
  put('asleep', true);
  await scene.run(2_000);
  expect(service.engine.accounts.holds(account)).toBe(false);
  const reader = await UserReader.open(service.url);
  reader.send({ type: 'subscribe', id: 1, channel: 'user', account });
  const seen = () => reader.accounts.get(`user:${account}`);
  await until('its snapshot', () => seen() !== undefined);
  expect(seen()).toMatchObject({ id: 1, account, orders: [], reset: false });
  expect(seen()?.['positions']).toEqual(
    ((await service.json(`/accounts/${account}`)) as Record<string, unknown>)['positions'],
  );
  // A write that the book does not get is read within two intervals.
  const withDebt = Buffer.from(bytesOf(chain, account));
  withDebt.writeBigInt64LE(withDebt.readBigInt64LE(QUOTE_AT) - 1_000_000n, QUOTE_AT);
  const before = JSON.stringify(seen()?.['positions']);
  chain.setAccount(account, writeOf({ ...write, pubkey: account, data: withDebt }));
  await scene.run(2_500);
  expect(JSON.stringify(seen()?.['positions'])).not.toBe(before);
  put('awake', false);
  await until('its orders', () => ordersOf(seen()).length > 0);
  expect(service.engine.accounts.holds(account)).toBe(true);
  put('asleep', true);
  await until('their end', () => ordersOf(seen()).length === 0);
  expect(service.engine.accounts.holds(account)).toBe(false);
  expect(seen()?.['reason']).toBeUndefined();
  expect(seen()?.['positions']).not.toEqual([]);
  chain.setAccount(account, null);
  await until('its end', () => seen()?.['reason'] === 'closed');
  expect(reader.messages.some(({ reason }) => reason === 'malformed')).toBe(false);
  expect(reader.faults).toEqual([]);
  // An account of another program, and a node that does not answer, end the subscription by name.
  const market = service.engine.markets()[0]?.account ?? '';
  for (const [key, code, isDown] of [
    [market, 'INVALID_PARAM', false],
    [keyOf(9), 'UNKNOWN_ACCOUNT', false],
    [keyOf(8), 'NOT_READY', true],
  ] as const) {
    for (const node of scene.nodes) Object.assign(node.faults, { isDown });
    reader.messages.length = 0;
    reader.send({ type: 'subscribe', channel: 'user', account: key });
    const refusal = () => reader.messages.find(({ type }) => type === 'error');
    await until('its refusal', refusal);
    expect(refusal()).toMatchObject({ code, topic: `user:${key}` });
  }
  await reader.close(scene);
});
