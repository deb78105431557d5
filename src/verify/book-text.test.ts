import { expect, test } from 'vitest';
import { readLevels, readOrders, readReason, readSymbols } from './book-text.js';

const order = { price: '12', size: '5', maker: 'M', orderId: 7, queue: '0' };
const book = (parts: object): string =>
  JSON.stringify({ bids: [], asks: [], state: 'live', seq: 3, slot: 9, ...parts });

test('orders are named by side, maker and id, levels by side and price', () => {
  const orders = readOrders(book({ bids: [order], asks: [{ ...order, price: '13' }] }));
  expect({ ...orders, rows: [...orders.rows] }).toEqual({
    state: 'live',
    seq: 3,
    slot: 9,
    rows: [
      ['bid M/7', '5@12'],
      ['ask M/7', '5@13'],
    ],
  });
  const levels = readLevels(book({ asks: [{ price: '13', size: '5', sources: {} }] }));
  expect([...levels.rows]).toEqual([['ask level 13', '5']]);
});

test('an order that stands twice is not the same as one that stands once', () => {
  expect([...readOrders(book({ bids: [order, order] })).rows]).toEqual([
    ['bid M/7', '5@12 and 5@12'],
  ]);
});

test.each([
  ['<html>', readOrders],
  ['[]', readOrders],
  ['null', readLevels],
  [book({ bids: null }), readLevels],
  [book({ bids: [null] }), readLevels],
  [book({ bids: [{ price: 12, size: '5' }] }), readLevels],
  [book({ bids: [{ ...order, maker: null }] }), readOrders],
  [book({ slot: '9' }), readOrders],
  ['{"symbol":"SOL"}', readSymbols],
  ['[{"symbol":5}]', readSymbols],
])('%s is a coded error', (text, read) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'MALFORMED_SERVICE_ANSWER' }));
});

test('the reason of /ready is repeated, and not at any length', () => {
  const body = (message: unknown) => JSON.stringify({ error: { message } });
  expect(readReason(body('the book is stale'))).toBe('the book is stale');
  expect(readReason(body('x'.repeat(10_000)))).toHaveLength(200);
  expect(readReason('{}')).toBe('it gave no reason');
});
