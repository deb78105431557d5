import { describe, expect, test } from 'vitest';
import { Direction } from '../sim/bytes/generated/enums.js';
import type { OrderFields } from '../sim/bytes/user-account.js';
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
  SPOT,
  USER,
} from './testing.js';

describe('engine: bodies', () => {
  const L2_KEYS = [
    ...['bids', 'asks', 'marketName', 'marketType', 'marketIndex', 'ts', 'slot', 'markPrice'],
    ...['oracle', 'oracleData', 'mmOracleData', 'marketSlot', 'seq', 'epoch', 'state', 'crossed'],
  ];

  test('/l2 has the members of the interface in their order', () => {
    const engine = engineWith(PERP, ORACLE, USER);
    const body = parsed(engine.l2({ market: 0, depth: 10 }));
    const reason = Object.keys(body).at(-1) === 'offsetOrdersExcluded' ? 1 : 0;
    expect(Object.keys(body).slice(0, L2_KEYS.length)).toEqual(L2_KEYS);
    expect(Object.keys(body).length).toBe(L2_KEYS.length + reason);
    expect(body).toMatchObject({
      marketName: 'SOL-PERP',
      marketType: 'perp',
      marketIndex: 0,
      ts: NOW_MS,
      slot: SLOT,
      seq: engine.version(0).seq,
      epoch: 'e1',
      state: 'live',
      crossed: false,
      marketSlot: SLOT,
    });
    expect(body['markPrice']).toBe(String(body['oracle']));
    const { price } = body['oracleData'] as { readonly price: string };
    expect(body['oracleData']).toMatchObject({
      ...{ hasSufficientNumberOfDataPoints: true, twap: price, twapConfidence: price },
    });
  });

  test('/l3 has the same head without prices', () => {
    const engine = engineWith(PERP, ORACLE, USER);
    const keys = Object.keys(parsed(engine.l3({ market: 0 })));
    expect(keys.slice(0, L2_KEYS.length - 1)).toEqual(L2_KEYS.filter((key) => key !== 'markPrice'));
  });

  test('a new epoch is in every body at once, though nothing else changed', () => {
    const engine = engineWith(PERP, ORACLE, USER);
    const epochs = (): readonly unknown[] => [
      engine.epoch,
      parsed(engine.l2({ market: 0, depth: 10 }))['epoch'],
      parsed(engine.l3({ market: 0 }))['epoch'],
    ];
    expect(epochs()).toEqual(['e1', 'e1', 'e1']);
    const version = engine.version(0);
    engine.setEpoch('e2');
    expect(engine.version(0)).toEqual(version);
    expect(epochs()).toEqual(['e2', 'e2', 'e2']);
  });

  test('without an oracle account the body says why offset orders are out', () => {
    const body = parsed(engineWith(PERP, USER).l2({ market: 0, depth: 10 }));
    expect(body).toMatchObject({ oracleData: {}, mmOracleData: {} });
    expect(typeof body['offsetOrdersExcluded']).toBe('string');
    expect(typeof body['oracle']).toBe('number');
  });

  test('grouping is in ticks', () => {
    const engine = engineWith(SPOT, USER);
    const bids = parsed(engine.l2({ market: 0, depth: 10, grouping: 300_000 }))['bids'];
    expect(bids).toMatchObject([{ price: '30000000', size: '200000000' }]);
  });

  test('a body is the same bytes until its version changes', () => {
    const engine = engineWith(SPOT, USER);
    const first = Buffer.from(engine.l2({ market: 0, depth: 10 }));
    expect(Buffer.compare(first, engine.l2({ market: 0, depth: 10 }))).toBe(0);
    expect(engine.stats()).toMatchObject({ bodies: 1, bodyUses: 2, bodyHits: 1 });
    engine.setClock(SLOT + 1, NOW_S);
    engine.endTurn(NOW_MS + 400);
    expect(parsed(engine.l2({ market: 0, depth: 10 }))).toMatchObject({ slot: SLOT + 1 });
  });

  test('an unknown market and a bad maker have their codes', () => {
    const engine = engineWith(SPOT);
    for (const market of [1, 65_536, 70_000]) {
      expect(codeOf(() => engine.l2({ market, depth: 10 }))).toBe('MARKET_NOT_FOUND');
      expect(codeOf(() => engine.l3({ market, maker: '0' }))).toBe('MARKET_NOT_FOUND');
      expect(codeOf(() => engine.version(market))).toBe('MARKET_NOT_FOUND');
    }
    expect(codeOf(() => engine.l3({ market: 0, maker: '0' }))).toBe('INVALID_MAKER');
    expect(engine.findMarket('no such')).toBeUndefined();
  });
});

describe('engine: a large book', () => {
  const MAKERS = 60;

  /** Bids at 149 and below, asks at 151 and above, at most two orders a price. */
  function orderOf(maker: number, index: number): Partial<OrderFields> {
    const isBid = index % 2 === 0;
    const distance = BigInt(1 + ((maker * 32 + index) >> 2)) * 100n;
    return {
      slot: BigInt(SLOT - 1_000 + index),
      price: isBid ? 149_000_000n - distance : 151_000_000n + distance,
      baseAssetAmount: 100_000_000n * BigInt(1 + maker),
      direction: isBid ? Direction.Long : Direction.Short,
      postOnly: true,
    };
  }

  const makers = Array.from({ length: MAKERS }, (_, maker) => {
    const orders = Array.from({ length: 32 }, (_, index) => orderOf(maker, index));
    return makerWith(maker + 1, orders);
  });

  test('its /l3 grows the buffer and is the text JSON.stringify would make', () => {
    const engine = engineWith(PERP, ORACLE, ...makers);
    const text = Buffer.from(engine.l3({ market: 0 })).toString();
    expect(text.length).toBeGreaterThan(256 << 10);
    const body = JSON.parse(text) as { bids: unknown[]; asks: unknown[] };
    expect([body.bids.length, body.asks.length]).toEqual([MAKERS * 16, MAKERS * 16]);
    expect(JSON.stringify(body)).toBe(text);
  });

  // Specification: rule-4.
  test('its /l2 has the best levels of each side, as many as the depth says', () => {
    const engine = engineWith(PERP, ORACLE, ...makers);
    const sides = (depth: number) => {
      const { bids, asks } = parsed(engine.l2({ market: 0, depth }));
      return [bids, asks] as unknown[][];
    };
    const all = sides(1_000);
    for (const depth of [1, 2, 10, 37]) {
      expect(sides(depth)).toEqual(all.map((levels) => levels.slice(0, depth)));
      expect(sides(depth).map(({ length }) => length)).toEqual([depth, depth]);
    }
  });
});
