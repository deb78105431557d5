/** The paths over a living book: what they answer fits what the others answer of the same version. */
import { describe, expect, test } from 'vitest';
import { startServer } from '../src/server/testing/running-server.js';
import { PROGRAM_ID } from '../src/sim/bytes/keys.js';
import { LivingBook } from './support/living-book.js';

const STEPS = 400;
const SLOT_STEPS = 20;
const LIMITS = [1, 4, 17, 100];

const book = new LivingBook(120);
for (let step = 0; step < STEPS; step += SLOT_STEPS) {
  book.slot += 1;
  book.live(SLOT_STEPS);
}
book.endTurn();
const server = await startServer(book.engine);
const { markets } = book;

async function text(path: string): Promise<string> {
  const answer = await server.ask(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text;
}

interface Orders {
  readonly bids: readonly { readonly maker: string }[];
  readonly asks: readonly { readonly maker: string }[];
}

describe('/topMakers', () => {
  test('names the makers of /l3 in the order of their best orders, each once', async () => {
    let makersSeen = 0;
    for (const market of markets) {
      const { bids, asks }: Orders = JSON.parse(await text(`/l3?marketName=${market}`));
      for (const [side, orders] of [
        ['bid', bids],
        ['ask', asks],
      ] as const) {
        const makers = [...new Set(orders.map(({ maker }) => maker))];
        makersSeen = Math.max(makersSeen, makers.length);
        for (const limit of LIMITS) {
          const path = `/topMakers?marketName=${market}&side=${side}&limit=${limit}`;
          expect(JSON.parse(await text(path))).toEqual(makers.slice(0, limit));
        }
      }
    }
    expect(makersSeen).toBeGreaterThan(17);
  });
});

interface MakerOrder {
  readonly orderId: number;
  readonly price: string;
  readonly size: string;
}

interface OpenOrder extends MakerOrder {
  readonly marketName: string;
  readonly orderType: string;
  readonly baseAssetAmount: string;
  readonly baseAssetAmountFilled: string;
  readonly leftOut: string | null;
}

describe('/user/{account}/orders', () => {
  test('has the orders of /l3 as shown, and those that the book leaves out with their reason', async () => {
    const makers = new Set<string>();
    for (const market of markets) {
      const { bids, asks }: Orders = JSON.parse(await text(`/l3?marketName=${market}`));
      for (const { maker } of [...bids, ...asks]) makers.add(maker);
    }
    const reasons = new Map<string, number>();
    for (const maker of makers) {
      const body = JSON.parse(await text(`/user/${maker}/orders`));
      expect(body).toMatchObject({ account: maker, slot: 1_020, epoch: 'e1', state: 'live' });
      const orders: readonly OpenOrder[] = body.orders;
      for (const { leftOut } of orders) {
        reasons.set(leftOut ?? 'shown', (reasons.get(leftOut ?? 'shown') ?? 0) + 1);
      }
      for (const market of markets) {
        const { bids, asks } = JSON.parse(await text(`/l3?marketName=${market}&maker=${maker}`));
        const shown = orders.filter((one) => one.marketName === market && one.leftOut === null);
        const inBook: readonly MakerOrder[] = [...bids, ...asks];
        expect(idsOf(shown)).toEqual(idsOf(inBook));
        for (const one of shown) {
          const { price, size } = inBook.find(
            ({ orderId }) => orderId === one.orderId,
          ) as MakerOrder;
          if (one.price !== '0') expect(one.price).toBe(price);
          const open = BigInt(one.baseAssetAmount) - BigInt(one.baseAssetAmountFilled);
          expect(BigInt(size) <= open).toBe(true);
        }
      }
    }
    expect(reasons.get('shown')).toBeGreaterThan(0);
    expect(reasons.size, [...reasons].join()).toBeGreaterThan(1);
  });

  test('an account without orders has none, and a text that is no key is refused', async () => {
    const path = `/user/${PROGRAM_ID}/orders`;
    for (const prefix of ['', '/v1', '/data']) {
      expect(JSON.parse(await text(`${prefix}${path}`)).orders).toEqual([]);
    }
    const { error } = await server.ask('/user/nobody/orders');
    expect(error).toMatchObject({ status: 400, code: 'INVALID_PARAM', param: 'account' });
  });
});

const idsOf = (orders: readonly { readonly orderId: number }[]): readonly number[] =>
  orders.map(({ orderId }) => orderId).sort((a, b) => a - b);

describe('/batchL2', () => {
  test('is the bodies of /l2 of all markets, uncrossed and grouped ones as well', async () => {
    const variants = ['', '&uncross=true', '&grouping=50&depth=100', '&depth=1'];
    for (const variant of variants) {
      const bodies = await Promise.all(
        markets.map((name) => text(`/l2?marketName=${name}${variant}`)),
      );
      const lists = variant.replaceAll(/=(\w+)/g, (_, value) => `=${markets.map(() => value)}`);
      const batch = await text(`/batchL2?marketName=${markets}${lists}`);
      expect(batch).toBe(`{"l2s":[${bodies}]}`);
    }
  });
});
