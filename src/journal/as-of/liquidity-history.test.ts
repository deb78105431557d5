/** The liquidity of a random run over time, against the books of its moments. */
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import type { AsOfReply, LiquidityHistoryRead } from '../../contract/as-of-source.js';
import { PROGRAM_ID } from '../../sim/bytes/keys.js';
import { SUMMARY_STEP_MS } from '../model/limits.js';
import { readSegments } from '../store/segment-index.js';
import { summaryPath, writeSummary } from '../store/summary-file.js';
import { MomentReader } from './moment-reader.js';
import { PastLife } from './testing.js';

interface Row {
  readonly ts: number;
  readonly bestBidPrice?: string;
  readonly bestAskPrice?: string;
  readonly bandStep?: string;
  readonly bidBand: string;
  readonly askBand: string;
  readonly bids: readonly string[];
  readonly asks: readonly string[];
}
interface History {
  readonly segmentsRead: number;
  readonly segments: number;
  readonly rows: readonly Row[];
}

const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-liquidity-'));
const life = new PastLife(folder, 11);
const stays = (): boolean => false;

beforeAll(async () => {
  for (let run = 0; run < 2; run += 1) {
    await life.live(400);
    life.restart();
  }
  await life.live(200);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function key(): LiquidityHistoryRead['key'] {
  const [market] = life.markets;
  if (market === undefined) throw new Error('there is a market');
  return market;
}

function readHistory(
  reader: MomentReader,
  { toMs = life.nowMs, fromMs = 0, stepMs = SUMMARY_STEP_MS } = {},
): { readonly reply: AsOfReply & { readonly kind: 'body' }; readonly history: History } {
  const reply = reader.readMoment(
    {
      id: 1,
      moment: { by: 'ts', value: toMs },
      bodies: { history: { key: key(), fromMs, stepMs } },
      flushedMs: life.nowMs,
      newestMs: life.shown.at(-1)?.ts ?? 0,
    },
    stays,
  );
  if (reply?.kind !== 'body') throw new Error(`there is no body: ${JSON.stringify(reply)}`);
  return { reply, history: JSON.parse(Buffer.from(reply.body).toString()) };
}

function newReader(timers: Pick<ManualTimers, 'nowMs'> = new ManualTimers()): MomentReader {
  return new MomentReader({ folder, programId: PROGRAM_ID }, timers);
}

type Sides = Record<'bids' | 'asks', { readonly price: string; readonly size: string }[]>;

/** The /l2 of a moment, with or without the AMM. */
function bookAt(reader: MomentReader, ts: number, vamm: boolean): Sides {
  const reply = reader.readMoment(
    {
      id: 2,
      moment: { by: 'ts', value: ts },
      bodies: {
        read: { path: 'l2', key: key(), request: { market: 0, depth: 1_000, vamm } },
      },
      flushedMs: life.nowMs,
      newestMs: 0,
    },
    stays,
  );
  if (reply?.kind !== 'body') throw new Error(`there is no book at ${ts}`);
  return JSON.parse(Buffer.from(reply.body).toString());
}

/** The base of each band of price of the orders of a moment, and the best prices. */
function bandsAt(reader: MomentReader, ts: number, step: number) {
  const l2 = bookAt(reader, ts, true);
  const orders = bookAt(reader, ts, false);
  const [bid, ask] = [l2.bids[0]?.price, l2.asks[0]?.price];
  const mid = (Number(bid) + Number(ask)) / 2;
  const sums = (
    levels: readonly { price: string; size: string }[],
    isIn: (p: number) => boolean,
  ) => {
    const all: Record<number, number> = {};
    for (const { price, size } of levels.filter((level) => isIn(Number(level.price)))) {
      const band = Math.floor(Number(price) / step) * step;
      all[band] = (all[band] ?? 0) + Number(size);
    }
    return all;
  };
  const bids = sums(orders.bids, (price) => mid - price <= mid / 100);
  const asks = sums(orders.asks, (price) => price - mid <= mid / 100);
  return { bid, ask, mid, bids, asks };
}

/** The bands of a row that are not empty. */
function bandsOf(sizes: readonly string[], from: number, step: number): Record<number, number> {
  const all = sizes.map((size, at) => [from + at * step, Number(size)] as const);
  return Object.fromEntries(all.filter(([, size]) => size > 0));
}

test('each row has the best prices and the bands of the book of its moment', () => {
  const reader = newReader();
  const { reply, history } = readHistory(reader);
  expect(history.segmentsRead).toBe(history.segments);
  expect([reply.isPartial, reply.isFinal]).toEqual([false, false]);
  expect(history.rows.length).toBeGreaterThan(8);
  let banded = 0;
  for (const row of history.rows) {
    const step = Number(row.bandStep ?? 1);
    const { bid, ask, mid, bids, asks } = bandsAt(reader, row.ts, step);
    expect([row.ts, row.bestBidPrice, row.bestAskPrice]).toEqual([row.ts, bid, ask]);
    if (row.bandStep === undefined) continue;
    expect(step).toBeLessThanOrEqual(mid / 2_000);
    expect(step).toBeGreaterThan(mid / 2_000 / 2.6);
    expect(bandsOf(row.bids, Number(row.bidBand), -step)).toEqual(bids);
    expect(bandsOf(row.asks, Number(row.askBand), step)).toEqual(asks);
    banded += 1;
  }
  expect(banded).toBeGreaterThan(4);
});

test('a longer step has the rows of the shorter one at its multiples', () => {
  const reader = newReader();
  const all = readHistory(reader).history.rows;
  for (const stepMs of [30_000, 60_000]) {
    const { rows } = readHistory(reader, { stepMs }).history;
    expect(rows.length).toBeGreaterThan(0);
    expect(rows).toEqual(all.filter(({ ts }) => ts % stepMs === 0));
  }
  const [fromMs = 0, toMs = 0] = [all[2]?.ts, all[5]?.ts];
  const part = readHistory(reader, { fromMs, toMs }).history.rows;
  expect(part).toEqual(all.filter(({ ts }) => ts >= fromMs && ts <= toMs));
});

test('segments that have ended are played once: their summaries are files', () => {
  const first = readHistory(newReader()).history;
  const { segments } = readSegments(folder, PROGRAM_ID);
  const ended = segments.slice(0, -1);
  expect(ended.length).toBeGreaterThan(3);
  const written = segments.filter(({ number }) => existsSync(summaryPath(folder, number)));
  expect(written).toEqual(ended);
  const reader = newReader();
  expect(readHistory(reader).history).toEqual(first);
  const { marketType, marketIndex } = key();
  const ts = first.rows[3]?.ts ?? 0;
  const segment = ended.find((one) => one.first.ts < ts && ts < one.last.ts);
  const rows = new Map([[`${marketType} ${marketIndex}`, [{ ts, text: `{"ts":${ts}}` }]]]);
  writeSummary(folder, segment?.number ?? 0, rows);
  expect(readHistory(reader, { fromMs: ts, toMs: ts }).history.rows).toEqual([{ ts }]);
  rmSync(summaryPath(folder, segment?.number ?? 0));
});

test('without time a reply has the newest rows, and the next one goes on', () => {
  const whole = readHistory(newReader()).history;
  for (const { number } of readSegments(folder, PROGRAM_ID).segments) {
    rmSync(summaryPath(folder, number), { force: true });
  }
  let nowMs = 0;
  const nowOf = (): number => {
    nowMs += 120;
    return nowMs;
  };
  const reader = newReader({ nowMs: nowOf });
  const read: number[] = [];
  while (read.length < 1_000) {
    const { reply, history } = readHistory(reader);
    read.push(history.segmentsRead);
    expect(reply.isPartial).toBe(history.segmentsRead < history.segments);
    if (reply.isPartial === false) {
      expect(history).toEqual(whole);
      break;
    }
  }
  expect(read.length).toBeGreaterThan(3);
  expect(read).toEqual([...read].sort((left, right) => left - right));
});

test('a summary that cannot be written fails no request', () => {
  const whole = readHistory(newReader()).history;
  const [first] = readSegments(folder, PROGRAM_ID).segments;
  const place = summaryPath(folder, first?.number ?? 0);
  rmSync(place);
  mkdirSync(place);
  const reader = newReader();
  for (let request = 0; request < 2; request += 1) {
    expect(readHistory(reader).history).toEqual(whole);
  }
  rmdirSync(place);
});

test('a time before the journal is not kept', () => {
  const reply = newReader().readMoment(
    {
      id: 1,
      moment: { by: 'ts', value: 1_000 },
      bodies: { history: { key: key(), fromMs: 0, stepMs: SUMMARY_STEP_MS } },
      flushedMs: 0,
      newestMs: 0,
    },
    stays,
  );
  expect(reply?.kind).toBe('notKept');
});
