import { describe, expect, test } from 'vitest';
import type { RawAccount } from '../contract/accounts.js';
import { lazerOracleBytes } from '../sim/bytes/accounts.js';
import { Direction, OrderType } from '../sim/bytes/chain-enums.js';
import { keyOf } from '../sim/bytes/keys.js';
import { emptyOrder, type OrderFields, userBytes } from '../sim/bytes/user-account.js';
import type { Engine } from './engine.js';
import {
  ADDRESS,
  codeOf,
  engineWith,
  NOW_MS,
  NOW_S,
  ORACLE,
  PERP,
  PROGRAM,
  parsed,
  SLOT,
} from './testing.js';

const AUTHORITY = keyOf(Buffer.alloc(32, 7));
const TICK = 100n;

/** A buy of 3, of which 0.5 is filled, in an auction of ten slots from 149.9 to 150.3. */
function order(more: Partial<OrderFields> = {}): OrderFields {
  return {
    ...emptyOrder(),
    slot: BigInt(SLOT),
    price: 150_300_000n,
    baseAssetAmount: 3_000_000_000n,
    baseAssetAmountFilled: 500_000_000n,
    auctionStartPrice: 149_900_000n,
    auctionEndPrice: 150_300_000n,
    auctionDuration: 10,
    orderId: 4_822,
    direction: Direction.Long,
    bitFlags: 1,
    ...more,
  };
}

function trader(...orders: readonly OrderFields[]): RawAccount {
  const user = {
    ...{ authority: AUTHORITY, name: 'taker', subAccountId: 0, status: 0, idle: false },
    ...{ nextOrderId: 9, lastActiveSlot: BigInt(SLOT), orders, perpPositions: [] },
    spotPositions: [],
  };
  const data = userBytes(user).toString('base64');
  return { pubkey: AUTHORITY, owner: PROGRAM, slot: SLOT, data, encoding: 'base64' };
}

function moveTo(engine: Engine, slot: number, seconds = 0): void {
  engine.setClock(slot, NOW_S + seconds);
  engine.endTurn(NOW_MS + 400);
}

const auctions = (engine: Engine) =>
  parsed(engine.auctions({ market: 0 }))['auctions'] as readonly Record<string, unknown>[];

const bids = (engine: Engine) =>
  parsed(engine.l3({ market: 0 }))['bids'] as readonly Record<string, unknown>[];

describe('engine: auctions', () => {
  test('a row has the members of the interface in their order', () => {
    const engine = engineWith(PERP, ORACLE, trader(order()));
    moveTo(engine, SLOT + 4);
    const text = JSON.stringify(auctions(engine)[0]);
    expect(text).toBe(
      JSON.stringify({
        ...{ orderType: 'limit', direction: 'long', price: '150300000', size: '2500000000' },
        ...{ baseAssetAmount: '3000000000', baseAssetAmountFilled: '500000000' },
        ...{ oraclePriceOffset: '0', maker: AUTHORITY, orderId: 4_822, slot: SLOT, maxTs: 0 },
        ...{ reduceOnly: false, postOnly: false, signedMsg: true },
        ...{ auctionStartPrice: '149900000', auctionEndPrice: '150300000' },
        ...{ startPrice: '149900000', endPrice: '150300000', currentPrice: '150060000' },
        ...{ auctionDuration: 10, slotsLeft: 6 },
      }),
    );
  });

  test('the body ends as that of /l3 does', () => {
    const engine = engineWith(PERP, ORACLE, trader(order()));
    const { auctions: _, ...rest } = parsed(engine.auctions({ market: 0 }));
    const { bids: _bids, asks: _asks, ...restOfOrders } = parsed(engine.l3({ market: 0 }));
    expect(JSON.stringify(rest)).toBe(JSON.stringify(restOfOrders));
  });

  test('an order is in exactly one of /auctions and /l3 in every slot, and moves in the right one', () => {
    const engine = engineWith(PERP, ORACLE, trader(order({ auctionDuration: 5 })));
    for (let slot = SLOT - 2; slot < SLOT + 12; slot += 1) {
      moveTo(engine, slot);
      const inAuction = slot <= SLOT + 5;
      expect([slot, auctions(engine).length]).toEqual([slot, inAuction ? 1 : 0]);
      expect([slot, bids(engine).length]).toEqual([slot, inAuction ? 0 : 1]);
    }
  });

  test('an auction of offsets moves with the oracle, on the tick', () => {
    const offsets = { auctionStartPrice: -40_050n, auctionEndPrice: 60_000n, price: 0n };
    const floating = order({ ...offsets, orderType: OrderType.Oracle, maxTs: BigInt(NOW_S + 9) });
    const engine = engineWith(PERP, ORACLE, trader(floating));
    for (const price of [150_000_000n, 151_234_500n]) {
      const oracle = { price, conf: 1n, exponent: -6, postedSlot: BigInt(SLOT) };
      const data = lazerOracleBytes({ ...oracle, publishTimeUs: BigInt(NOW_S) * 1_000_000n });
      const account = { pubkey: ADDRESS.oracle, owner: ORACLE.owner, slot: SLOT };
      engine.push({ ...account, data: data.toString('base64'), encoding: 'base64' });
      engine.endTurn(NOW_MS);
      const { oracle: read } = parsed(engine.l3({ market: 0 }));
      const start = BigInt(String(read)) - 40_050n;
      expect(read).toBe(Number(price));
      expect(auctions(engine)).toMatchObject([
        {
          startPrice: String(start - (start % TICK)),
          currentPrice: String(start - (start % TICK)),
        },
      ]);
    }
  });

  test('expired, cancelled and market orders that are over vanish', () => {
    const market = order({ orderType: OrderType.Market, maxTs: BigInt(NOW_S + 5) });
    const engine = engineWith(PERP, ORACLE, trader(market));
    expect(auctions(engine)).toMatchObject([{ orderType: 'market' }]);
    moveTo(engine, SLOT + 1, 6);
    expect(auctions(engine)).toEqual([]);
    engine.push(trader(order()));
    engine.endTurn(NOW_MS);
    expect(auctions(engine)).toHaveLength(1);
    engine.push(trader());
    engine.endTurn(NOW_MS);
    expect([auctions(engine), bids(engine)]).toEqual([[], []]);
  });

  test('a change of the auctions is a new body, but not a new book', () => {
    const engine = engineWith(PERP, ORACLE, trader(order()));
    const before = engine.version(0);
    const body = Buffer.from(engine.auctions({ market: 0 }));
    expect(Buffer.compare(body, engine.auctions({ market: 0 }))).toBe(0);
    engine.push(trader(order({ baseAssetAmountFilled: 600_000_000n })));
    const { dirty } = engine.endTurn(NOW_MS);
    expect(dirty).toEqual([]);
    const after = engine.version(0);
    expect(after).toEqual({ ...before, auctions: after.auctions });
    expect(after.auctions).not.toBe(before.auctions);
    expect(auctions(engine)).toMatchObject([{ size: '2400000000' }]);
  });

  test('an unknown market has its code', () => {
    const engine = engineWith(PERP);
    for (const market of [1, 70_000]) {
      expect(codeOf(() => engine.auctions({ market }))).toBe('MARKET_NOT_FOUND');
    }
  });
});
