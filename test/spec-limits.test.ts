/** The specification's limits, one by one, against a real service on a real chain. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { CompatibleClient } from './support/compatible-client.js';
import { bid, SCENE, SpecScene } from './support/spec-scene.js';

const ONE = 1_000_000n;
const ORDERS_PER_USER = 32;
const AUCTION_SLOTS = 10;
/** The upper end of the specification's one to two seconds. */
const LATENCY_MS_MAX = 2_000;
const CHANGES = 8;

let scene: SpecScene;

beforeAll(async () => {
  scene = await SpecScene.start();
});

afterEach(() => scene.clear(1));

afterAll(() => scene?.stop());

const price = (step: number) => 90n * ONE - BigInt(step) * SCENE.tick;

test('limit-orders: orders per user account: 32, each of which is in the book', async () => {
  const orders = Array.from({ length: ORDERS_PER_USER }, (_, step) => bid(price(step)));
  await scene.place(1, ...orders);
  const { bids } = await scene.book((book) => book.bids.length >= ORDERS_PER_USER, '&depth=1000');
  expect(bids).toHaveLength(ORDERS_PER_USER);
  expect((await scene.l3(`&maker=${scene.maker(1)}`)).bids).toHaveLength(ORDERS_PER_USER);
});

test('limit-depth: depth defaults to 10 levels per side', async () => {
  const orders = Array.from({ length: ORDERS_PER_USER }, (_, step) => bid(price(step)));
  await scene.place(1, ...orders);
  const all = await scene.book((book) => book.bids.length >= ORDERS_PER_USER, '&depth=1000');
  expect((await scene.l2()).bids).toEqual(all.bids.slice(0, 10));
});

test('limit-auction: an order in auction is not in the book before about 10 slots', async () => {
  // Every book comes as a frame, however seldom this looks.
  const client = await CompatibleClient.open(scene.socketUrl);
  await client.subscribe({ market: SCENE.name });
  await scene.place(1, bid(88n * ONE));
  await client.frame(({ bids }) => bids.length === 1);
  const placed = scene.demo.clock.slot;
  const auction = {
    slot: BigInt(placed),
    auctionDuration: AUCTION_SLOTS,
    auctionStartPrice: 89n * ONE,
    auctionEndPrice: 90n * ONE,
  };
  await scene.place(1, bid(90n * ONE, auction), bid(88n * ONE));
  const { book: after } = await client.frame(({ bids }) => bids.length === 2);
  await client.close();
  expect(after.bids).toMatchObject([{ price: '90000000' }, { price: '88000000' }]);
  expect(after.slot - placed).toBeGreaterThan(AUCTION_SLOTS);
});

test('limit-latency: a change on chain is in the book within 2 seconds', async () => {
  const latencies: number[] = [];
  for (let change = 0; change < CHANGES; change += 1) {
    await scene.place(1, bid(price(change)));
    const writtenMs = performance.now();
    await scene.book(({ bids }) => bids[0]?.price === `${price(change)}`);
    latencies.push(performance.now() - writtenMs);
  }
  expect(Math.max(...latencies)).toBeLessThan(LATENCY_MS_MAX);
});
