/** The page's models, without a browser. */
import { describe, expect, test } from 'vitest';
import { layoutOf, nextPlace, placeAt, rowTop } from '../draw/ladder-layout.js';
import { ClockComparison } from './clock-offset.js';
import { type CHANNELS, FrameList, subscribeMessage } from './console-frames.js';
import { depthCurveOf, depthWithin } from './depth.js';
import {
  decimalsOf,
  formatAge,
  formatBytesPerSecond,
  formatCompact,
  formatFixed,
  formatMs,
  formatPercent,
  formatTime,
  shortKey,
  shortRenderer,
} from './format.js';
import { FrameCadence } from './frame-cadence.js';
import { groupLevels } from './grouping.js';
import { isInLevel, ladderOf, RowHold, rowIndex } from './ladder.js';
import {
  CONSOLE_FRAMES_MAX,
  CONSOLE_TEXT_MAX,
  LATENCY_AGE_MS_MAX,
  PLOT_SAMPLES_MAX,
} from './limits.js';
import { countsOf, gaugeOf, meanMsOf, overOf, rateOf, readMetrics } from './metrics-text.js';
import { heldMoment, keptOf, momentText, parseMoment } from './moments.js';
import { addSample, PLOTS, summaryOf } from './plots.js';
import { spreadOf, spreadText } from './spread.js';
import { firstSizeOf, segmentsOf, sharesOf } from './walk.js';
import { LatencyWindow, RateWindow } from './windows.js';

type Levels = Parameters<typeof ladderOf>[0]['bids'];

function levels(...rows: (readonly [price: bigint, sources: Record<string, bigint>])[]): Levels {
  return rows.map(([price, sources]) => ({
    price,
    size: Object.values(sources).reduce((sum, one) => sum + one, 0n),
    sources,
  })) as unknown as Levels;
}

const book = {
  bids: levels([99_000_000n, { dlob: 2_000_000_000n }], [98_000_000n, { vamm: 3_000_000_000n }]),
  asks: levels(
    [101_000_000n, { dlob: 1_000_000_000n, indicative: 500_000_000n }],
    [104_000_000n, { vamm: 4_000_000_000n, moon: 1_000_000_000n }],
  ),
};

/** An amount at 1e6, computed with integers alone. */
function slow(raw: bigint, shown: number): string {
  const cut = 10n ** BigInt(6 - shown);
  const digits = String((raw + cut / 2n) / cut).padStart(shown + 1, '0');
  const whole = digits.slice(0, digits.length - shown).replace(/\B(?=(\d{3})+$)/g, ',');
  return shown === 0 ? whole : `${whole}.${digits.slice(digits.length - shown)}`;
}

describe('numbers', () => {
  test('have the decimals of their step, rounded, with grouped thousands', () => {
    expect([100n, 1n, 1_000_000n, 10n].map((step) => decimalsOf(step, 6))).toEqual([4, 6, 0, 5]);
    expect(formatFixed(1_234_567_891_234n, 6, 4)).toBe('1,234,567.8912');
    expect(formatFixed(1_999_999n, 6, 2)).toBe('2.00');
    expect(formatFixed(-5_000n, 6, 2)).toBe('-0.01');
    expect(formatFixed(999n, 0, 0)).toBe('999');
  });

  test('are exact also where a double has no room for them', () => {
    const middles = [2n ** 52n, 2n ** 53n, 5n * 10n ** 18n, 150_500_000n];
    for (const middle of middles) {
      for (let raw = middle - 150n; raw < middle + 150n; raw += 1n) {
        for (const shown of [6, 4, 3, 0]) expect(formatFixed(raw, 6, shown)).toBe(slow(raw, shown));
      }
    }
    expect(formatFixed(5n * 10n ** 18n, 9, 2)).toBe('5,000,000,000.00');
  });

  test('are short where they are large', () => {
    expect([0.5, 999.4, 9_999, 12_345, 1_234_567, 2.5e9].map(formatCompact)).toEqual([
      ...['0.50', '999.4', '9,999.0', '12.35K', '1.23M', '2.50B'],
    ]);
    expect([1e-6, 0.0123, -0.5].map((one) => formatPercent(one, 2))).toEqual([
      ...['0.00%', '+1.23%', '-50.00%'],
    ]);
    expect([0.4, 12.34, 1_204.4].map(formatMs)).toEqual(['0.40', '12.3', '1,204']);
    expect([12, 58_123, 2.5e6].map(formatBytesPerSecond)).toEqual([
      ...['12 B/s', '58.1 kB/s', '2.50 MB/s'],
    ]);
    expect(formatTime(1_795_393_384_567)).toBe('00:23:04');
    expect([0, 59_999, 128_000, 11_520_000].map(formatAge)).toEqual([
      ...['0 s', '59 s', '2 min 8 s', '3 h 12 min'],
    ]);
    expect(shortKey('FSXRvEqtbp6tWmz7JXLHy14AhS7BJgQyZfcNYMTj4pXq')).toBe('FSXR…4pXq');
  });
});

describe('a ladder', () => {
  test('has totals, sources and the scale of both sides', () => {
    const { bids, asks, sizeMax, totalMax } = ladderOf(book, 5);
    expect(bids.map(({ total }) => total)).toEqual([2_000_000_000n, 5_000_000_000n]);
    expect(asks[1]?.bySource).toEqual({
      ...{ dlob: 0n, vamm: 4_000_000_000n, indicative: 0n, other: 1_000_000_000n },
    });
    // The largest size without the AMM is 2 SOL, although the AMM has 4 at a level.
    expect([sizeMax, totalMax]).toEqual([2_000_000_000n, 6_500_000_000n]);
    expect(bids.map(({ quote, quoteTotal }) => [quote, quoteTotal])).toEqual([
      [198_000_000n, 198_000_000n],
      [294_000_000n, 492_000_000n],
    ]);
    expect(ladderOf(book, 1).asks).toHaveLength(1);
    expect(ladderOf({ bids: [], asks: [] }, 5).sizeMax).toBe(1n);
  });

  test('keeps the prices of its rows while a reader points at one', () => {
    const hold = new RowHold();
    const choice = {};
    const read = (bids: Levels, isHeld: boolean) =>
      hold.readLadder({ view: { bids, asks: book.asks }, rowsMax: 5, isHeld, choice });
    const pointed = { side: 'bid', price: 98_000_000n } as const;
    expect(rowIndex(read(book.bids, false), pointed)).toBe(1);
    // A better level comes, and the best one goes.
    const moved = levels([99_500_000n, { dlob: 1_000_000_000n }], [98_000_000n, { dlob: 7n }]);
    const held = read(moved, true);
    expect(rowIndex(held, pointed)).toBe(1);
    expect(held.bids.map(({ price, size, total }) => [price, size, total])).toEqual([
      [99_000_000n, 0n, 1_000_000_000n],
      [98_000_000n, 7n, 1_000_000_007n],
    ]);
    expect(held.hidden).toBe(1);
    expect(rowIndex(read(moved, false), pointed)).toBe(1);
    expect(read(moved, false).hidden).toBe(0);
    // Rows of a book that has gone elsewhere are given up.
    const away = levels([90_000_000n, { dlob: 1n }], [89_000_000n, { dlob: 1n }]);
    const gone = hold.readLadder({
      ...{ view: { bids: away, asks: [] }, rowsMax: 5, isHeld: true, choice },
    });
    expect(gone.bids.map(({ price }) => price)).toEqual([90_000_000n, 89_000_000n]);
  });

  test('finds the row at a height, and every row at its own', () => {
    const layout = layoutOf(500);
    for (const side of ['bid', 'ask'] as const) {
      for (let index = 0; index < layout.rowsPerSide; index += 1) {
        const top = rowTop(layout, side, index);
        expect(placeAt(layout, top + 0.5)).toEqual({ side, index });
        expect(placeAt(layout, top + layout.rowHeight - 0.5)).toEqual({ side, index });
      }
    }
    expect(placeAt(layout, layout.middleTop + 1)).toBeUndefined();
    expect(placeAt(layout, 10_000)).toBeUndefined();
    expect(layoutOf(0).rowsPerSide).toBe(1);
  });

  test('is walked by keys across the middle, and not beyond its ends', () => {
    const counts = { bids: 2, asks: 2 };
    const best = { side: 'bid', index: 0 } as const;
    expect(nextPlace(best, 'up', counts)).toEqual({ side: 'ask', index: 0 });
    expect(nextPlace({ side: 'ask', index: 0 }, 'down', counts)).toEqual(best);
    expect(nextPlace({ side: 'bid', index: 1 }, 'down', counts)).toEqual({ side: 'bid', index: 1 });
    expect(nextPlace({ side: 'ask', index: 1 }, 'up', counts)).toEqual({ side: 'ask', index: 1 });
  });

  test('groups bids down and asks up', () => {
    const bid = { side: 'bid', price: 100n, groupSize: 10n } as const;
    expect([99n, 100n, 109n, 110n].map((price) => isInLevel(price, bid))).toEqual([
      ...[false, true, true, false],
    ]);
    const ask = { ...bid, side: 'ask' } as const;
    expect([90n, 91n, 100n, 101n].map((price) => isInLevel(price, ask))).toEqual([
      ...[false, true, true, false],
    ]);
  });
});

test('a spread is in ticks and basis points, negative where the book is crossed', () => {
  expect([-2, 0, 1, 3].map((ticks) => spreadText({ ticks }))).toEqual([
    ...['crossed by 2 ticks', 'locked', '1 tick', '3 ticks'],
  ]);
  expect(spreadOf(99_990_000n, 100_010_000n, 100n)).toEqual({
    ...{ mid: 100_000_000n, ticks: 200, bps: 2 },
  });
  expect(spreadOf(100_010_000n, 99_990_000n, 100n)?.ticks).toBe(-200);
  expect(spreadOf(null, 1n, 1n)).toBeNull();
});

test('depth is cumulative, and null beyond what is shown', () => {
  const curve = depthCurveOf(book, 'base');
  expect(curve).toMatchObject({ mid: 100, reach: 2, totalMax: 5 });
  expect(depthWithin(curve).map(({ bid }) => bid)).toEqual([0, 0, 0, 0, 0]);
  const bids = levels([99_999_000n, { dlob: 1n }]);
  const near = depthCurveOf({ bids, asks: levels([100_001_000n, { dlob: 1n }]) }, 'base');
  expect(depthWithin(near)[0]?.bid).toBeNull();
  expect(depthCurveOf({ bids: [], asks: [] }, 'base').mid).toBeNull();
});

describe('two clocks', () => {
  test('are compared to a part of a millisecond by several pings', () => {
    const clocks = new ClockComparison();
    expect(clocks.offset).toBeNull();
    for (let at = 0; at < 20; at += 1) {
      const sentMs = 1_000 + at * 250.3;
      const serviceMs = Math.floor(sentMs + 0.6 + 42.25);
      clocks.addSample({ sentMs, receivedMs: sentMs + 1.2, serviceMs });
    }
    const { offsetMs = 0, uncertaintyMs = 0 } = clocks.offset ?? {};
    expect(Math.abs(offsetMs - 42.25)).toBeLessThanOrEqual(uncertaintyMs);
    expect(uncertaintyMs).toBeLessThan(0.8);
  });

  test('are compared by the newest pings where one of them was set', () => {
    const clocks = new ClockComparison();
    clocks.addSample({ sentMs: 0, receivedMs: 1, serviceMs: 5_000 });
    clocks.addSample({ sentMs: 100, receivedMs: 101, serviceMs: 100 });
    expect(Math.abs(clocks.offset?.offsetMs ?? 99)).toBeLessThan(1.1);
  });
});

describe('windows', () => {
  test('a rate is that of the last seconds, and falls to nothing', () => {
    const rate = new RateWindow();
    for (let ms = 100_000; ms < 110_000; ms += 100) rate.add(1, ms);
    expect(rate.perSecond(110_000)).toBeCloseTo(10, 0);
    expect(rate.perSecond(120_000)).toBe(0);
  });

  test('quantiles are of recent latencies alone', () => {
    const window = new LatencyWindow();
    expect(window.quantiles(0)).toBeNull();
    window.add(9_999, 0);
    const nowMs = LATENCY_AGE_MS_MAX + 1_000;
    for (let one = 1; one <= 1_000; one += 1) window.add(one, nowMs);
    expect(window.quantiles(nowMs)).toEqual({ p50: 501, p99: 991 });
  });
});

test('the first order that is tried has a round size of some thousands of quote', () => {
  expect([85, 104_970, 0.002, 1, 2_400, 0].map(firstSizeOf)).toEqual([
    ...['100', '0.1', '5000000', '10000', '4', '1'],
  ]);
});

describe('the console', () => {
  test('makes the message of each channel', () => {
    const form = { market: 'SOL', marketType: 'spot', includeVamm: true, timing: true } as const;
    const of = (channel: (typeof CHANNELS)[number]): object =>
      subscribeMessage({ ...form, channel });
    expect(of('bbo')).toEqual({
      ...{
        type: 'subscribe',
        id: 1,
        channel: 'bbo',
        market: 'SOL',
        includeVamm: true,
        timing: true,
      },
    });
    expect(of('l3')).not.toHaveProperty('includeVamm');
    expect(of('orderbook')).toEqual({
      ...{ type: 'subscribe', channel: 'orderbook', marketType: 'spot', market: 'SOL' },
    });
    expect(of('candles')).toEqual({ type: 'subscribe', symbol: 'SOL', resolution: '1' });
    expect(of('trades')).toEqual({ type: 'subscribe', symbol: 'SOL', channelType: 'trades' });
  });

  test('lists the newest frames, cut where they are long, and counts all', () => {
    const list = new FrameList();
    for (let at = 0; at < CONSOLE_FRAMES_MAX + 5; at += 1) list.addFrame('received', `${at}`, at);
    list.addFrame('received', 'x'.repeat(CONSOLE_TEXT_MAX + 1), 0);
    expect(list.count).toBe(CONSOLE_FRAMES_MAX + 6);
    expect(list.frames).toHaveLength(CONSOLE_FRAMES_MAX);
    expect(list.frames[0]).toMatchObject({ bytes: CONSOLE_TEXT_MAX + 1 });
    expect(list.frames[0]?.text).toHaveLength(CONSOLE_TEXT_MAX + 2);
  });
});

test('levels are grouped as the service does, without a last group that may lack some', () => {
  const bids = levels(
    [1_029n, { dlob: 1n }],
    [1_021n, { vamm: 2n, dlob: 1n }],
    [1_010n, { vamm: 1n }],
  );
  const asks = levels([1_030n, { dlob: 1n }], [1_031n, { dlob: 2n }], [1_041n, { dlob: 4n }]);
  const group = (...[rows, side, levelsMax]: [Levels, 'bid' | 'ask', number]) =>
    groupLevels(rows, { side, groupSize: 10n, levelsMax });
  expect(group(bids, 'bid', 4)).toEqual(
    levels([1_020n, { dlob: 2n, vamm: 2n }], [1_010n, { vamm: 1n }]),
  );
  expect(group(asks, 'ask', 4).map(({ price }) => price)).toEqual([1_030n, 1_040n, 1_050n]);
  expect(group(asks, 'ask', 3).map(({ price }) => price)).toEqual([1_030n, 1_040n]);
  expect(group([], 'ask', 3)).toEqual([]);
});

describe('metrics', () => {
  const text = (requests: number, sum: number, count: number): string =>
    [
      '# HELP slotbook_http_requests_total Requests.',
      `slotbook_http_requests_total{path="/l2",status="200"} ${requests}`,
      'slotbook_http_requests_total{path="/a } b",status="404"} 1',
      `slotbook_x_seconds_sum ${sum}`,
      `slotbook_x_seconds_count ${count}`,
      'slotbook_topics 7',
      'no sample',
    ].join('\n');
  const [before, now] = [
    { atMs: 0, sums: readMetrics(text(10, 1, 100)) },
    { atMs: 2_000, sums: readMetrics(text(30, 1.5, 200)) },
  ];

  test('are gauges, rates and means between two readings', () => {
    expect(gaugeOf('slotbook_topics', 2)(now, before)).toBe(14);
    expect(rateOf('slotbook_http_requests_total')(now, before)).toBe(10);
    expect(meanMsOf('slotbook_x_seconds')(now, before)).toBe(5);
  });

  test('are unknown after a restart, without a sample, and where nothing was measured', () => {
    expect(rateOf('slotbook_http_requests_total')(before, { ...now, atMs: -1 })).toBeNull();
    expect(gaugeOf('slotbook_gone')(now, before)).toBeNull();
    expect(meanMsOf('slotbook_x_seconds')(now, { ...now, atMs: 0 })).toBeNull();
  });

  test('are counted by a label, and above a bound of a histogram', () => {
    const histogram = (within: number, all: number) =>
      readMetrics(
        `x_bucket{le="0.02"} ${within}\nx_count ${all}\ne{event="a"} ${all}\ne{event="b"} 0`,
      );
    const [older, newer] = [
      { atMs: 0, sums: histogram(5, 6) },
      { atMs: 2_000, sums: histogram(25, 36) },
    ];
    expect(overOf('x', '0.02')(newer, older)).toBe(5);
    expect(overOf('x', '0.05')(newer, older)).toBeNull();
    expect(countsOf(newer.sums, 'e', 'event')).toEqual([['a', 36]]);
  });

  test('are plotted from the second reading on, with nothing where a tab was hidden', () => {
    expect(addSample([], now, undefined)).toEqual([]);
    const [sample] = addSample([], now, before);
    const topics = PLOTS.findIndex(([name]) => name === 'Topics');
    expect([sample?.atMs, sample?.values.length]).toEqual([2_000, PLOTS.length]);
    expect(sample?.values[topics]).toBe(7);
    const late = addSample([], { ...now, atMs: 60_000 }, before);
    expect(late[0]?.values.every((value) => value === null)).toBe(true);
    const many = Array.from({ length: PLOT_SAMPLES_MAX }, () => ({ atMs: 0, values: [] }));
    expect(addSample(many, now, before)).toHaveLength(PLOT_SAMPLES_MAX);
    expect(summaryOf([2, null, 4])).toEqual({ last: 4, least: 2, mean: 3, most: 4 });
  });
});

test('a walk is stacked by source, and many fills of one source are one part', () => {
  const fills = Array.from({ length: 300 }, (_, index) => ({
    ...{ source: index < 250 ? 'dlob' : 'vamm', maker: null, orderId: null },
    ...{ price: BigInt(index), size: 2n, quote: 3n, takerFee: 0n, makerRebate: 0n },
  })) as unknown as Parameters<typeof segmentsOf>[0];
  expect(segmentsOf(fills).map(({ source, size }) => [source, size])).toEqual([
    ['dlob', 500n],
    ['vamm', 100n],
  ]);
  expect(segmentsOf(fills.slice(0, 3))).toHaveLength(3);
  expect(sharesOf(fills)).toEqual([
    { source: 'dlob', size: 500n, quote: 750n, fills: 250 },
    { source: 'vamm', size: 100n, quote: 150n, fills: 50 },
  ]);
});

describe('frames of the screen', () => {
  test('are dropped where one that was requested comes later than the next', () => {
    const cadence = new FrameCadence();
    const noted = [
      ...[cadence.noteFrame(10, 16), cadence.noteFrame(20, 32), cadence.noteFrame(32.1, 48)],
      // Just late, an idle time, one missed frame, and ten.
      ...[cadence.noteFrame(48, 66), cadence.noteFrame(500, 512), cadence.noteFrame(513, 548)],
      cadence.noteFrame(548, 712),
    ];
    expect(noted).toEqual([0, 0, 0, 0, 0, 1, 10]);
  });

  test('are those of a fast screen as well, and none while the tab is hidden', () => {
    const cadence = new FrameCadence();
    for (const ms of [8, 16, 24]) expect(cadence.noteFrame(ms - 7, ms)).toBe(0);
    expect(cadence.noteFrame(25, 48)).toBe(2);
    expect(cadence.noteFrame(Number.POSITIVE_INFINITY, 60_000)).toBe(0);
  });
});

test('a renderer is called by the name of its device', () => {
  const names = [
    'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)',
    'ANGLE (NVIDIA, NVIDIA GeForce RTX 3080 (0x00002206) Direct3D11 vs_5_0 ps_5_0, D3D11)',
    'ANGLE (Apple, ANGLE Metal Renderer: Apple M1, Unspecified Version)',
    'Mali-G78',
  ];
  expect(names.map(shortRenderer)).toEqual([
    ...['SwiftShader', 'NVIDIA GeForce RTX 3080', 'Apple M1', 'Mali-G78'],
  ]);
});

describe('moments', () => {
  const range = (first: number, last: number) => ({
    ...{ epoch: 'e', segments: 1, bytes: 1 },
    ...{ first: { slot: 1, ts: first }, last: { slot: 2, ts: last } },
  });
  const state = { state: 'writing', reason: null, segments: 2, bytes: 2 } as const;

  test('are those that are kept, or the nearest ones', () => {
    expect(keptOf({ ...state, ranges: [], gaps: [] })).toBeUndefined();
    const gap = { from: { slot: 2, ts: 20 }, to: { slot: 3, ts: 30 }, reason: 'restart' };
    const kept = keptOf({ ...state, ranges: [range(10, 20), range(30, 40)], gaps: [gap] });
    if (kept === undefined) throw new Error('two ranges are kept');
    expect([5, 15.4, 20, 25, 99].map((ts) => heldMoment(kept, ts))).toEqual([
      ...[10, 15, 20, 20, 40],
    ]);
  });

  test('are written and read in UTC', () => {
    const ts = Date.UTC(2026, 10, 23, 3, 12, 4, 120);
    expect(momentText(ts)).toBe('2026-11-23 03:12:04.120');
    for (const text of [momentText(ts), '2026-11-23T03:12:04.12Z', ' 03:12:04.120 UTC']) {
      expect(parseMoment(text, ts + 60_000)).toBe(ts);
    }
    expect(parseMoment('03:12', ts)).toBe(ts - 4_120);
    expect(parseMoment(momentText(ts, 'local'), ts, 'local')).toBe(ts);
    for (const text of ['', 'now', '25:00:00', '2026-13-01 00:00:00', '1790000000']) {
      expect(parseMoment(text, ts)).toBeUndefined();
    }
  });
});
