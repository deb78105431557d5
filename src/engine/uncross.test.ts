import { describe, expect, test } from 'vitest';
import type { RawAccount } from '../contract/accounts.js';
import { Direction, MarketType } from '../sim/bytes/generated/enums.js';
import type { OrderFields } from '../sim/bytes/user-account.js';
import { engineWith, makerWith, ORACLE, PERP, parsed, SLOT, SPOT } from './testing.js';

interface Level {
  readonly price: string;
  readonly size: string;
  readonly sources: { readonly dlob: string };
}

type Sides<T> = Record<'bids' | 'asks', T[]>;

/** An order to place: signed size, bids above 0. */
interface Placed {
  readonly price: bigint;
  readonly base: bigint;
}

const UNIT = 1_000_000_000n;

function orderOf({ price, base }: Placed): Partial<OrderFields> {
  return {
    slot: BigInt(SLOT - 1_000),
    price,
    baseAssetAmount: base < 0n ? -base : base,
    direction: base > 0n ? Direction.Long : Direction.Short,
    postOnly: true,
  };
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
    const engine = engineWith(PERP, ORACLE, makerWith(1, placed.map(orderOf)));
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
    const orders = placed.map((order) => ({ ...orderOf(order), ...spot }));
    const engine = engineWith(SPOT, makerWith(1, orders));
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
    const engine = engineWith(PERP, ORACLE, makerWith(1, placed.map(orderOf)));
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

  test('both forms of a body are kept beside each other', () => {
    const engine = engineWith(PERP, ORACLE);
    for (const uncross of [true, false, true, false]) {
      engine.l2({ market: 0, depth: 5, uncross });
      engine.l3({ market: 0, uncross });
    }
    expect(engine.stats()).toMatchObject({ bodies: 4, bodyUses: 8, bodyHits: 4 });
  });
});
