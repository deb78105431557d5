/** What the specification says of the library's access to the chain; test/client/chain-book.test.ts has more. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { isSignedMsgOrder } from '../src/client/accounts/index.js';
import {
  Auctions,
  ChainBook,
  SignedOrderFeed,
  type SignedOrderMessage,
  type UserAuctions,
} from '../src/client/chain/index.js';
import type { SocketClass } from '../src/client/environment.js';
import { perpMarket } from '../src/client/index.js';
import { ClientWorld, settle } from './support/client-world.js';
import { localBookOf } from './support/local-books.js';
import { endingOrders, oddUser } from './support/odd-accounts.js';
import { SteppedDemo } from './support/stepped-demo.js';
import { until } from './support/until.js';

/** What timers may be early by. */
const EARLY_MS = 5;
const SOL = perpMarket(0);

let demo: SteppedDemo;
const open: { close(): void }[] = [];

beforeAll(async () => {
  demo = await SteppedDemo.start({ seed: 43, makers: 20, slotTimeMs: 200, fillsPerSecond: 0 });
});

afterAll(async () => {
  for (const one of open) one.close();
  await demo?.stop();
});

function where() {
  const { rpcUrl, wsUrl } = demo.relay;
  return { rpcUrl, wsUrl, WebSocket: WebSocket as unknown as SocketClass };
}

function opened<Client extends { open(): void; close(): void }>(client: Client): Client {
  open.push(client);
  client.open();
  return client;
}

test('access-local-book: it has the orders of the chain, and follows their changes', async () => {
  const chain = opened(new ChainBook({ ...where(), updateFrequency: 100 }));
  const equals = async () => {
    const { book } = chain;
    const read = localBookOf(await demo.accounts(), book.moment).getL3(SOL);
    const { bids, asks } = book.getL3(SOL);
    expect({ bids, asks }).toEqual(read);
    expect(bids.length).toBeGreaterThan(0);
  };
  for (let stop = 0; stop < 2; stop += 1) {
    await demo.step(60);
    await vi.waitFor(equals);
  }
});

test('access-local-frequency: in milliseconds as it is configured, 1000 where it is not', async () => {
  const apart = async (options: { readonly updateFrequency?: number }) => {
    const chain = opened(new ChainBook({ ...where(), ...options }));
    const times: number[] = [];
    chain.onUpdate(() => void times.push(performance.now()));
    await until(() => times.length >= 3);
    chain.close();
    return Math.min(...times.slice(1).map((time, index) => time - (times[index] ?? 0)));
  };
  // Never sooner; how much later is up to the machine.
  expect(await apart({ updateFrequency: 300 })).toBeGreaterThan(300 - EARLY_MS);
  expect(await apart({})).toBeGreaterThan(1_000 - EARLY_MS);
});

test('access-local-best: of a market by its index', async () => {
  const chain = opened(new ChainBook({ ...where(), updateFrequency: 100 }));
  await until(() => chain.book.getBestBid(SOL) !== null && chain.book.getBestAsk(SOL) !== null);
  for (const index of [0, 1, 2]) {
    const market = perpMarket(index);
    const { bids, asks } = chain.book.getL3(market);
    const [bid, ask] = [chain.book.getBestBid(market), chain.book.getBestAsk(market)];
    const [bidPrices, askPrices] = [bids, asks].map((side) => side.map(({ price }) => price));
    expect(bidPrices).toContain(bid);
    expect(askPrices).toContain(ask);
    expect(bidPrices?.every((price) => bid !== null && price <= bid)).toBe(true);
    expect(askPrices?.every((price) => ask !== null && price >= ask)).toBe(true);
  }
});

/** An account whose orders are in auction, marked as the program marks it. */
function inAuction(seed: number, flags: readonly number[]) {
  const oracle = demo.life.markets[0]?.feed.price ?? 0n;
  const [order] = endingOrders({ clock: demo.clock, oracle });
  const orders = flags.map((bitFlags) => ({ ...order, auctionDuration: 200, bitFlags }));
  const user = oddUser({ seed }, orders);
  user.data.writeUInt8(1, 4354);
  return user;
}

test('access-auctions: an account comes when its auction runs, and goes when it has ended', async () => {
  const auctions = opened(new Auctions(where()));
  const told: UserAuctions[] = [];
  auctions.onUpdate((update) => void told.push(update));
  const user = inAuction(91, [0]);
  await demo.write(user);
  const own = () => told.filter(({ address }) => address === user.pubkey);
  await until(() => own().length > 0);
  expect(own()[0]?.orders).toMatchObject([{ auctionDuration: 200, marketIndex: 0 }]);
  expect(auctions.active().map(({ address }) => address)).toContain(user.pubkey);
  await demo.write(inAuction(91, []));
  await until(() => own().at(-1)?.orders.length === 0);
  expect(auctions.active().map(({ address }) => address)).not.toContain(user.pubkey);
});

test('access-signed-msg: with both feeds, an order on chain is told from one that was signed', async () => {
  const world = new ClientWorld();
  const signed: SignedOrderMessage[] = [];
  const feed = opened(
    new SignedOrderFeed({
      ...{ url: 'ws://orders/ws', publicKey: '1'.repeat(32), markets: ['SOL-PERP'] },
      ...{ sign: () => new Uint8Array(64), verify: 'none', ...world, clock: world.clock },
    }),
  );
  feed.onOrder((order) => void signed.push(order));
  const auctions = opened(new Auctions(where()));
  const chained: UserAuctions[] = [];
  auctions.onUpdate((update) => void chained.push(update));
  const user = inAuction(92, [0, 1]);
  world.socket.open();
  world.socket.say(SIGNED);
  await settle();
  await demo.write(user);
  await until(() => chained.some(({ address }) => address === user.pubkey));
  expect(signed.map(({ order }) => order.uuid)).toEqual(['tsW06Om8']);
  const orders = chained.find(({ address }) => address === user.pubkey)?.orders ?? [];
  // The signed one was told already: who holds both feeds leaves it out.
  expect(orders.map(isSignedMsgOrder).sort()).toEqual([false, true]);
  expect(orders.filter((order) => !isSignedMsgOrder(order))).toHaveLength(1);
});

/** Captured: see test/golden/vectors/client/swift_messages.json. */
const SIGNED = {
  channel: 'swift_orders_perp_2',
  order: {
    ...{ market_index: 2, market_type: 'perp', ts: 1_758_000_000_123, uuid: 'tsW06Om8' },
    order_message:
      'c8d5a65e2234f55d0001010080841e0000000000000000000000000002000000000000000001320124c6aa950000000001786b2f94000000000000bb64a9150000000074735730364f6d380000',
    order_signature: '',
    ...{ taker_authority: '1'.repeat(32), signing_authority: '1'.repeat(32) },
  },
};
