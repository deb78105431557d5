/**
 * Fills sent to a true chain come out of the service: once each, in order, in candles and statistics.
 * What is expected is recomputed here from what was sent; notifications come twice and out of order.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Direction, MarketType } from '../src/sim/bytes/chain-enums.js';
import { type PlainCandle, plainCandles } from './plain-candles.js';
import { FillSender, type SentFill } from './support/fill-sender.js';
import { ServiceProbe } from './support/service-probe.js';
import { SteppedDemo } from './support/stepped-demo.js';
import { until } from './support/until.js';

const FILLS = 300;
/** Sent before the service starts, which reads them back. */
const FILLS_BEFORE = 100;
/** The chain's seconds between two transactions, so that there are candles of many minutes. */
const SECONDS_APART = 9;
/** In which a service that was started again has read the last transactions once more. */
const SLOTS_AFTER = 20;
const EXPLANATIONS: Readonly<Record<number, string>> = {
  6: 'orderFilledWithAmm',
  7: 'orderFilledWithAmmJit',
  8: 'orderFilledWithMatch',
  9: 'orderFilledWithMatchJit',
};
const SYMBOLS = ['SOL-PERP', 'BTC-PERP', 'ETH-PERP', 'SOL'] as const;
const RESOLUTIONS = ['1', '5', '15', '60', '240', 'D', 'W', 'M'] as const;

/** A member of an answer that is a number or a text. */
type Row = Readonly<Record<string, unknown>>;

let folder: string;
let demo: SteppedDemo;
let service: ServiceProbe;
let sent: readonly SentFill[] = [];
let nowSeconds: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slotbook-market-data-'));
  demo = await SteppedDemo.start({ seed: 3, makers: 8, slotTimeMs: 100 });
  demo.relay.disorderLogs(1);
  nowSeconds = Math.floor(Date.now() / 1_000);
  let second = nowSeconds - FILLS * SECONDS_APART;
  const clock = () => {
    second += SECONDS_APART;
    return second;
  };
  const fills = await FillSender.start(demo.chain, { seed: 11, clock });
  const before = await fills.send(FILLS_BEFORE);
  service = await ServiceProbe.start(demo.relay, { dataDir: folder });
  sent = [...before, ...(await fills.send(FILLS - FILLS_BEFORE))];
  fills.close();
  await until(async () => (await stored()) >= FILLS);
});

afterAll(async () => {
  await service?.stop();
  await demo?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function rows(path: string): Promise<Row[]> {
  const { status, text } = await service.get(path);
  expect([path, status]).toEqual([path, 200]);
  return JSON.parse(text) as Row[];
}

/** How many trades are shown; the history is not ready at once. */
async function stored(): Promise<number> {
  const pages = await Promise.all(
    SYMBOLS.map((symbol) => service.get(`/trades?symbol=${symbol}&limit=1000`)),
  );
  const counts = pages.map(({ status, text }) => (status === 200 ? JSON.parse(text).length : 0));
  return counts.reduce((sum: number, count: number) => sum + count, 0);
}

function trades(symbol: string): Promise<Row[]> {
  return rows(`/trades?symbol=${symbol}&limit=1000`);
}

/** What was sent into a market, oldest first. */
function sentTo(symbol: string): SentFill[] {
  const index = SYMBOLS.indexOf(symbol as (typeof SYMBOLS)[number]);
  const isSpot = symbol === 'SOL';
  return sent.filter(({ fill }) => {
    const ofType = fill.marketType === (isSpot ? MarketType.Spot : MarketType.Perp);
    return ofType && fill.marketIndex === (isSpot ? 1 : index);
  });
}

/** The row that a fill must be. All markets here have nine decimals. */
function expectedRow({ signature, slot, fill }: SentFill): Row {
  return {
    ts: Number(fill.ts),
    marketIndex: fill.marketIndex,
    marketType: fill.marketType === MarketType.Spot ? 'spot' : 'perp',
    filler: fill.filler ?? null,
    taker: fill.taker.user,
    maker: fill.maker?.user ?? null,
    takerOrderId: fill.taker.orderId,
    makerOrderId: fill.maker?.orderId ?? null,
    baseAssetAmountFilled: Number(fill.baseAssetAmountFilled),
    quoteAssetAmountFilled: Number(fill.quoteAssetAmountFilled),
    takerFee: Number(fill.takerFee),
    makerFee: Number(fill.makerFee ?? 0n),
    action: 'fill',
    actionExplanation: EXPLANATIONS[fill.actionExplanation],
    slot,
    txSig: signature,
    fillRecordId: Number(fill.fillRecordId),
    takerOrderDirection: fill.taker.direction === Direction.Long ? 'long' : 'short',
    oraclePrice: Number(fill.oraclePrice),
  };
}

function expectedCandles(symbol: string, resolution: string): PlainCandle[] {
  const plain = sentTo(symbol).map(({ fill }) => ({
    ts: Number(fill.ts),
    fillRecordId: fill.fillRecordId,
    base: fill.baseAssetAmountFilled,
    quote: fill.quoteAssetAmountFilled,
    oracle: fill.oraclePrice,
  }));
  return plainCandles(plain, { resolution, until: 0 });
}

function candleRow(candle: PlainCandle): Row {
  return {
    ts: candle.ts,
    fillOpen: Number(candle.open) / 1e6,
    fillHigh: Number(candle.high) / 1e6,
    fillClose: Number(candle.close) / 1e6,
    fillLow: Number(candle.low) / 1e6,
    oracleOpen: Number(candle.oracleOpen) / 1e6,
    oracleHigh: Number(candle.oracleHigh) / 1e6,
    oracleClose: Number(candle.oracleClose) / 1e6,
    oracleLow: Number(candle.oracleLow) / 1e6,
    quoteVolume: Number(candle.quote) / 1e6,
    baseVolume: Number(candle.base) / 1e9,
  };
}

test(`${FILLS} fills were sent, in transactions of one and of two`, () => {
  expect(sent.length).toBe(FILLS);
  const signatures = new Set(sent.map(({ signature }) => signature));
  expect(signatures.size).toBeLessThan(FILLS);
  expect(signatures.size).toBeGreaterThan(FILLS / 2);
});

describe.each(SYMBOLS)('%s', (symbol) => {
  test('has each fill once among its trades, newest first, as it was sent', async () => {
    const expected = sentTo(symbol).map(expectedRow).reverse();
    expect(expected.length).toBeGreaterThan(30);
    expect(await trades(symbol)).toEqual(expected);
  });

  test('gives the same trades page by page', async () => {
    const pages: Row[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const before: string = cursor === '' ? '' : `&before=${encodeURIComponent(cursor)}`;
      const answer = await service.get(`/trades?symbol=${symbol}&limit=7${before}`);
      pages.push(...(JSON.parse(answer.text) as Row[]));
      cursor = answer.headers.get('x-next-cursor');
    }
    expect(pages).toEqual(sentTo(symbol).map(expectedRow).reverse());
  });

  test.each(RESOLUTIONS)('has candles of %s that are a recomputation', async (resolution) => {
    const expected = expectedCandles(symbol, resolution).map(candleRow);
    const last = expected.at(-1)?.['ts'];
    const path = `/candles?symbol=${symbol}&resolution=${resolution}&limit=1000&to=${last}`;
    expect(await rows(path)).toEqual(expected);
  });
});

test('statistics of 24 hours are those of the fills', async () => {
  const expected = Object.fromEntries(SYMBOLS.map((symbol) => [symbol, expectedDay(symbol)]));
  // They are told once a second.
  await expect.poll(statistics).toMatchObject(expected);
});

async function statistics(): Promise<Readonly<Record<string, Row>>> {
  return Object.fromEntries((await rows('/stats/markets')).map((row) => [row['symbol'], row]));
}

function expectedDay(symbol: string) {
  const candles = expectedCandles(symbol, '1');
  const sum = (amount: (candle: PlainCandle) => bigint) =>
    candles.reduce((total, candle) => total + amount(candle), 0n);
  return {
    volume24h: Number(sum(({ quote }) => quote)) / 1e6,
    baseVolume24h: Number(sum(({ base }) => base)) / 1e9,
    price: Number(candles.at(-1)?.close) / 1e6,
    high24h: Math.max(...candles.map(({ high }) => Number(high))) / 1e6,
    low24h: Math.min(...candles.map(({ low }) => Number(low))) / 1e6,
  };
}

test('a service that is started again on the same folder has the same trades', async () => {
  await service.stop();
  service = await ServiceProbe.start(demo.relay, { dataDir: folder });
  await until(async () => (await stored()) >= FILLS);
  const { slot } = demo.clock;
  // What the new one reads again from the node comes meanwhile.
  await until(() => service.slot > slot + SLOTS_AFTER);
  for (const symbol of SYMBOLS) {
    expect(await trades(symbol)).toEqual(sentTo(symbol).map(expectedRow).reverse());
  }
});
