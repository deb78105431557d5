import { describe, expect, test } from 'vitest';
import type { OrderbookFrameRequest } from '../contract/book-requests.js';
import {
  ADDRESS,
  codeOf,
  engineWith,
  idOf,
  NOW_MS,
  NOW_S,
  ORACLE,
  PERP,
  SLOT,
  SPOT,
  USER,
} from './testing.js';

describe('engine: frames of the compatible channel', () => {
  interface Frame {
    readonly channel: string;
    readonly data: string;
  }

  function frameOf(bytes: Uint8Array): Frame {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as Frame;
  }

  const engine = engineWith(PERP, ORACLE, SPOT, USER);
  const perp: OrderbookFrameRequest = {
    ...{ market: idOf(engine, 'SOL-PERP'), depth: 20 },
    ...{ vamm: true, indicative: false },
  };
  const spot = { ...perp, market: idOf(engine, 'SOL') };

  test('the name says market, grouping and sources', () => {
    const name = (request: OrderbookFrameRequest): string =>
      frameOf(engine.orderbookFrame(request)).channel;
    expect(name(perp)).toBe('orderbook_perp_0');
    expect(name(spot)).toBe('orderbook_spot_1');
    expect(name({ ...perp, grouping: 1 })).toBe('orderbook_perp_0_grouped_1');
    expect(name({ ...perp, indicative: true })).toBe('orderbook_perp_0_indicative');
    expect(name({ ...perp, vamm: false })).toBe('orderbook_perp_0_novamm');
    expect(name({ ...spot, grouping: 1_000_000, indicative: true, vamm: false })).toBe(
      'orderbook_spot_1_grouped_1000000_indicative_novamm',
    );
  });

  test.each([{}, { grouping: 300_000 }])('the data is the text of the /l2 body: %o', (grouping) => {
    const body = Buffer.from(engine.l2({ market: spot.market, depth: 20, ...grouping })).toString();
    expect(body).toContain('"bids":[{"price":"');
    const bytes = engine.orderbookFrame({ ...spot, ...grouping });
    const frame = frameOf(bytes);
    expect(frame.data).toBe(body);
    expect(JSON.stringify(frame)).toBe(Buffer.from(bytes).toString());
  });

  test('a frame is rendered once a version', () => {
    const fresh = engineWith(SPOT, USER);
    const request = { ...perp, market: 0 };
    const first = Buffer.from(fresh.orderbookFrame(request));
    expect(Buffer.compare(first, fresh.orderbookFrame(request))).toBe(0);
    expect(fresh.stats()).toMatchObject({ bodies: 1, bodyUses: 2, bodyHits: 1 });
    fresh.setClock(SLOT + 1, NOW_S);
    fresh.endTurn(NOW_MS + 400);
    expect(frameOf(fresh.orderbookFrame(request)).data).toContain(`"slot":${SLOT + 1}`);
  });

  test('an unknown market has its code', () => {
    expect(codeOf(() => engine.orderbookFrame({ ...perp, market: 9 }))).toBe('MARKET_NOT_FOUND');
  });
});

describe('engine: top makers', () => {
  test('the makers of a side, which have accounts, and nobody where a side is empty', () => {
    const engine = engineWith(SPOT, USER);
    expect(engine.topMakers({ market: 0, side: 'bid', limit: 4 })).toEqual([ADDRESS.user]);
    expect(engine.topMakers({ market: 0, side: 'bid', limit: 0 })).toEqual([]);
    expect(engine.topMakers({ market: 0, side: 'ask', limit: 4 })).toEqual([]);
    const { bodies, bodyHits } = engine.stats();
    expect(engine.topMakers({ market: 0, side: 'bid', limit: 4 })).toEqual([ADDRESS.user]);
    expect(engine.stats()).toMatchObject({ bodies, bodyHits: bodyHits + 1 });
    expect(engine.hasUser(ADDRESS.user)).toBe(true);
    for (const none of [ADDRESS.perp, 'x', '']) expect(engine.hasUser(none)).toBe(false);
    engine.pushClosed(ADDRESS.user, SLOT + 1);
    engine.endTurn(NOW_MS + 1);
    expect(engine.topMakers({ market: 0, side: 'bid', limit: 4 })).toEqual([]);
    expect(engine.hasUser(ADDRESS.user)).toBe(false);
    expect(codeOf(() => engine.topMakers({ market: 1, side: 'bid', limit: 4 }))).toBe(
      'MARKET_NOT_FOUND',
    );
  });
});
