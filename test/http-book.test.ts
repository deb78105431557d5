/** The paths over a living book: what they answer fits what the others answer of the same version. */
import { describe, expect, test } from 'vitest';
import { startServer } from '../src/server/testing/running-server.js';
import { PROGRAM_ID } from '../src/sim/bytes/keys.js';
import { LivingBook } from './support/living-book.js';

const STEPS = 400;
const SLOT_STEPS = 20;

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

describe('/liquidity', () => {
  interface Row {
    readonly symbol: string;
    readonly seq: number;
    readonly condition: string;
    readonly spreadBps?: number;
    readonly bestBidPrice?: string;
    readonly depth: readonly (Readonly<
      Record<'bidBase' | 'bidQuote' | 'askBase' | 'askQuote', string>
    > & { readonly bps: number })[];
  }
  interface Level {
    readonly price: string;
    readonly size: string;
  }

  /** The base and the quote within a distance, by doubles, which the bodies are not made with. */
  function within(levels: readonly Level[], isWithin: (price: number) => boolean) {
    const near = levels.filter(({ price }) => isWithin(Number(price)));
    const base = near.reduce((sum, { size }) => sum + Number(size), 0);
    return [base, near.reduce((sum, one) => sum + (Number(one.size) / 1e9) * Number(one.price), 0)];
  }

  test('has the depth of the whole /l2 of every market within each distance', async () => {
    const rows: readonly Row[] = JSON.parse(await text('/liquidity'));
    expect(rows.map(({ symbol }) => symbol).sort()).toEqual([...markets].sort());
    let sums = 0;
    for (const { symbol, seq, condition, spreadBps, depth } of rows) {
      const l2 = JSON.parse(await text(`/l2?marketName=${symbol}&depth=1000&includeVamm=true`));
      expect(seq).toBe(l2.seq);
      const [bid, ask] = [l2.bids[0], l2.asks[0]].map((level) => Number(level?.price));
      if (bid === undefined || ask === undefined || Number.isNaN(bid + ask)) {
        expect([spreadBps, depth]).toEqual([undefined, []]);
        expect(condition).toBe(l2.bids.length + l2.asks.length === 0 ? 'empty' : 'oneSided');
        continue;
      }
      expect(condition).toBe(bid < ask ? 'open' : bid === ask ? 'locked' : 'crossed');
      const mid = (bid + ask) / 2;
      expect(spreadBps).toBeCloseTo(((ask - bid) / mid) * 1e4, 6);
      expect(depth.map(({ bps }) => bps)).toEqual([1, 2, 5, 10, 25, 50, 100]);
      for (const { bps, bidBase, bidQuote, askBase, askQuote } of depth) {
        const [least, most] = [mid - (mid * bps) / 1e4, mid + (mid * bps) / 1e4];
        const bids = within(l2.bids, (price) => price >= least);
        const asks = within(l2.asks, (price) => price <= most);
        const told = [bidBase, bidQuote, askBase, askQuote].map(Number);
        for (const [index, sum] of [...bids, ...asks].entries()) {
          expect(Math.abs((told[index] ?? 0) - sum)).toBeLessThanOrEqual(1 + sum * 1e-9);
        }
        if ((bids[0] ?? 0) > 0) sums += 1;
      }
    }
    expect(sums).toBeGreaterThan(10);
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
