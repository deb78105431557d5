/**
 * The SDK's OrderSubscriber over the subscriptions of a node, and a service over a gRPC server of the same chain: the same open
 * orders, also after the stream was cut.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { LineProcess } from '../support/line-process.js';
import { SourceRig } from '../support/source-rig.js';
import { until } from '../support/until.js';

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const isInstalled = existsSync(pathOf('../incumbents/installed/node_modules/.package-lock.json'));
const ROUNDS = process.env['LONG'] === undefined ? 2 : 6;
const WRITES = 40;

/** What is compared of an order, by the words of both. */
const FACTS = [
  ...['marketType', 'marketIndex', 'orderType', 'direction', 'price'],
  ...['baseAssetAmount', 'baseAssetAmountFilled', 'slot'],
] as const;

type Orders = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function ordersOf({ chain, service }: SourceRig): Promise<Orders> {
  const users = [...chain.accounts.values()].filter(({ bytes }) => bytes?.length === 4_376);
  const open: Record<string, Readonly<Record<string, unknown>>> = {};
  for (const { pubkey } of users) {
    const { orders } = (await service.json(`/user/${pubkey}/orders`)) as {
      orders: readonly Readonly<Record<string, unknown>>[];
    };
    for (const order of orders) {
      const facts = FACTS.map((name) => [name, order[name]] as const);
      open[`${pubkey} ${order['orderId']}`] = Object.fromEntries(facts);
    }
  }
  return open;
}

test('the OrderSubscriber of the SDK on RPC and the book on gRPC have the same open orders', async ({
  skip,
}) => {
  skip(!isInstalled, 'needs the packages of test/incumbents/installed');
  const rig = await SourceRig.start({ hasNode: false, servers: 1 });
  ends.push(() => rig.stop());
  const { chain, node, servers, service } = rig;
  // It reads all orders before its subscription stands, and never again: nothing moves meanwhile.
  chain.load(0);
  let sdk: Orders = {};
  const program = [process.execPath, pathOf('../incumbents/installed/sdk-orders.mjs')] as const;
  const reader = new LineProcess([...program, node.rpcUrl, node.wsUrl, PROGRAM_ID], (line) => {
    sdk = JSON.parse(line) as Orders;
  });
  ends.push(() => reader.stop());
  await until(`orders of the SDK: ${reader.lastError}`, () => {
    const isSubscribed = node.rpc.subscriptions.some(({ method }) => method === 'programSubscribe');
    return isSubscribed && Object.keys(sdk).length > 0;
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    chain.load(30);
    await rig.passWrites(WRITES);
    if (round % 2 === 1) servers[0]?.cutStreams();
    await rig.passWrites(WRITES);
    chain.load(0);
    let ours: Orders = {};
    await until('the same orders', async () => {
      if (!reader.isAlive) throw new Error(`the SDK ended: ${reader.lastError}`);
      ours = await ordersOf(rig);
      return JSON.stringify(sorted(ours)) === JSON.stringify(sorted(sdk));
    }).catch(() => undefined);
    expect(sorted(ours)).toEqual(sorted(sdk));
    expect(Object.keys(ours).length).toBeGreaterThan(20);
  }
  expect((await service.json('/status'))['state']).toBe('live');
}, 300_000);

function sorted(orders: Orders): [string, Readonly<Record<string, unknown>>][] {
  return Object.entries(orders).sort(([one], [other]) => (one < other ? -1 : 1));
}
