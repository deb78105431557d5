import { describe, expect, test } from 'vitest';
import type { RawAccount } from '../contract/accounts.js';
import { Direction } from '../sim/bytes/chain-enums.js';
import { keyOf } from '../sim/bytes/keys.js';
import { emptyOrder, type OrderFields, userBytes } from '../sim/bytes/user-account.js';
import {
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
/** A buy of 3, of which 0.5 is filled, in an auction of ten slots from 149.9 to 150.3. */
function order(): OrderFields {
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

describe('engine: auctions', () => {
  test('a row has the members of the interface in their order', () => {
    const engine = engineWith(PERP, ORACLE, trader(order()));
    engine.setClock(SLOT + 4, NOW_S);
    engine.endTurn(NOW_MS + 400);
    const [row] = parsed(engine.auctions({ market: 0 }))['auctions'] as readonly unknown[];
    const text = JSON.stringify(row);
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

  test('an unknown market has its code', () => {
    const engine = engineWith(PERP);
    for (const market of [1, 70_000]) {
      expect(codeOf(() => engine.auctions({ market }))).toBe('MARKET_NOT_FOUND');
    }
  });
});
