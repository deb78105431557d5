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
  test('account-authority: the wallet is an address', () => {
    const { authority } = shown({});
    expect(authority).toBe(AUTHORITY);
    expect(isAddress(authority)).toBe(true);
  });

  // Specification: account-sub-account-id, account-name, account-pool-id.
  test.each<[string, Partial<ModelUser>]>([
    ['account-sub-account-id: each subaccount has its own data', { subAccountId: 3 }],
    ['account-name: the name is the one that the user gave', { name: 'Vault' }],
    ['account-pool-id: the pool is a number', { poolId: 2 }],
  ])('%s', (_, parts) => expect(shown(parts)).toMatchObject(parts));

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

  // Specification: position-market-index.
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
  const stop = { orderType: 'triggerMarket', triggerPrice: 140_000_000n } as const;
  const named = { orderId: 7, marketIndex: 3, direction: 'short' } as const;
  const flags = { reduceOnly: true, postOnly: false, immediateOrCancel: true };

  // Specification: order-model-id, order-model-price, order-model-trigger, order-model-size.
  // Specification: order-model-offset, order-model-flags, order-model-type.
  test.each<[string, Parameters<typeof order>[0], object]>([
    [
      'order-model-id: an order is named by its number, its market and its direction',
      named,
      { ...named, marketKey: 'perp_3' },
    ],
    ['order-model-price: the limit price', {}, { price: '150000000' }],
    [
      'order-model-price: zero for market orders',
      { orderType: 'market', price: 0n },
      { price: '0' },
    ],
    [
      'order-model-trigger: the trigger price and its condition',
      { ...stop, triggerCondition: 'below' },
      { triggerPrice: '140000000', triggerCondition: 'below' },
    ],
    [
      'order-model-size: the whole size and what is filled of it, beyond 2^53 as well',
      { baseAssetAmount: 2n ** 63n + 1n, baseAssetAmountFilled: 2n ** 60n + 3n },
      { baseAssetAmount: '9223372036854775809', baseAssetAmountFilled: '1152921504606846979' },
    ],
    [
      'order-model-offset: what is added to the price of the oracle',
      { oraclePriceOffset: -5_000 },
      { oraclePriceOffset: '-5000' },
    ],
    ['order-model-flags: three truth values', flags, flags],
    ['order-model-type: the type by its name', { orderType: 'oracle' }, { orderType: 'oracle' }],
  ])('%s', (_, parts, expected) => expect(shownOrder(parts)).toMatchObject(expected));
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
