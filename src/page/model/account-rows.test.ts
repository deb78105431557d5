/** An account as the page shows it. */
import type { AccountOrder, LiveTrade, PerpHolding } from '@slotbook/client';
import { expect, test } from 'vitest';
import {
  distanceText,
  entryPrice,
  ownFills,
  ownLevels,
  placeText,
  sortOrders,
} from './account-rows.js';

const order = (changes: Partial<Record<keyof AccountOrder, unknown>>) =>
  ({
    ...{ marketName: 'SOL-PERP', direction: 'long', leftOut: null, price: 0n },
    ...{ priceNow: 100_000_000n, ordersAhead: 0, sizeAhead: 0n, distance: 0n },
    ...changes,
  }) as unknown as AccountOrder;

test('an order says its place in the queue, or why it has none', () => {
  const said = (changes: Parameters<typeof order>[0]) =>
    placeText(order(changes), (size) => `${size} SOL`);
  expect(said({})).toBe('first');
  expect(said({ ordersAhead: 3, sizeAhead: 7n })).toBe('3 ahead, 7 SOL');
  expect(said({ leftOut: 'inAuction', ordersAhead: null })).toBe('in auction');
  expect(said({ ordersAhead: null })).toBe('not in the book');
});

test('the distance is in basis points of the price', () => {
  expect(distanceText(order({}))).toBe('at the touch');
  expect(distanceText(order({ distance: 50_000n }))).toBe('5.00 bps');
  expect(distanceText(order({ distance: null, priceNow: null }))).toBe('–');
});

test('the entry of a short is positive, and a position without base has none', () => {
  const entry = (baseAssetAmount: bigint, quoteEntryAmount: bigint) =>
    entryPrice({ baseAssetAmount, quoteEntryAmount } as unknown as PerpHolding);
  expect(entry(2_000_000_000n, -170_000_000n)).toBe(85_000_000n);
  expect(entry(-2_000_000_000n, 170_000_000n)).toBe(85_000_000n);
  expect(entry(0n, 5n)).toBeNull();
});

test('own levels are those of the ladder: bids round down, asks up, and no order beside the book', () => {
  const orders = [
    order({ priceNow: 99_990_000n }),
    order({ priceNow: 100_010_000n, direction: 'short' }),
    order({ priceNow: 100_100_000n, direction: 'short' }),
    order({ leftOut: 'untriggered' }),
    order({ marketName: 'BTC-PERP' }),
  ];
  const { bid, ask } = ownLevels(orders, { symbol: 'SOL-PERP' }, 100_000n);
  expect([...bid]).toEqual([99_900_000n]);
  expect([...ask]).toEqual([100_100_000n]);
});

test('orders stand as in a ladder', () => {
  const sorted = sortOrders([
    order({ price: 1n, priceNow: null }),
    order({}),
    order({ marketName: 'BTC-PERP' }),
  ]);
  expect(sorted.map(({ marketName, priceNow }) => [marketName, priceNow])).toEqual([
    ['BTC-PERP', 100_000_000n],
    ['SOL-PERP', 100_000_000n],
    ['SOL-PERP', null],
  ]);
});

test('fills are those of the accounts, by their own side, oldest first', () => {
  const trade = (changes: object) =>
    ({
      ts: 1,
      price: 85_000_000n,
      taker: 'a',
      maker: 'b',
      takerOrderDirection: 'long',
      ...changes,
    }) as unknown as LiveTrade;
  const trades = [
    trade({ ts: 3, taker: 'c' }),
    trade({ ts: 2, taker: 'c', maker: 'd' }),
    trade({}),
  ];
  expect(ownFills(trades, new Set(['b']))).toEqual([
    { ts: 1, price: 85, isBuy: false },
    { ts: 3, price: 85, isBuy: false },
  ]);
  expect(ownFills(trades, new Set(['a']))).toEqual([{ ts: 1, price: 85, isBuy: true }]);
});
