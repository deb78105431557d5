/** What the specification says of the library's price caches, name by name. */
import { describe, expect, test } from 'vitest';
import { type L2Book, MarkPriceCache, OraclePriceCache, rawPrice } from '../src/client/index.js';

describe('prices', () => {
  const reading = { hasSufficientNumberOfDataPoints: true, confidence: rawPrice(5n) };

  /** What the caches read of a body of /l2. */
  function book(marketIndex: number, slot: number, price: bigint): L2Book {
    const [mark, bid, ask] = [price, price - 1n, price + 1n].map(rawPrice);
    if (mark === undefined || bid === undefined || ask === undefined) throw new Error('three');
    return {
      ...{ bids: [], asks: [], marketName: 'X', marketType: 'perp', marketIndex, ts: slot * 400 },
      ...{ slot, markPrice: mark, oracle: mark, marketSlot: slot, seq: 1, epoch: 'e' },
      ...{ state: 'live', crossed: false, bestBidPrice: bid, bestAskPrice: ask },
      ...{ spreadPct: 1n, spreadQuote: null, mmOracleData: {} },
      oracleData: { ...reading, price: mark, slot: BigInt(slot) },
    };
  }

  test('client-mark-data: markPrice, bestBid, bestAsk and lastUpdateSlot, all integers', () => {
    const marks = new MarkPriceCache();
    expect(marks.getMarkPriceData('perp_0')).toBeNull();
    marks.updateMarkPrices([book(0, 7, 150_000_000n)]);
    expect(marks.getMarkPriceData('perp_0')).toEqual({
      ...{ markPrice: 150_000_000n, bestBid: 149_999_999n, bestAsk: 150_000_001n },
      lastUpdateSlot: 7,
    });
    expect(marks.getMarkPrice('perp_0')).toBe(150_000_000n);
  });

  test('client-oracle-data: a price by market', () => {
    const oracles = new OraclePriceCache();
    oracles.updateOraclePrices([book(0, 7, 150n), { ...book(1, 7, 9n), oracleData: {} }]);
    expect(oracles.getOraclePriceData('perp_0')).toEqual({
      ...reading,
      ...{ price: 150n, mmPrice: null, slot: 7 },
    });
    expect(oracles.getOraclePrice('perp_1')).toBeNull();
  });

  test('client-keyed-market: the store has the newest of each market', () => {
    const marks = new MarkPriceCache();
    marks.updateMarkPrices([book(0, 7, 150n), book(3, 7, 30n)]);
    expect(Object.keys(marks.store)).toEqual(['perp_0', 'perp_3']);
    expect(marks.store['perp_3']?.markPrice).toBe(30n);
  });

  test('client-mark-callbacks: those that are registered, until they leave', () => {
    const marks = new MarkPriceCache();
    const heard: number[] = [];
    const off = marks.onUpdate(() => heard.push(1));
    marks.onUpdate(() => heard.push(2));
    marks.updateMarkPrices([book(0, 7, 150n)]);
    off();
    marks.updateMarkPrices([book(0, 8, 150n)]);
    marks.destroy();
    marks.updateMarkPrices([book(0, 9, 150n)]);
    expect(heard).toEqual([1, 2, 2]);
  });

  test('client-oracle-callbacks: only for what is newer, or another price within its slot', () => {
    const oracles = new OraclePriceCache();
    const heard: (bigint | undefined)[] = [];
    oracles.onUpdate(({ perp_0 }) => heard.push(perp_0?.price));
    const tell = (slot: number, price: bigint, others: Partial<L2Book> = {}) =>
      oracles.updateOraclePrices([{ ...book(0, slot, price), ...others }]);
    tell(7, 150n);
    tell(7, 150n);
    tell(6, 140n);
    tell(7, 151n);
    tell(7, 152n, { ts: 1 });
    tell(8, 153n);
    // After a restart the service may be behind where it was: its word of now holds.
    tell(5, 154n, { epoch: 'f' });
    expect(heard).toEqual([150n, 151n, 153n, 154n]);
  });

  test('event-mark: a lookup of the markets that have changed, and of no others', () => {
    const marks = new MarkPriceCache();
    const heard: unknown[] = [];
    marks.onUpdate((changed) => heard.push(changed));
    marks.updateMarkPrices([book(0, 7, 150n), book(1, 7, 30n)]);
    marks.updateMarkPrices([book(0, 7, 150n), book(1, 8, 31n)]);
    const data = (price: bigint, lastUpdateSlot: number) => {
      return { markPrice: price, bestBid: price - 1n, bestAsk: price + 1n, lastUpdateSlot };
    };
    expect(heard).toEqual([
      { perp_0: data(150n, 7), perp_1: data(30n, 7) },
      { perp_1: data(31n, 8) },
    ]);
  });

  test('client-event-oracle: a lookup of the markets that have changed, and of no others', () => {
    const oracles = new OraclePriceCache();
    const heard: unknown[] = [];
    oracles.onUpdate((changed) => heard.push(Object.keys(changed)));
    oracles.updateOraclePrices([book(0, 7, 150n), book(1, 7, 30n)]);
    oracles.updateOraclePrices([book(0, 8, 151n), book(1, 7, 30n)]);
    expect(heard).toEqual([['perp_0', 'perp_1'], ['perp_0']]);
  });
});
