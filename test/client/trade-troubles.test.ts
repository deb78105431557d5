/** Live trades when the service refuses, for now or because there are too many. */
import { beforeEach, expect, test } from 'vitest';
import { TradesClient } from '../../src/client/trades/client.js';
import { ClientWorld, settle } from '../support/client-world.js';

/** What a service takes of one socket. */
const SUBSCRIPTIONS_MAX = 64;

let world: ClientWorld;
let client: TradesClient;
let askedCount: number;

beforeEach(() => {
  world = new ClientWorld();
  askedCount = 0;
  const fetch = async () => {
    askedCount += 1;
    return new Response('{}', { status: 400 });
  };
  client = new TradesClient({ url: 'http://service', fetch, ...world, clock: world.clock });
});

const named = (symbol: string, message: object) => ({ channelType: 'trades', symbol, ...message });
const refusal = (symbol: string) => named(symbol, { type: 'error', code: 'LIMIT_EXCEEDED' });

test('what the service cannot do now is told, and asked again', async () => {
  const troubles: string[] = [];
  const subscription = client.subscribe('SOL-PERP');
  subscription.onRetry(({ code }) => troubles.push(code));
  world.socket.open();
  world.socket.say(refusal('SOL-PERP'));
  await world.clock.pass(1_000);
  expect(troubles).toEqual(['LIMIT_EXCEEDED']);
  expect(world.socket.sent.map(({ type }) => type)).toEqual(['subscribe', 'subscribe']);
});

test('a subscription beyond those of a socket ends', async () => {
  const all = Array.from({ length: SUBSCRIPTIONS_MAX + 1 }, (_, at) => client.subscribe(`M${at}`));
  world.socket.open();
  world.socket.say(refusal(`M${SUBSCRIPTIONS_MAX}`));
  expect(all.at(-1)?.error?.code).toBe('LIMIT_EXCEEDED');
  expect(all.filter(({ isOpen }) => isOpen)).toHaveLength(SUBSCRIPTIONS_MAX);
});

test('one that is closed when it hears of a trouble reads nothing more', async () => {
  const subscription = client.subscribe('SOL-PERP');
  subscription.onRetry(() => subscription.close());
  world.socket.open();
  const begin = named('SOL-PERP', { type: 'init', trades: [] });
  world.socket.say(begin, named('SOL-PERP', { type: 'subscription' }), begin);
  await settle();
  await world.passAlive(10_000);
  expect(askedCount).toBe(1);
});
