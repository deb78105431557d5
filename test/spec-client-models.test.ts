/** The specification's client-side read models, field by field. */
import { describe, expect, test } from 'vitest';
import {
  AccountCache,
  type AccountData,
  accountData,
  isSignedMsgOrder,
  MarketTerms,
  type ModelUser,
  type PerpPositionInfo,
} from '../src/client/accounts/index.js';
import { accountIdOfKey, isAddress, marketIdOfKey } from '../src/client/index.js';
import {
  AUTHORITY,
  balance,
  boughtAt,
  NOW_S,
  order,
  tellMarkets,
  user,
} from './support/model-scene.js';

/** What is shown of a user at an oracle price of whole dollars, with a mark price one above. */
function shown(parts: Partial<ModelUser>, oracle = 131.25): AccountData {
  const markets = new MarketTerms();
  tellMarkets(markets, { oracle, mark: oracle + 1 });
  return accountData(user(parts), markets);
}

/** 500 dollars, and ten units bought at 150. */
const buyer: Partial<ModelUser> = {
  perpPositions: [boughtAt(10, 150)],
  spotPositions: [balance(500)],
};

function positionOf(parts: Partial<ModelUser> = buyer, oracle?: number): PerpPositionInfo {
  const [position] = shown(parts, oracle).openPerpPositions;
  if (position === undefined) throw new Error('no position is shown');
  return position;
}

function shownOrder(parts: Parameters<typeof order>[0]) {
  const [first] = shown({ orders: [order(parts)] }).openOrders;
  if (first === undefined) throw new Error('no order is shown');
  return first;
}

describe('account data', () => {
  test('account-sub-account-id: each subaccount has its own data', () => {
    expect(shown({ subAccountId: 3 }).subAccountId).toBe(3);
  });

  test('account-authority: the wallet is an address', () => {
    const { authority } = shown({});
    expect(authority).toBe(AUTHORITY);
    expect(isAddress(authority)).toBe(true);
  });

  test('account-name: the name is the one that the user gave', () => {
    expect(shown({ name: 'Vault' }).name).toBe('Vault');
  });

  test('account-pool-id: the pool is a number', () => {
    expect(shown({ poolId: 2 }).poolId).toBe(2);
  });

  test('account-open-perp-positions: positions with base or quote are shown, empty ones are not', () => {
    const left = boughtAt(0, 0, { marketIndex: 1, quoteAssetAmount: -7n });
    const ordersOnly = boughtAt(0, 0, { marketIndex: 2, openOrders: 1, openBids: 5n });
    const data = shown({ perpPositions: [boughtAt(10, 150), left, ordersOnly] });
    expect(data.openPerpPositions.map(({ marketIndex }) => marketIndex)).toEqual([0, 1]);
  });

  test('account-open-orders: open orders go through JSON unchanged, others are left out', () => {
    const orders = [
      order(),
      order({ orderId: 2, status: 'filled' }),
      order({ orderId: 3, status: 'canceled' }),
      order({ orderId: 4, baseAssetAmount: 0n }),
    ];
    const { openOrders } = shown({ orders });
    expect(openOrders.map(({ orderId }) => orderId)).toEqual([1]);
    expect(JSON.parse(JSON.stringify(openOrders))).toEqual(openOrders);
  });

  test('account-spot-balances: each market with a balance has one', () => {
    const empty = balance(0, { marketIndex: 2, openOrders: 1 });
    const { spotBalances } = shown({ spotPositions: [balance(500), empty] });
    expect(spotBalances.map(({ marketIndex }) => marketIndex)).toEqual([0]);
  });
});

describe('perp position info', () => {
  test('position-market-index: it names its market', () => {
    expect(positionOf()).toMatchObject({ marketIndex: 0, marketKey: 'perp_0' });
  });

  test('position-pnl-percentage: of what was paid, times the leverage; a number', () => {
    const { oracleBased } = positionOf().positionPnl;
    expect(oracleBased?.positionPnlPercentage).toBe(-52.5);
    expect(oracleBased?.marginReturnPercentage).toBe(-52.5);
    const poor = { ...buyer, spotPositions: [balance(300)] };
    const under = positionOf(poor, 100).positionPnl.oracleBased;
    // The reference library shows a loss of who owes more than he owns as a gain.
    expect(under?.positionPnlPercentage).toBe(166.65);
    expect(under?.marginReturnPercentage).toBeNull();
  });

  test('position-amounts: every amount is a bigint, as in the account it is of', () => {
    const { positionPnl, marketIndex, marketKey, direction, isolatedMargin, ...amounts } =
      positionOf();
    expect([marketIndex, marketKey, direction, isolatedMargin]).toEqual([
      0,
      'perp_0',
      'long',
      null,
    ]);
    expect(Object.keys(amounts)).toHaveLength(12);
    for (const amount of Object.values(amounts)) expect(typeof amount).toBe('bigint');
    expect(typeof positionPnl.markBased?.positionNotionalPnl).toBe('bigint');
  });
});

describe('orders', () => {
  test('order-model-id: an order is named by its number, its market and its direction', () => {
    const shownOne = shownOrder({ orderId: 7, marketIndex: 3, direction: 'short' });
    expect(shownOne).toMatchObject({ orderId: 7, marketIndex: 3, direction: 'short' });
    expect(shownOne.marketKey).toBe('perp_3');
  });

  test('order-model-price: the limit price, zero for market orders', () => {
    expect(shownOrder({}).price).toBe('150000000');
    expect(shownOrder({ orderType: 'market', price: 0n }).price).toBe('0');
  });

  test('order-model-trigger: the trigger price and its condition', () => {
    const stop = { orderType: 'triggerMarket', triggerPrice: 140_000_000n } as const;
    expect(shownOrder({ ...stop, triggerCondition: 'below' })).toMatchObject({
      triggerPrice: '140000000',
      triggerCondition: 'below',
    });
  });

  test('order-model-size: the whole size and what is filled of it, beyond 2^53 as well', () => {
    const sizes = { baseAssetAmount: 2n ** 63n + 1n, baseAssetAmountFilled: 2n ** 60n + 3n };
    expect(shownOrder(sizes)).toMatchObject({
      baseAssetAmount: '9223372036854775809',
      baseAssetAmountFilled: '1152921504606846979',
    });
  });

  test('order-model-offset: what is added to the price of the oracle', () => {
    expect(shownOrder({ oraclePriceOffset: -5_000 }).oraclePriceOffset).toBe('-5000');
  });

  test('order-model-flags: three truth values', () => {
    const flags = { reduceOnly: true, postOnly: false, immediateOrCancel: true };
    expect(shownOrder(flags)).toMatchObject(flags);
  });

  test('order-model-type: the type by its name', () => {
    expect(shownOrder({ orderType: 'oracle' }).orderType).toBe('oracle');
  });

  test('order-model-label: an order is called what it does', () => {
    const labelOf = (parts: Parameters<typeof order>[0]) => shownOrder(parts).label;
    expect(labelOf({})).toBe('Limit');
    expect(labelOf({ oraclePriceOffset: 1 })).toBe('Oracle Limit');
    const stop = { orderType: 'triggerMarket', triggerCondition: 'below' } as const;
    expect(labelOf({ ...stop, direction: 'short' })).toBe('Stop Market');
    expect(labelOf({ ...stop, direction: 'long' })).toBe('TP Market');
  });
});

describe('balances, keys and signed messages', () => {
  test('cache-keys: accounts by subaccount id with authority, prices by market', () => {
    const cache = new AccountCache({ nowS: () => NOW_S });
    cache.updateAccount({ user: user({ subAccountId: 4 }), slot: 1 });
    const [key] = cache.store.keys();
    expect(key).toBe(`4_${AUTHORITY}`);
    expect(accountIdOfKey(key ?? '')).toEqual({ subAccountId: 4, authority: AUTHORITY });
    expect(marketIdOfKey('perp_0').marketIndex).toBe(0);
    expect(() => cache.updatePrices({ ['sol' as 'perp_0']: { oracle: 1n } })).toThrow('market key');
  });

  test('access-signed-msg: an order tells whether it came by a signed message', () => {
    expect(isSignedMsgOrder(order({ bitFlags: 0b0001 }))).toBe(true);
    expect(isSignedMsgOrder(order({ bitFlags: 0b1_0001 }))).toBe(true);
    expect(isSignedMsgOrder(order({ bitFlags: 0b1_1110 }))).toBe(false);
    expect(shownOrder({ bitFlags: 1 }).isSignedMsg).toBe(true);
  });
});
