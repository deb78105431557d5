/**
 * The life of an order in the book, sentence by sentence: what is written on a real chain, and what
 * the service's paths and its socket tell of it.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { OrderStatus } from '../src/sim/bytes/chain-enums.js';
import { CompatibleClient } from './support/compatible-client.js';
import {
  ask,
  BASE,
  bid,
  type Level,
  SCENE,
  type SceneBook,
  SpecScene,
} from './support/spec-scene.js';

const ONE = 1_000_000n;
const PRICE = 97n * ONE;

let scene: SpecScene;
let client: CompatibleClient;

beforeAll(async () => {
  scene = await SpecScene.start();
  client = await CompatibleClient.open(scene.socketUrl);
  await client.subscribe({ market: SCENE.name });
});

afterEach(() => scene.clear(1, 2));

afterAll(async () => {
  await client?.close();
  await scene?.stop();
});

const at = (levels: readonly Level[], price: bigint) =>
  levels.find((level) => level.price === `${price}`)?.size;

const isEmpty = ({ bids, asks }: SceneBook) => bids.length + asks.length === 0;

/** Does something, and answers the first frame after it for which something holds. */
async function pushedAfter(act: () => Promise<void>, holds: (book: SceneBook) => boolean) {
  const from = client.frames.length;
  await act();
  return await client.frame(holds, { from });
}

describe('an order in the order book', () => {
  test('order-placed: a limit order that a user places is in his account on chain', async () => {
    await scene.place(1, bid(PRICE));
    const accounts = await scene.demo.accounts();
    const account = accounts.find(({ pubkey }) => pubkey === scene.maker(1));
    // The first order: its price, and that it is open.
    expect(account?.data.readBigUInt64LE(1192 + 8)).toBe(PRICE);
    expect(account?.data.readUInt8(1192 + 82)).toBe(OrderStatus.Open);
  });

  test('order-detected: an order on chain is inserted at its price level', async () => {
    await scene.place(1, bid(PRICE));
    const { bids } = await scene.book((book) => book.bids.length === 1);
    expect(at(bids, PRICE)).toBe('1000000000');
    await scene.place(2, bid(PRICE, { baseAssetAmount: 2n * BASE }));
    const after = await scene.book((book) => at(book.bids, PRICE) !== '1000000000');
    expect(after.bids).toEqual([
      { price: `${PRICE}`, size: '3000000000', sources: { dlob: '3000000000' } },
    ]);
  });

  test('order-changed: insertion and change are broadcast to WebSocket clients', async () => {
    const other = await CompatibleClient.open(scene.socketUrl);
    await other.subscribe({ market: SCENE.name });
    for (const size of [1n, 3n, 2n]) {
      const from = other.frames.length;
      const holds = ({ bids }: SceneBook) => at(bids, PRICE) === `${size * BASE}`;
      const place = () => scene.place(1, bid(PRICE, { baseAssetAmount: size * BASE }));
      const { book } = await pushedAfter(place, holds);
      const { book: same } = await other.frame(holds, { from });
      expect(same).toEqual(book);
    }
    await other.close();
  });

  test('order-filled: an order that fills is removed and reduced depth is broadcast', async () => {
    await pushedAfter(
      () => scene.place(1, bid(PRICE), bid(PRICE - ONE)),
      ({ bids }) => bids.length === 2,
    );
    const fill = { baseAssetAmountFilled: BASE / 4n };
    const partly = await pushedAfter(
      () => scene.place(1, bid(PRICE, fill), bid(PRICE - ONE)),
      ({ bids }) => at(bids, PRICE) === `${(BASE / 4n) * 3n}`,
    );
    expect(partly.book.bids).toHaveLength(2);
    const filled = { baseAssetAmountFilled: BASE, status: OrderStatus.Filled };
    const { book } = await pushedAfter(
      () => scene.place(1, bid(PRICE, filled), bid(PRICE - ONE)),
      ({ bids }) => bids.length === 1,
    );
    expect(at(book.bids, PRICE - ONE)).toBe('1000000000');
    expect((await scene.l3()).bids).toHaveLength(1);
  });

  test('order-canceled: cancellation removes the order from the book', async () => {
    await scene.place(1, bid(PRICE), ask(103n * ONE));
    await scene.book(({ bids, asks }) => bids.length === 1 && asks.length === 1);
    await scene.place(1, bid(PRICE, { status: OrderStatus.Canceled }), ask(103n * ONE));
    const { asks } = await scene.book(({ bids }) => bids.length === 0);
    expect(asks).toHaveLength(1);
  });

  test('order-expired: expiry removes the order, and no transaction tells of it', async () => {
    const now = BigInt(scene.demo.clock.unixSeconds);
    const from = client.frames.length;
    await scene.place(1, bid(PRICE, { maxTs: now + 4n }), bid(PRICE - ONE, { maxTs: now - 9n }));
    const { book: before } = await client.frame(({ bids }) => bids.length === 1, { from });
    expect(at(before.bids, PRICE)).toBe('1000000000');
    const shown = client.frames.findIndex(({ book }) => book === before);
    await client.frame(isEmpty, { from: shown });
    expect(isEmpty(await scene.l2())).toBe(true);
    expect(BigInt(scene.demo.clock.unixSeconds)).toBeGreaterThan(now + 4n);
  });

  test('order-all: orders placed, canceled and filled all update the book', async () => {
    const seen: number[] = [];
    const shows = async (expected: string | undefined) => {
      const book = await scene.book(({ bids }) => at(bids, PRICE) === expected);
      seen.push(book.seq);
    };
    await scene.place(1, bid(PRICE));
    await shows('1000000000');
    await scene.place(1, bid(PRICE, { baseAssetAmountFilled: 1n }));
    await shows('999999999');
    await scene.place(1, bid(PRICE, { status: OrderStatus.Canceled }));
    await shows(undefined);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  });
});

describe('a refreshed depth is pushed', () => {
  test('event-placed: when an order is placed', async () => {
    const { book } = await pushedAfter(
      () => scene.place(1, ask(104n * ONE)),
      ({ asks }) => asks.length === 1,
    );
    expect(book.asks).toMatchObject([{ price: '104000000', size: '1000000000' }]);
  });

  test('event-canceled: when an order is canceled', async () => {
    await pushedAfter(
      () => scene.place(1, ask(104n * ONE), ask(105n * ONE)),
      ({ asks }) => asks.length === 2,
    );
    const canceled = ask(104n * ONE, { status: OrderStatus.Canceled });
    const { book } = await pushedAfter(
      () => scene.place(1, canceled, ask(105n * ONE)),
      ({ asks }) => asks.length === 1,
    );
    expect(book.asks).toMatchObject([{ price: '105000000' }]);
  });

  test('event-filled: when an order is filled', async () => {
    await pushedAfter(
      () => scene.place(1, ask(104n * ONE)),
      ({ asks }) => asks.length === 1,
    );
    const filled = { baseAssetAmountFilled: BASE, status: OrderStatus.Filled };
    await pushedAfter(() => scene.place(1, ask(104n * ONE, filled)), isEmpty);
  });

  test('event-oracle: when the effective price of an oracle-offset order changes', async () => {
    await scene.setOracle(SCENE.oracle);
    await pushedAfter(
      () => scene.place(1, bid(0n, { oraclePriceOffset: -500_000 })),
      ({ bids }) => at(bids, 99_500_000n) !== undefined,
    );
    const { book } = await pushedAfter(
      () => scene.setOracle(SCENE.oracle + 300n),
      ({ bids }) => at(bids, 99_500_300n) !== undefined,
    );
    expect(book.bids).toHaveLength(1);
  });
});

test('does-7-moves: the price follows the oracle without a transaction of the order', async () => {
  await scene.place(2, ask(0n, { oraclePriceOffset: 700_000 }));
  for (const move of [0n, 1_000n, -2_500n]) {
    await scene.setOracle(SCENE.oracle + move);
    const expected = SCENE.oracle + move + 700_000n;
    await scene.book(({ asks }) => at(asks, expected) === '1000000000');
  }
  await scene.setOracle(SCENE.oracle);
});
