/**
 * The SDK's OrderSubscriber over the subscriptions of a node, and a service over a gRPC server of the same chain: the same open
 * orders, also after the stream was cut.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { ScriptedChain } from '../scripted-chain.js';
import { ScriptedNode } from '../scripted-chain-node.js';
import { ScriptedGrpc } from '../scripted-grpc.js';
import { LineProcess } from '../support/line-process.js';
import { ServiceProbe } from '../support/service-probe.js';
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

/** A chain, its node and gRPC server, and a service on the latter. */
async function startRig() {
  const chain = new ScriptedChain({ seed: 7, makers: 20 });
  const node = await ScriptedNode.start(chain);
  ends.push(() => node.stop());
  const server = await ScriptedGrpc.start(chain);
  ends.push(() => server.stop());
  chain.start();
  ends.push(() => chain.stop());
  const service = await ServiceProbe.start(node, { source: `grpc:${server.url}` });
  ends.push(() => service.stop());
  return { chain, node, server, service };
}

type Rig = Awaited<ReturnType<typeof startRig>>;

/** Waits until the chain has made so many writes more. */
async function passWrites({ chain }: Rig, count: number): Promise<void> {
  const wanted = chain.writes.length + count;
  await until(`${count} writes`, () => chain.writes.length >= wanted);
}

async function ordersOf({ chain, service }: Rig): Promise<Orders> {
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
  const rig = await startRig();
  const { chain, node, server, service } = rig;
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
    await passWrites(rig, WRITES);
    if (round % 2 === 1) server.cutStreams();
    await passWrites(rig, WRITES);
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
