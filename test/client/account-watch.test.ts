/** Watched accounts on sockets that a test speaks on. */
import { expect, test } from 'vitest';
import { watchAccount, watchAuthority } from '../../src/client/index.js';
import { ClientWorld } from '../support/client-world.js';

const snapshot = (account: string, seq = 1) => ({
  ...{ type: 'snapshot', topic: `user:${account}`, channel: 'user', epoch: 'e1', seq, slot: 1 },
  ...{ ts: seq, state: 'live', reset: false, account, authority: 'W', subAccountId: 0, name: 'x' },
  ...{ orders: [], positions: [], balances: [], margin: null },
});

function watched(kind: typeof watchAccount, name: string) {
  const world = new ClientWorld();
  const watch = kind(name, { url: 'http://service', ...world, clock: world.clock });
  const errors: string[] = [];
  watch.onError(({ code }) => errors.push(code));
  world.socket.open();
  const refuse = (code: string, topic: string) =>
    world.socket.say({ type: 'error', code, message: 'a text', topic });
  const list = (...accounts: readonly string[]) =>
    world.socket.say({
      ...{ type: 'subscribed', id: 1, topic: 'user:*:W' },
      topics: accounts.map((account) => `user:${account}`),
    });
  const names = () => watch.accounts.map(({ account }) => account);
  return { world, watch, errors, refuse, list, names };
}

test('an account that cannot be read now is asked for again on the same connection', async () => {
  const { world, errors, refuse } = watched(watchAccount, 'A');
  world.socket.say(snapshot('A', 5));
  refuse('NOT_READY', 'user:A');
  await world.clock.pass(1_000);
  expect(world.sockets).toHaveLength(1);
  const resume = { epoch: 'e1', seq: 5 };
  expect(world.socket.sent.slice(1)).toMatchObject([{ account: 'A', resume }]);
  expect(errors).toEqual([]);
  await world.clock.pass(3_500);
  expect(world.sockets).toHaveLength(2);
});

test('an account of a wallet that is gone leaves the others', () => {
  const { world, watch, errors, refuse, list, names } = watched(watchAuthority, 'W');
  list('A', 'B');
  world.socket.say(snapshot('A'));
  refuse('UNKNOWN_ACCOUNT', 'user:B');
  world.socket.say(snapshot('A', 2));
  expect([names(), errors, watch.accounts[0]?.seq]).toEqual([['A'], [], 2]);
  refuse('UNKNOWN_ACCOUNT', 'user:*:W');
  expect([errors, world.socket.isClosed]).toEqual([['UNKNOWN_ACCOUNT'], true]);
});

test('an account that a wallet has no longer after a lost connection is not shown', async () => {
  const { world, list, names } = watched(watchAuthority, 'W');
  list('A', 'B');
  world.socket.say(snapshot('A'), snapshot('B'));
  world.socket.say({ type: 'subscribed', topic: 'user:*:W', topics: ['user:C'] }, snapshot('C'));
  expect(names()).toEqual(['A', 'B', 'C']);
  world.socket.lose();
  await world.reconnect();
  expect(names()).toEqual(['A', 'B', 'C']);
  list('A', 'C');
  expect(names()).toEqual(['A', 'C']);
});
