/**
 * Fills that are sent while the service is killed, and while its node is cut off, come out once each and
 * in order. HISTORY_KILLS and HISTORY_CUT_MS make it longer; SEED=n makes it another run.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MarketType } from '../../src/sim/bytes/chain-enums.js';
import { Random } from '../../src/sim/random.js';
import { FillSender, type SentFill } from '../support/fill-sender.js';
import { ServiceChild } from '../support/service-child.js';
import { SteppedDemo } from '../support/stepped-demo.js';

const KILLS = Number(process.env['HISTORY_KILLS'] ?? 3);
const CUT_MS = Number(process.env['HISTORY_CUT_MS'] ?? 1_500);
const SEED = Number(process.env['SEED'] ?? 20_261_121);
const FILLS_A_KILL = 8;
/** A service is killed at some moment of its first second: back-fill is among them. */
const LIFE_MS_MAX = 1_000;
const MARKETS = [
  { symbol: 'SOL-PERP', marketType: MarketType.Perp, marketIndex: 0 },
  { symbol: 'BTC-PERP', marketType: MarketType.Perp, marketIndex: 1 },
  { symbol: 'ETH-PERP', marketType: MarketType.Perp, marketIndex: 2 },
  { symbol: 'SOL', marketType: MarketType.Spot, marketIndex: 1 },
] as const;

interface TradeRow {
  readonly fillRecordId: number;
  readonly txSig: string;
  readonly slot: number;
  readonly baseAssetAmountFilled: number;
}

/** A long cut has no more than these: the chain slows down with its history. */
const CUT_FILLS_MAX = 900;
const WAIT = { timeout: 60_000, interval: 100 };

const random = new Random(SEED);
let folder: string;
let demo: SteppedDemo;
let fills: FillSender;
let service: ServiceChild | undefined;
const sent: SentFill[] = [];

beforeAll(async () => {
  process.stdout.write(`SEED=${SEED}\n`);
  folder = await mkdtemp(join(tmpdir(), 'slotbook-kills-'));
  demo = await SteppedDemo.start({ seed: 5, makers: 6, slotTimeMs: 100 });
  demo.relay.disorderLogs(SEED);
  fills = await FillSender.start(demo.chain, { seed: SEED });
});

afterAll(async () => {
  await service?.kill();
  fills?.close();
  await demo?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<ServiceChild> {
  service = await ServiceChild.start(demo.relay, ['--data-dir', folder]);
  return service;
}

async function send(count: number): Promise<void> {
  sent.push(...(await fills.send(count)));
}

async function trades(running: ServiceChild, symbol: string): Promise<readonly TradeRow[]> {
  const { status, text } = await running.get(`/trades?symbol=${symbol}&limit=1000`);
  return status === 200 ? (JSON.parse(text) as TradeRow[]) : [];
}

/** All that was sent is there, once and in its order, in trades and in the sums of candles. */
async function expectAll(running: ServiceChild): Promise<void> {
  for (const { symbol, marketType, marketIndex } of MARKETS) {
    const expected = sent.filter(({ fill }) => {
      return fill.marketType === marketType && fill.marketIndex === marketIndex;
    });
    const rows = expected.map(({ fill, signature, slot }) => {
      return { fillRecordId: Number(fill.fillRecordId), txSig: signature, slot };
    });
    await vi.waitFor(async () => {
      const found = await trades(running, symbol);
      const places = found.map(({ fillRecordId, txSig, slot }) => ({
        fillRecordId,
        txSig,
        slot,
      }));
      expect(places).toEqual(rows.toReversed());
    }, WAIT);
    const base = expected.reduce((sum, { fill }) => sum + fill.baseAssetAmountFilled, 0n);
    // The decimals of a spot market may come a second later than its first fill.
    await vi.waitFor(async () => {
      const { text } = await running.get(`/candles?symbol=${symbol}&resolution=1&limit=1000`);
      const volumes = (JSON.parse(text) as { baseVolume: number }[]).map((row) => row.baseVolume);
      const found = volumes.reduce((sum, volume) => sum + Math.round(volume * 1e9), 0);
      expect([symbol, found]).toEqual([symbol, Number(base)]);
    }, WAIT);
  }
}

async function historyOf(running: ServiceChild): Promise<Record<string, unknown>> {
  const { text } = await running.get('/status');
  return (JSON.parse(text) as { history: Record<string, unknown> }).history;
}

describe('the history', () => {
  test(`has every fill after ${KILLS} kills`, { timeout: 300_000 + KILLS * 20_000 }, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const running = await start();
      const sending = send(FILLS_A_KILL);
      await new Promise((resolve) => setTimeout(resolve, random.nextBelow(LIFE_MS_MAX)));
      await running.kill();
      await sending;
      // Some come while nobody listens.
      await send(random.nextBelow(3));
    }
    await expectAll(await start());
  });

  test('has every fill of a time without its node', { timeout: CUT_MS + 300_000 }, async () => {
    const running = service ?? (await start());
    demo.relay.cutSessions({ downMs: CUT_MS });
    const endMs = performance.now() + CUT_MS;
    const mostSent = sent.length + CUT_FILLS_MAX;
    do {
      if (sent.length < mostSent) await send(10);
      await new Promise((resolve) => setTimeout(resolve, 200));
    } while (performance.now() < endMs);
    await expectAll(running);
    const whole = { missingFills: {}, storeFailures: 0 };
    await vi.waitFor(async () => expect(await historyOf(running)).toMatchObject(whole), WAIT);
  });

  test('tells of a folder that it cannot have, beside a live book, and heals', async () => {
    await service?.stop();
    const blocked = join(folder, 'blocked');
    await writeFile(blocked, 'no folder');
    service = await ServiceChild.start(demo.relay, ['--data-dir', join(blocked, 'data')]);
    const running = service;
    const failing = { state: 'failing', reason: expect.stringContaining('folder') };
    await vi.waitFor(async () => {
      expect(await historyOf(running)).toMatchObject(failing);
      const ready = await running.get('/ready');
      expect([ready.status, JSON.parse(ready.text)]).toMatchObject([200, { history: failing }]);
      expect((await running.get('/l2?marketName=SOL-PERP')).text).toContain('"state":"live"');
      expect((await running.get('/trades?symbol=SOL-PERP')).status).toBe(503);
      const { text } = await running.get('/metrics');
      expect(text).toContain('slotbook_history_state{state="failing"} 1');
      expect(text).toMatch(/slotbook_history_store_failures_total [1-9]/);
    }, WAIT);
    await send(5);
    await rm(blocked);
    await expectAll(running);
  });
});
