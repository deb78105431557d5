import { beforeEach, describe, expect, test } from 'vitest';
import type { Readiness } from '../../contract/feed-status.js';
import type { HistoryStats } from '../../contract/history-source.js';
import { liveFigures } from '../testing/fake-history.js';
import { FakeBook } from '../testing/running-server.js';
import { FirstReady, type FirstReadyOptions } from './first-ready.js';

let readiness: Readiness;
let stats: HistoryStats;
let book: FakeBook;
let marketNames: string[];
let ready: FirstReady;
let options: FirstReadyOptions;

beforeEach(() => {
  readiness = { everLive: true, state: 'live', reason: null, slot: 7 };
  stats = { ...liveFigures, counts: {} };
  book = new FakeBook();
  marketNames = [];
  options = {
    readiness: () => readiness,
    directory: { markets: () => book.markets() },
    marketNames,
    history: { readStats: () => stats },
  };
  ready = new FirstReady(options);
});

describe('a service is ready', () => {
  test('when its book is live, a market is listed and the history is open', () => {
    expect(ready.waitReason()).toBeNull();
  });

  test('not before its history is open, and the reason is said', () => {
    stats = { ...stats, state: 'starting', reason: 'the genesis hash of the chain is being read' };
    expect(ready.waitReason()).toBe(
      'the history is not open yet: the genesis hash of the chain is being read',
    );
    stats = { ...stats, state: 'backfilling', reason: null };
    expect(ready.waitReason()).toBeNull();
  });

  test('not before its history is filled, where that is asked for', () => {
    ready = new FirstReady({ ...options, historyFirst: 'filled' });
    stats = { ...stats, state: 'backfilling', reason: null };
    expect(ready.waitReason()).toBe('the history is being filled');
    stats = { ...stats, state: 'live' };
    expect(ready.waitReason()).toBeNull();
  });

  test('with a history that fails, which is not waited for', () => {
    stats = { ...stats, state: 'failing', reason: 'the disk is full' };
    expect(ready.waitReason()).toBeNull();
  });

  test('not while the orders of all perp markets rest on a CLOB program, also after it was', () => {
    const [perp] = book.rows;
    if (perp === undefined) throw new Error('the book has a market');
    const other = { ...perp, id: 1, symbol: 'OTHER-PERP' };
    const spot = { ...perp, id: 2, symbol: 'SPOT', marketType: 'spot' as const };
    const moved = { ...perp, emptyReason: 'ordersOnClob' };
    expect(ready.waitReason()).toBeNull();
    book.rows = [moved, other, spot];
    expect(ready.waitReason()).toBeNull();
    book.rows = [moved, { ...other, emptyReason: 'marketFillPaused' }, spot];
    expect(ready.waitReason()).toBeNull();
    book.rows = [moved, { ...other, emptyReason: 'ordersOnClob' }, spot];
    expect(ready.waitReason()).toMatch(/the orders of all perp markets rest on a CLOB program/);
    book.rows = [perp, { ...other, emptyReason: 'ordersOnClob' }, spot];
    expect(ready.waitReason()).toBeNull();
  });

  test('not before a market of --markets, or any market, is on the chain', () => {
    book.rows = [];
    expect(ready.waitReason()).toBe('no market is on this chain');
    marketNames.push('NOPE');
    expect(ready.waitReason()).toBe('no market of --markets is on this chain: NOPE');
  });

  test('when its book stands still at a past moment, whatever it was then', () => {
    readiness = { ...readiness, state: 'rebuilding', reason: 'it was rebuilding' };
    expect(ready.waitReason()).toBe('it was rebuilding');
    readiness = { ...readiness, standsStill: true };
    marketNames.push('NOPE');
    book.rows = [];
    expect(ready.waitReason()).toBeNull();
  });

  test('whatever becomes of history and markets later', () => {
    expect(ready.waitReason()).toBeNull();
    for (const state of ['starting', 'failing', 'off'] as const) {
      stats = { ...stats, state, reason: 'something went wrong' };
      expect(ready.waitReason()).toBeNull();
    }
    marketNames.push('NOPE');
    book.rows = [];
    expect(ready.waitReason()).toBeNull();
    readiness = { ...readiness, state: 'stale', reason: 'no slot for 9 s' };
    expect(ready.waitReason()).toBe('no slot for 9 s');
  });
});
