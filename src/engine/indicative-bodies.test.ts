import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { L3Request } from '../contract/book-requests.js';
import type { IndicativeQuote } from '../contract/indicative.js';
import { Direction } from '../sim/bytes/generated/enums.js';
import type { OrderFields } from '../sim/bytes/user-account.js';
import type { Engine } from './engine.js';
import { engineWith, makerKey, makerWith, NOW_MS, ORACLE, PERP, parsed, SLOT } from './testing.js';

interface Level {
  readonly price: string;
  readonly size: string;
  readonly sources: Readonly<Record<string, string>>;
}

interface Row {
  readonly price: string;
  readonly size: string;
  readonly queue: string;
  readonly maker: string;
  readonly orderId: number;
  readonly slot: number;
  readonly maxTs: number;
  readonly oraclePriceOffset: string;
}

type Sides<T> = Record<'bids' | 'asks', readonly T[]> & { readonly crossed: boolean };

const SIDES = ['bids', 'asks'] as const;
const UNIT = 1_000_000_000n;
const TICK = 100n;
const QUOTES = 'inDNdu3ML4vG5LNExqcwuCQtLcCU8KfK5YM2qYV3JJz';

/** A resting order: signed size in whole units, bids above 0. */
interface Placed {
  readonly price: bigint;
  readonly size: bigint;
  readonly slot: number;
}

const orderOf = ({ price, size, slot }: Placed): Partial<OrderFields> => ({
  slot: BigInt(SLOT - 1_000 + slot),
  price,
  baseAssetAmount: (size < 0n ? -size : size) * UNIT,
  direction: size > 0n ? Direction.Long : Direction.Short,
  postOnly: true,
});

const sideOf = (price: bigint, size: bigint) => ({ price, size: size * UNIT });
const fixed = (bid: [bigint, bigint] | null, ask: [bigint, bigint] | null): IndicativeQuote => ({
  bid: bid === null ? null : sideOf(...bid),
  ask: ask === null ? null : sideOf(...ask),
  isOracleOffset: false,
});

function quotedBook(
  orders: readonly Placed[],
  quotes: readonly (readonly IndicativeQuote[])[],
  policy: 'join' | 'improve' = 'join',
): Engine {
  const engine = engineWith(PERP, ORACLE, makerWith(1, orders.map(orderOf)));
  engine.setIndicativePolicy(policy);
  quotes.forEach((ofMaker, number) => {
    const request = { market: 0, maker: makerKey(101 + number), quotes: ofMaker, tsMs: NOW_MS };
    expect(engine.setIndicative(request)).toBe('changed');
  });
  engine.endTurn(NOW_MS + 1);
  return engine;
}

const l2Of = (engine: Engine, request: object = {}): Sides<Level> =>
  parsed(engine.l2({ market: 0, depth: 1_000, indicative: true, ...request })) as never;
const l3Of = (engine: Engine, request: Partial<L3Request> = {}): Sides<Row> =>
  parsed(engine.l3({ market: 0, indicative: true, ...request })) as never;

const touch: readonly Placed[] = [
  { price: 90_000_000n, size: 2n, slot: 0 },
  { price: 110_000_000n, size: -3n, slot: 1 },
];
const inside = [fixed([95_000_000n, 1n], [105_000_000n, 4n])];

describe('bodies with indicative quotes', () => {
  // Specification: rule-3.
  test('show them as a source of a level, and only when they are asked for', () => {
    const engine = quotedBook(touch, [[fixed([90_000_000n, 1n], null)], inside]);
    expect(l2Of(engine)).toMatchObject({
      bids: [
        {
          price: '90000000',
          size: String(4n * UNIT),
          sources: { dlob: String(2n * UNIT), indicative: String(2n * UNIT) },
        },
      ],
      asks: [
        {
          price: '110000000',
          size: String(7n * UNIT),
          sources: { dlob: String(3n * UNIT), indicative: String(4n * UNIT) },
        },
      ],
    });
    const { bids, asks } = l2Of(engine, { indicative: false });
    expect([...bids, ...asks].map(({ sources }) => Object.keys(sources))).toEqual([
      ['dlob'],
      ['dlob'],
    ]);
    expect(l3Of(engine, { indicative: false }).bids).toHaveLength(1);
  });

  test('say that quotes cross', () => {
    const engine = quotedBook(touch, [[fixed([120_000_000n, 1n], null)]], 'improve');
    expect([l2Of(engine).crossed, l3Of(engine).crossed]).toEqual([true, true]);
    expect(l3Of(engine, { indicative: false }).crossed).toBe(false);
    expect(l3Of(engine, { uncross: true }).crossed).toBe(false);
  });
});

const placed = fc.record({
  price: fc.bigInt({ min: 900n, max: 930n }).map((ticks) => ticks * TICK),
  size: fc
    .integer({ min: -3, max: 3 })
    .filter((size) => size !== 0)
    .map(BigInt),
  slot: fc.integer({ min: 990, max: 1_010 }),
});
const quotedSide = fc.option(
  fc.tuple(fc.bigInt({ min: 89_000n, max: 94_000n }), fc.bigInt({ min: 1n, max: 3n })),
);
const quoteList = fc.array(
  fc.tuple(quotedSide, quotedSide).map(([bid, ask]) => fixed(bid, ask)),
  {
    minLength: 1,
    maxLength: 6,
  },
);

describe('bodies with indicative quotes, of any book', () => {
  test('have the same levels by level and by order, uncrossed or not, of whichever maker', () => {
    fc.assert(
      fc.property(
        fc.array(placed, { maxLength: 20 }),
        fc.array(quoteList, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('join' as const, 'improve' as const),
        fc.boolean(),
        (orders, quotes, policy, uncross) => {
          const given = quotes.filter((list) => list.some(({ bid, ask }) => bid ?? ask));
          const engine = quotedBook(orders, given, policy);
          const levels = l2Of(engine, { uncross });
          const rows = l3Of(engine, { uncross });
          const quoted = l3Of(engine, { uncross, maker: QUOTES });
          const firm = l3Of(engine, { uncross, maker: makerKey(1) });
          expect(rows.crossed).toBe(levels.crossed);
          for (const side of SIDES) {
            expect(ladderOf(rows[side])).toEqual(levels[side]);
            expect(rows[side].filter((row) => row.maker === QUOTES)).toEqual(quoted[side]);
            expect(rows[side].filter((row) => row.maker !== QUOTES)).toEqual(firm[side]);
            expect(l3Of(engine, { uncross, depth: 3 })[side]).toEqual(rows[side].slice(0, 3));
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

/** The levels that the rows add up to. Also checks the queue position of each row. */
function ladderOf(rows: readonly Row[]): Level[] {
  const levels: { price: string; dlob: bigint; indicative: bigint }[] = [];
  for (const { price, size, queue, maker } of rows) {
    let level = levels.at(-1);
    if (level?.price !== price) {
      level = { price, dlob: 0n, indicative: 0n };
      levels.push(level);
    }
    expect(BigInt(queue)).toBe(level.dlob + level.indicative);
    level[maker === QUOTES ? 'indicative' : 'dlob'] += BigInt(size);
  }
  return levels.map(({ price, dlob, indicative }) => ({
    price,
    size: String(dlob + indicative),
    sources: {
      ...(dlob === 0n ? {} : { dlob: String(dlob) }),
      ...(indicative === 0n ? {} : { indicative: String(indicative) }),
    },
  }));
}
