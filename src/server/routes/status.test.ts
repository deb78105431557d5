import { describe, expect, test } from 'vitest';
import type { FeedMetrics } from '../../contract/feed-status.js';
import type { VenueStats } from '../../contract/venue-stats.js';
import { FakeBook, startServer } from '../testing/running-server.js';

describe('/status', () => {
  const book = new FakeBook();
  let figures: FeedMetrics = { slotAgeMs: 250.4, events: {} };
  const started = startServer(book, { feed: () => figures });

  const status = async () => {
    const answer = await (await started).ask('/v1/status');
    expect(answer.status).toBe(200);
    return answer.body;
  };

  test('tells the state of the feed and of each market', async () => {
    const lastAudit = { ts: 1_750_000_000_000, ok: true, differences: 2 };
    const clockReason = "this machine's clock is 95 s ahead";
    figures = { ...figures, clockSkewMs: 95_000.4, clockReason };
    figures = { ...figures, slotLag: 3, genesisHash: 'hash', node: 'node.example:8899', lastAudit };
    const { uptimeMs, ...others } = await status();
    expect(uptimeMs).toBeGreaterThan(0);
    expect(others).toEqual({
      ...{ state: 'live', reason: null, slot: 1000, slotAgeMs: 250, slotLag: 3 },
      ...{ clockSkewMs: 95_000, clockReason },
      program: 'drift',
      epoch: 'epoch-1',
      ...{ genesisHash: 'hash', commitment: 'processed', node: 'node.example:8899' },
      ...{ users: 5, orders: 9, ordersShown: 6, ordersLeftOut: { expired: 3 } },
      ...{ quarantined: 2, lastAudit },
      markets: [
        {
          ...{ symbol: 'SOL-PERP', marketIndex: 0, marketType: 'perp' },
          ...{ seq: 7, slot: 1000, lag: 3, state: 'live', ordersShown: 4, emptyReason: null },
          ...{ vammShown: false, vammReason: 'oracleStale' },
        },
        {
          ...{ symbol: 'SOL', marketIndex: 1, marketType: 'spot' },
          ...{ seq: 7, slot: 1000, lag: 3, state: 'live', ordersShown: 2, emptyReason: null },
          ...{ vammShown: false, vammReason: null },
        },
      ],
    });
  });

  test('lists the sources that are merged, with figures that can be read', async () => {
    const facts = { slot: 9, slotLag: 1, states: 3, misses: 1, disagreements: 0 };
    const names = { name: 'grpc:a.example', state: 'trusted', reason: null } as const;
    figures = { ...figures, sources: [{ ...names, ...facts, wonShare: 2 / 3, leadMs: 1.2345 }] };
    const { sources } = await status();
    expect(sources).toEqual([{ ...names, ...facts, wonShare: 0.667, leadMs: 1.2 }]);
  });

  test('answers before the first book, with the reason', async () => {
    figures = { slotAgeMs: 1, events: {} };
    (await started).readiness = {
      ...{ everLive: false, state: 'starting', reason: 'no node answers', slot: 0 },
    };
    book.rows = [];
    expect(await status()).toMatchObject({
      ...{ state: 'starting', reason: 'no node answers', slot: 0 },
      ...{ genesisHash: null, node: null, lastAudit: null, markets: [] },
      ...{ clockSkewMs: null, clockReason: null },
    });
  });
});

describe('external venues', () => {
  const sol = { symbol: 'SOL', used: true, levels: 6, ageMs: 812.6, reason: null };
  const jto = { symbol: 'JTO', used: false, levels: 0, ageMs: null, reason: 'VENUE_TIMEOUT' };
  const venue = {
    ...{ name: 'aggregator', host: 'swap.example', markets: [sol, jto] },
    ...{ events: { requests: 12 } as VenueStats['events'], failures: { VENUE_TIMEOUT: 3 } },
  };
  const started = startServer(new FakeBook(), { venues: () => [venue] });

  test('are notified by market in /status', async () => {
    const { venues } = (await (await started).ask('/status')).body;
    const markets = [{ ...sol, ageMs: 813 }, jto];
    expect(venues).toEqual([{ name: 'aggregator', host: 'swap.example', markets }]);
  });

  test('are counted in /metrics', async () => {
    const { text } = await (await started).ask('/metrics');
    expect(text.match(/^slotbook_venue_.+$/gm)).toEqual([
      'slotbook_venue_markets{state="used"} 1',
      'slotbook_venue_markets{state="leftOut"} 1',
      'slotbook_venue_events_total{event="requests"} 12',
      'slotbook_venue_failures_total{code="VENUE_TIMEOUT"} 3',
    ]);
  });
});

describe('the port of the operator', () => {
  const started = startServer(new FakeBook(), { metrics: 'operator' });
  const operator = startServer(new FakeBook(), { metrics: 'operator' }, 'operator');

  test.each([
    ...['/metrics', '/v1/metrics', '/health', '/ready', '/status'].map(
      (path) => [path, 200] as const,
    ),
    ...['/l2?marketName=SOL-PERP', '/markets', '/', '/docs', '/ws'].map(
      (path) => [path, 404] as const,
    ),
  ])('answers %s with %i', async (path, status) => {
    expect((await (await operator).ask(path)).status).toBe(status);
  });

  test('takes /metrics, and only that, from the main one and its description', async () => {
    const main = await started;
    const { error } = await main.ask('/metrics');
    expect(error).toMatchObject({ status: 404, code: 'UNKNOWN_PATH' });
    for (const path of ['/health', '/ready', '/status']) {
      expect((await main.ask(path)).status).toBe(200);
    }
    const { paths } = (await main.ask('/openapi.json')).body;
    expect(Object.keys(paths)).toContain('/status');
    expect(Object.keys(paths)).not.toContain('/metrics');
    expect((await main.ask('/')).text).not.toContain('/metrics');
  });
});
