import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RawAccount } from '../contract/accounts.js';
import { Direction, MarketType } from '../sim/bytes/chain-enums.js';
import { keyOf } from '../sim/bytes/keys.js';
import { emptyOrder, type OrderFields, userBytes } from '../sim/bytes/user-account.js';
import { engineWith, ORACLE, PERP, PROGRAM, parsed, SLOT, SPOT } from './testing.js';

interface Level {
  readonly price: string;
  readonly size: string;
  readonly sources: { readonly dlob: string };
}

interface Row {
  readonly price: string;
  readonly size: string;
  readonly queue: string;
  readonly maker: string;
  readonly orderId: number;
  readonly slot: number;
}

type Sides<T> = Record<'bids' | 'asks', T[]>;

/** An order to place: signed size, bids above 0. */
interface Placed {
  readonly price: bigint;
  readonly base: bigint;
  readonly slot?: number;
}

const SIDES = ['bids', 'asks'] as const;
const UNIT = 1_000_000_000n;

function orderOf({ price, base, slot = 0 }: Placed, index: number): OrderFields {
  return {
    ...emptyOrder(),
    slot: BigInt(SLOT - 1_000 + slot),
    price,
    baseAssetAmount: base < 0n ? -base : base,
    orderId: index + 1,
    direction: base > 0n ? Direction.Long : Direction.Short,
    postOnly: true,
  };
}

function makerOf(number: number, orders: readonly OrderFields[]): RawAccount {
  const authority = keyOf(Buffer.alloc(32, number + 1));
  const user = {
    ...{ authority, name: 'maker', subAccountId: 0, status: 0, idle: false, nextOrderId: 33 },
    ...{ lastActiveSlot: BigInt(SLOT), orders, perpPositions: [], spotPositions: [] },
  };
  const data = userBytes(user).toString('base64');
  return { pubkey: authority, owner: PROGRAM, slot: SLOT, data, encoding: 'base64' };
}

/** Mark minus oracle over five minutes, read at the program's offset in the account. */
function premiumOf(market: RawAccount): bigint {
  const bytes = Buffer.from(market.data, 'base64');
  const amm = 40;
  return bytes.readBigUInt64LE(amm + 720) - bytes.readBigInt64LE(amm + 32 + 32);
}

function ladders(body: Uint8Array): Sides<[string, string]> {
  const sides = parsed(body) as unknown as Sides<Level>;
  const pairs = (levels: Level[]): [string, string][] => {
    return levels.map(({ price, size }) => [price, size]);
  };
  return { bids: pairs(sides.bids), asks: pairs(sides.asks) };
}

describe('engine: uncross', () => {
  const TICK = 100n;

  test('a perp gives way around the oracle plus the premium of the mark', () => {
    const plain = parsed(engineWith(PERP, ORACLE).l2({ market: 0, depth: 1 }));
    const oracle = BigInt((plain['mmOracleData'] as { price: string }).price);
    const reference = oracle + premiumOf(PERP);
    expect(premiumOf(PERP)).not.toBe(0n);
    const near = reference - (reference % TICK);
    const placed = [
      { price: near + 500n, base: UNIT },
      { price: near - 500n, base: -3n * UNIT },
    ];
    const engine = engineWith(PERP, ORACLE, makerOf(0, placed.map(orderOf)));
    const body = parsed(engine.l2({ market: 0, depth: 10, uncross: true }));
    expect(body).toMatchObject({
      bids: [{ price: String(reference - TICK), size: String(UNIT) }],
      asks: [{ price: String(reference + TICK), size: String(3n * UNIT) }],
      bestBidPrice: String(reference - TICK),
      bestAskPrice: String(reference + TICK),
      markPrice: String(reference),
      spreadQuote: String(2n * TICK),
      crossed: false,
    });
    expect(parsed(engine.l2({ market: 0, depth: 10 }))).toMatchObject({
      bestBidPrice: String(near + 500n),
      spreadQuote: '0',
      crossed: true,
    });
  });

  test('a spot market gives way around its oracle', () => {
    const oracle = BigInt(parsed(engineWith(SPOT).l2({ market: 0, depth: 1 }))['oracle'] as number);
    const near = oracle - (oracle % TICK);
    const placed = [
      { price: near + 500n, base: UNIT },
      { price: near - 500n, base: -UNIT },
    ];
    const spot = { marketType: MarketType.Spot, marketIndex: 1 };
    const orders = placed.map((order, index) => ({ ...orderOf(order, index), ...spot }));
    const engine = engineWith(SPOT, makerOf(0, orders));
    const tick = engine.markets()[0]?.tickSize ?? 0n;
    expect(ladders(engine.l2({ market: 0, depth: 10, uncross: true }))).toEqual({
      bids: [[String(oracle - tick), String(UNIT)]],
      asks: [[String(oracle + tick), String(UNIT)]],
    });
  });

  test('the book is uncrossed first, then grouped and cut', () => {
    const placed = [30n, 20n, 10n, -10n, -20n].map((price) => ({
      price: 1_000_000n + (price < 0n ? -price : price) * TICK,
      base: price < 0n ? -UNIT : UNIT,
    }));
    const engine = engineWith(PERP, ORACLE, makerOf(0, placed.map(orderOf)));
    const uncrossed = ladders(engine.l2({ market: 0, depth: 10, uncross: true }));
    // All quotes are below the reference: the asks move above the crossing bids.
    expect(uncrossed).toEqual({
      bids: [30, 20, 10].map((price) => [String(1_000_000 + price * 100), String(UNIT)]),
      asks: [['1003100', String(2n * UNIT)]],
    });
    const grouped = ladders(engine.l2({ market: 0, depth: 1, grouping: 20, uncross: true }));
    expect(grouped).toEqual({
      bids: [['1002000', String(2n * UNIT)]],
      asks: [['1004000', String(2n * UNIT)]],
    });
  });

  const book = fc.array(
    fc.record({
      price: fc.integer({ min: 149_990, max: 150_010 }).map((ticks) => BigInt(ticks) * 1_000n),
      base: fc.integer({ min: -5, max: 5 }).map((base) => BigInt(base === 0 ? 1 : base) * UNIT),
      slot: fc.nat(3),
    }),
    { maxLength: 40 },
  );

  function engineOf(placed: readonly Placed[]): ReturnType<typeof engineWith> {
    const orders = placed.map(orderOf);
    const makers = [0, 1, 2].map((maker) => {
      return makerOf(
        maker,
        orders.filter((_, index) => index % 3 === maker),
      );
    });
    return engineWith(PERP, ORACLE, ...makers);
  }

  test('an /l3 has the prices of the /l2, and its orders queue at them', () => {
    let crossings = 0;
    fc.assert(
      fc.property(book, (placed) => {
        const engine = engineOf(placed);
        const l2 = parsed(engine.l2({ market: 0, depth: 1_000, uncross: true }));
        const l3 = parsed(engine.l3({ market: 0, uncross: true }));
        expect(l3['crossed']).toBe(l2['crossed']);
        const was = parsed(engine.l3({ market: 0 })) as unknown as Sides<Row>;
        for (const side of SIDES) {
          const rows = (l3 as unknown as Sides<Row>)[side];
          const levels = (l2 as unknown as Sides<Level>)[side];
          expect(queuesOf(levels, rows)).toEqual(rows);
          const idOf = ({ maker, orderId }: Row): string => `${maker} ${orderId}`;
          expect(rows.map(idOf).sort()).toEqual(was[side].map(idOf).sort());
        }
        crossings += JSON.stringify(was.bids) === JSON.stringify((l3 as never)['bids']) ? 0 : 1;
      }),
      { numRuns: 150 },
    );
    expect(crossings).toBeGreaterThan(20);
  });

  /** The rows of a side grouped by level, best first, with their queue positions. */
  function queuesOf(levels: readonly Level[], rows: readonly Row[]): readonly Row[] {
    return levels.flatMap(({ price, size }) => {
      const here = rows.filter((row) => row.price === price);
      here.sort(
        (a, b) =>
          a.slot - b.slot ||
          a.orderId - b.orderId ||
          Buffer.compare(bytesOf(a.maker), bytesOf(b.maker)),
      );
      let ahead = 0n;
      const queued = here.map((row) => {
        const queue = String(ahead);
        ahead += BigInt(row.size);
        return { ...row, queue };
      });
      expect(String(ahead)).toBe(size);
      return queued;
    });
  }

  const makerNumbers = new Map([0, 1, 2].map((n) => [keyOf(Buffer.alloc(32, n + 1)), n + 1]));

  function bytesOf(maker: string): Buffer {
    return Buffer.alloc(32, makerNumbers.get(maker));
  }

  test('a cut /l3 and that of one maker are parts of the whole', () => {
    const maker = keyOf(Buffer.alloc(32, 2));
    fc.assert(
      fc.property(book, fc.integer({ min: 1, max: 12 }), (placed, depth) => {
        const engine = engineOf(placed);
        const rows = (request: object): Sides<Row> => {
          const body = engine.l3({ market: 0, uncross: true, ...request });
          const { bids, asks } = parsed(body) as unknown as Sides<Row>;
          return { bids, asks };
        };
        const { bids, asks } = rows({});
        expect(rows({ depth })).toEqual({ bids: bids.slice(0, depth), asks: asks.slice(0, depth) });
        const own = (side: Row[]): Row[] => side.filter((row) => row.maker === maker);
        expect(rows({ maker })).toEqual({ bids: own(bids), asks: own(asks) });
        expect(rows({ maker, depth }).bids).toEqual(own(bids).slice(0, depth));
      }),
      { numRuns: 100 },
    );
  });

  test('a book that is not crossed has the same bytes either way', () => {
    const apart = book.map((placed) =>
      placed.map((order) => ({
        ...order,
        price: order.price + (order.base > 0n ? -20_000n : 1_000n),
      })),
    );
    fc.assert(
      fc.property(apart, fc.integer({ min: 1, max: 30 }), (placed, depth) => {
        const engine = engineOf(placed);
        const text = (body: Uint8Array): string => Buffer.from(body).toString();
        for (const request of [
          { market: 0, depth },
          { market: 0, depth, grouping: 50 },
        ]) {
          expect(text(engine.l2({ ...request, uncross: true }))).toBe(text(engine.l2(request)));
        }
        const l3 = { market: 0, depth };
        expect(text(engine.l3({ ...l3, uncross: true }))).toBe(text(engine.l3(l3)));
      }),
      { numRuns: 100 },
    );
  });

  test('both forms of a body are kept beside each other', () => {
    const engine = engineOf([]);
    for (const uncross of [true, false, true, false]) {
      engine.l2({ market: 0, depth: 5, uncross });
      engine.l3({ market: 0, uncross });
    }
    expect(engine.stats()).toMatchObject({ bodies: 4, bodyUses: 8, bodyHits: 4 });
  });
});
