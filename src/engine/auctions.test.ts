import { describe, expect, test } from 'vitest';
import { Direction } from '../sim/bytes/generated/enums.js';
import {
  codeOf,
  engineWith,
  makerWith,
  NOW_MS,
  NOW_S,
  ORACLE,
  PERP,
  parsed,
  SLOT,
} from './testing.js';

/** A buy of 3, of which 0.5 is filled, in an auction of ten slots from 149.9 to 150.3. */
const trader = makerWith(7, [
  {
    slot: BigInt(SLOT),
    price: 150_300_000n,
    baseAssetAmount: 3_000_000_000n,
    baseAssetAmountFilled: 500_000_000n,
    auctionStartPrice: 149_900_000n,
    auctionEndPrice: 150_300_000n,
    auctionDuration: 10,
    orderId: 4_822,
    direction: Direction.Long,
    bitFlags: 1 | 2,
  },
]);

describe('engine: auctions', () => {
  test('a row has the members of the interface in their order', () => {
    const engine = engineWith(PERP, ORACLE, trader);
    engine.setClock(SLOT + 4, NOW_S);
    engine.endTurn(NOW_MS + 400);
    const [row] = parsed(engine.auctions({ market: 0 }))['auctions'] as readonly unknown[];
    const text = JSON.stringify(row);
    expect(text).toBe(
      JSON.stringify({
        ...{ orderType: 'limit', direction: 'long', price: '150300000', size: '2500000000' },
        ...{ baseAssetAmount: '3000000000', baseAssetAmountFilled: '500000000' },
        ...{ oraclePriceOffset: '0', maker: trader.pubkey, orderId: 4_822, slot: SLOT, maxTs: 0 },
        ...{ reduceOnly: false, postOnly: false, signedMsg: true },
        ...{ auctionStartPrice: '149900000', auctionEndPrice: '150300000' },
        ...{ startPrice: '149900000', endPrice: '150300000', currentPrice: '150060000' },
        ...{ auctionDuration: 10, slotsLeft: 6 },
      }),
    );
  });

  test('an order is signed by one flag of several', () => {
    const auction = { slot: BigInt(SLOT), price: 1_000_000n, baseAssetAmount: 1_000_000_000n };
    const orders = [2, 3].map((bitFlags) => ({ ...auction, auctionDuration: 10, bitFlags }));
    const engine = engineWith(PERP, ORACLE, makerWith(8, orders));
    const { auctions } = parsed(engine.auctions({ market: 0 })) as {
      auctions: readonly { readonly signedMsg: boolean }[];
    };
    expect(auctions.map(({ signedMsg }) => signedMsg)).toEqual([false, true]);
  });

  test('the body ends as that of /l3 does', () => {
    const engine = engineWith(PERP, ORACLE, trader);
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
