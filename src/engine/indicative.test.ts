import { describe, expect, test } from 'vitest';
import type { IndicativeQuote, MakerQuotes } from '../contract/indicative.js';
import { packQuotes } from './indicative.js';
import { ADDRESS, engineWith, idOf, NOW_MS, ORACLE, PERP } from './testing.js';

const side = (price: bigint, size = 1_000_000_000n) => ({ price, size });
const quote: IndicativeQuote = {
  bid: side(90_000_000n),
  ask: side(900_000_000n),
  isOracleOffset: false,
};

function quoting() {
  const engine = engineWith(PERP, ORACLE);
  const market = idOf(engine, 'SOL-PERP');
  const set = (request: Partial<MakerQuotes>) =>
    engine.setIndicative({
      ...{ market, maker: ADDRESS.user, quotes: [quote], tsMs: NOW_MS },
      ...request,
    });
  return { engine, market, set };
}

describe('indicative quotes', () => {
  test('are counted, change their market, and leave it with the turn of a second later', () => {
    const { engine, market, set } = quoting();
    expect(set({})).toBe('changed');
    expect(set({ tsMs: NOW_MS + 1 })).toBe('unchanged');
    expect(engine.endTurn(NOW_MS + 2)).toMatchObject({
      dirty: [],
      requoted: [],
      indicated: [market],
    });
    expect(engine.stats()).toMatchObject({ quotingMakers: 1, quotes: 2 });
    expect(engine.indicativeDueMs()).toBe(NOW_MS + 1_000);
    expect(engine.endTurn(NOW_MS + 1_000).indicated).toEqual([]);
    expect(engine.indicativeDueMs()).toBe(NOW_MS + 1_001);
    expect(engine.endTurn(NOW_MS + 1_001).indicated).toEqual([market]);
    expect(engine.stats()).toMatchObject({ quotingMakers: 0, quotes: 0 });
    expect(engine.indicativeDueMs()).toBeNull();
  });

  test('are refused one by one for what is wrong with them', () => {
    const { market, set } = quoting();
    const withBid = (price: bigint, isOracleOffset = false, size = 1n) =>
      set({ quotes: [{ bid: { price, size }, ask: null, isOracleOffset }] });
    expect(set({ market: market + 1 })).toBe('unknownMarket');
    expect(set({ market: 65_536 })).toBe('unknownMarket');
    expect(set({ maker: '' })).toBe('invalidMaker');
    expect(set({ maker: `${ADDRESS.user}x` })).toBe('invalidMaker');
    expect(set({ quotes: Array(33).fill(quote) })).toBe('quotesExceeded');
    expect(set({ quotes: Array(32).fill(quote) })).toBe('changed');
    expect(withBid(0n)).toBe('priceOutOfRange');
    expect(withBid(0n, true)).toBe('changed');
    expect(withBid(2n ** 31n, true)).toBe('priceOutOfRange');
    expect(withBid(2n ** 63n - 1n, false, 2n ** 64n - 1n)).toBe('changed');
  });

  test('are packed side by side', () => {
    const bytes = packQuotes([
      { bid: side(-1n, 2n), ask: null, isOracleOffset: true },
      { bid: null, ask: side(3n, 4n), isOracleOffset: false },
    ]);
    expect(bytes).toHaveLength(66);
    expect([bytes[0], bytes[33]]).toEqual([5, 2]);
    const view = new DataView(bytes.buffer);
    expect([view.getBigInt64(1, true), view.getBigUint64(9, true)]).toEqual([-1n, 2n]);
    expect([view.getBigInt64(50, true), view.getBigUint64(58, true)]).toEqual([3n, 4n]);
  });
});
