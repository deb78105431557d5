/** The made-up past of a demo, as its files have it. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigReader } from '../config/config.js';
import type { AsOfReply } from '../contract/as-of-source.js';
import { PROGRAM_IDS } from '../contract/program.js';
import { candleRules } from '../history/candles/rules.js';
import { openStore } from '../history/store/store.js';
import { MomentReader } from '../journal/as-of/moment-reader.js';
import { readSegments } from '../journal/store/segment-index.js';
import { systemTimers } from '../rpc/timers.js';
import { DEMO_MARKETS, FEW_MARKETS } from '../sim/bytes/market-presets.js';
import { createLog } from './log.js';
import { demoPast } from './seeded-past.js';

const CHAIN = '32mbxwqwwCqf5RsRFdP3yDCdyestV2iPhcXa2oeJ8zKb';
const HOUR = 3_600;
const config = new ConfigReader({}).readDemo();
const runtime = { log: createLog({ ...config, logLevel: 'silent' }), timers: systemTimers };
let made: Awaited<ReturnType<typeof writePast>>;

beforeAll(async () => {
  made = await writePast();
}, 120_000);

afterAll(() => rmSync(made.folder, { recursive: true, force: true }));

async function writePast() {
  const past = demoPast(config, DEMO_MARKETS, {});
  const { folder, seeded } = (await past?.write(CHAIN, runtime)) ?? {};
  if (past === undefined || folder === undefined || !seeded) throw new Error('there is a past');
  return { past, seeded, folder: folder.path };
}

type Side = readonly { readonly price: string }[];

function bookAt(folder: string, ts: number, name: string): { readonly bids: Side; asks: Side } {
  const files = { folder: path.join(folder, 'journal'), programId: PROGRAM_IDS.drift };
  const reader = new MomentReader(files, systemTimers);
  const market = [...DEMO_MARKETS.perps, ...(DEMO_MARKETS.stills ?? []).map((one) => one.preset)];
  const found = market.find((one) => one.name === name);
  const key = {
    marketType: DEMO_MARKETS.perps.some((one) => one.name === name) ? 'perp' : 'spot',
    marketIndex: found?.marketIndex ?? -1,
  } as const;
  const read = { path: 'l2', key, request: { market: 0, depth: 50 } } as const;
  const moment = { by: 'ts', value: ts } as const;
  const job = { id: 1, moment, bodies: { read }, flushedMs: ts, newestMs: ts };
  const reply = reader.readMoment(job, () => false) as AsOfReply & { readonly kind: 'body' };
  expect(reply.kind).toBe('body');
  return JSON.parse(Buffer.from(reply.body).toString());
}

test('a demo that keeps nothing has a day of trades, candles and books', async () => {
  const { past, seeded, folder } = made;
  expect(seeded.untilMs - seeded.fromMs).toBe(25 * HOUR * 1_000);
  const place = { folder, genesisHash: CHAIN, programId: PROGRAM_IDS.drift };
  const store = await openStore({ ...place, rules: candleRules, decimalsOf: () => 9 });
  try {
    for (const { marketIndex, name, startPrice, nextFillRecordId } of past.presets.perps) {
      const market = `perp_${marketIndex}` as const;
      const candles = store.readCandles({ market, minutes: 60, limit: 48 });
      expect(candles.length).toBeGreaterThanOrEqual(25);
      const [newest] = store.readRecords({ kind: 'trade', market, limit: 1 });
      // The demo goes on with the next number and near the last price.
      expect(newest?.id).toBe(nextFillRecordId - 1n);
      const { low, high } = store.aggregateSpan(market, { from: 0, to: 2 ** 40 }) ?? {};
      const part = Number((high ?? 0n) - (low ?? 0n)) / Number(startPrice);
      expect(part).toBeGreaterThan(0.005);
      expect(part).toBeLessThan(0.2);
      const { bids, asks } = bookAt(folder, seeded.untilMs, name);
      expect(Math.min(bids.length, asks.length)).toBeGreaterThan(10);
      expect(Number(bids[0]?.price)).toBeLessThan(Number(asks[0]?.price));
      expect(Math.abs(Number(bids[0]?.price) / Number(startPrice) - 1)).toBeLessThan(0.01);
    }
    expect(store.findGaps().gaps).toEqual([]);
  } finally {
    store.close();
  }
  const { segments } = readSegments(path.join(folder, 'journal'), null);
  expect(segments.map(({ first, last }) => [first.ts, last.ts])).toEqual([
    [seeded.fromMs, seeded.untilMs],
  ]);
});

test('the demo has an empty and a crossed book', () => {
  const { seeded, folder } = made;
  const { bids, asks } = bookAt(folder, seeded.untilMs, 'CROSSED');
  expect(Number(bids[0]?.price)).toBeGreaterThan(Number(asks[0]?.price));
  expect(bookAt(folder, seeded.untilMs, 'EMPTY')).toMatchObject({ bids: [], asks: [] });
});

test('a demo that keeps its data, records, or has other markets has no made-up past', () => {
  const kept = new ConfigReader({ dataDir: '/nowhere' }).readDemo();
  expect(demoPast(kept, DEMO_MARKETS, {})).toBeUndefined();
  expect(demoPast(config, DEMO_MARKETS, { recordTo: '/nowhere' })).toBeUndefined();
  expect(demoPast(config, FEW_MARKETS, {})).toBeUndefined();
});
