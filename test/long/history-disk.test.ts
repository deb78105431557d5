/**
 * A service whose data folder is on a disk that is full, or that may only be read: its book is that of a
 * service without a history, it says what is wrong, and when the disk heals no fill is lost. The disks are
 * true ones, of some megabytes in memory.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, type TestContext, test, vi } from 'vitest';
import { MarketType } from '../../src/sim/bytes/chain-enums.js';
import { FillSender, type SentFill } from '../support/fill-sender.js';
import { ServiceChild } from '../support/service-child.js';
import { SteppedDemo } from '../support/stepped-demo.js';

/** Room for the file and its log with some thousand trades. */
const DISK = 'size=4m';
const FILLS = 6;
/** Account writes of the market while the disk is broken. */
const WRITES = 30;
const MARKETS = [
  { symbol: 'SOL-PERP', marketType: MarketType.Perp, marketIndex: 0 },
  { symbol: 'BTC-PERP', marketType: MarketType.Perp, marketIndex: 1 },
  { symbol: 'ETH-PERP', marketType: MarketType.Perp, marketIndex: 2 },
  { symbol: 'SOL', marketType: MarketType.Spot, marketIndex: 1 },
] as const;
const WAIT = { timeout: 60_000, interval: 50 };

interface Place {
  readonly fillRecordId: number;
  readonly txSig: string;
  readonly slot: number;
}

const folder = mkdtempSync(join(tmpdir(), 'slotbook-disk-'));
const disk = join(folder, 'disk');
mkdirSync(disk);
const isMounted = mount('-t', 'tmpfs', '-o', DISK, 'tmpfs');

let demo: SteppedDemo;
let fills: FillSender;
/** A service on the same chain that has no history. */
let healthy: ServiceChild;
let service: ServiceChild | undefined;
const sent: SentFill[] = [];

beforeAll(async () => {
  if (!isMounted) return;
  demo = await SteppedDemo.start({ seed: 9, makers: 6, slotTimeMs: 100 });
  fills = await FillSender.start(demo.chain, { seed: 9 });
  healthy = await ServiceChild.start(demo.relay);
});

afterAll(async () => {
  await Promise.all([service?.kill(), healthy?.kill()]);
  fills?.close();
  await demo?.stop();
  spawnSync('umount', ['--lazy', disk]);
  rmSync(folder, { recursive: true, force: true });
});

function mount(...options: readonly string[]): boolean {
  return spawnSync('mount', [...options, disk]).status === 0;
}

function needsDisk(context: TestContext): void {
  if (!isMounted) context.skip('needs the right to mount a file system');
}

/** Takes all the room that is left. */
function fillUp(): void {
  const file = openSync(join(disk, 'other'), 'a');
  const piece = Buffer.alloc(4_096, 1);
  try {
    for (;;) writeSync(file, piece);
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    closeSync(file);
  }
}

async function start(): Promise<ServiceChild> {
  service = await ServiceChild.start(demo.relay, ['--data-dir', disk]);
  return service;
}

async function json<Body>(running: ServiceChild, path: string): Promise<Body> {
  const { status, text } = await running.get(path);
  expect([path, status]).toEqual([path, 200]);
  return JSON.parse(text) as Body;
}

async function trades(running: ServiceChild, symbol: string): Promise<readonly Place[]> {
  const rows = await json<readonly Place[]>(running, `/trades?symbol=${symbol}&limit=1000`);
  return rows.map(({ fillRecordId, txSig, slot }) => ({ fillRecordId, txSig, slot }));
}

/** Every fill that was sent is there once, in its order, and in the sums of the candles. */
async function expectAll(running: ServiceChild): Promise<void> {
  for (const { symbol, marketType, marketIndex } of MARKETS) {
    const own = sent.filter(({ fill }) => {
      return fill.marketType === marketType && fill.marketIndex === marketIndex;
    });
    const places = own.map(({ fill, signature, slot }) => {
      return { fillRecordId: Number(fill.fillRecordId), txSig: signature, slot };
    });
    await vi.waitFor(
      async () => expect(await trades(running, symbol)).toEqual(places.toReversed()),
      WAIT,
    );
    const path = `/candles?symbol=${symbol}&resolution=1&limit=1000`;
    const expected = own.reduce((sum, { fill }) => sum + fill.baseAssetAmountFilled, 0n);
    // The decimals of a spot market may come a second later than its first fill.
    await vi.waitFor(async () => {
      const candles = await json<readonly { readonly baseVolume: number }[]>(running, path);
      const base = candles.reduce((sum, { baseVolume }) => sum + Math.round(baseVolume * 1e9), 0);
      expect([symbol, base]).toEqual([symbol, Number(expected)]);
    }, WAIT);
  }
}

/** The levels and orders of every market. */
async function books(running: ServiceChild): Promise<readonly unknown[]> {
  const paths = MARKETS.flatMap(({ symbol }) => {
    return [`/l2?marketName=${symbol}&depth=1000`, `/l3?marketName=${symbol}`];
  });
  const bodies = paths.map((path) => json<{ bids: unknown; asks: unknown }>(running, path));
  return (await Promise.all(bodies)).map(({ bids, asks }, at) => ({ path: paths[at], bids, asks }));
}

interface BookBody {
  readonly state: string;
  readonly slot: number;
}

/** Reads one book over and over, until it is stopped; what was read. */
function watchBook(running: ServiceChild): () => Promise<readonly BookBody[]> {
  const bodies: BookBody[] = [];
  let isOn = true;
  const reading = (async () => {
    while (isOn) {
      bodies.push(await json<BookBody>(running, '/l2?marketName=SOL-PERP'));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  reading.catch(() => undefined);
  return async () => {
    isOn = false;
    await reading;
    return bodies;
  };
}

/** The book moves on as that of the service without a history does, to the order. */
async function expectSameBook(running: ServiceChild): Promise<void> {
  const before = await books(healthy);
  await demo.step(WRITES);
  await vi.waitFor(async () => {
    const now = await books(healthy);
    expect(now).not.toEqual(before);
    expect(await books(running)).toEqual(now);
  }, WAIT);
}

/** All that tells the state of the history tells what is wrong with the disk. */
async function expectFailing(running: ServiceChild, reason: string): Promise<void> {
  const failing = { state: 'failing', reason: expect.stringContaining(reason) };
  await vi.waitFor(async () => {
    expect(await json(running, '/ready')).toMatchObject({ ready: true, history: failing });
  }, WAIT);
  await vi.waitFor(async () => {
    const { history } = await json<{ history: Record<string, unknown> }>(running, '/status');
    expect(history).toMatchObject(failing);
    const { text } = await running.get('/metrics');
    expect(text).toContain('slotbook_history_state{state="failing"} 1');
    expect(text).toContain('slotbook_history_state{state="live"} 0');
    expect(text).toMatch(/slotbook_history_store_failures_total [1-9]/);
    expect(text).toContain('slotbook_ready 1');
  }, WAIT);
}

/** The history is live again, and misses nothing. */
async function expectHealed(running: ServiceChild): Promise<void> {
  await expectAll(running);
  await vi.waitFor(async () => {
    const { history } = await json<{ history: Record<string, unknown> }>(running, '/status');
    expect(history).toMatchObject({ state: 'live', reason: null, missingFills: {} });
    const { text } = await running.get('/metrics');
    expect(text).toContain('slotbook_history_state{state="live"} 1');
  }, WAIT);
}

describe('the history of a service', () => {
  test('on a disk that is full fails beside a live book, and misses nothing when it has room', async (context) => {
    needsDisk(context);
    const running = await start();
    sent.push(...(await fills.send(FILLS)));
    await expectAll(running);
    const before = await trades(running, 'SOL-PERP');
    const stopWatch = watchBook(running);
    fillUp();
    const lost = await fills.send(FILLS);
    await expectFailing(running, 'the disk is full');
    await expectSameBook(running);
    // What is there is served, and nothing of what could not be kept.
    expect(await trades(running, 'SOL-PERP')).toEqual(before);
    const bodies = await stopWatch();
    expect(new Set(bodies.map(({ state }) => state))).toEqual(new Set(['live']));
    const slots = bodies.map(({ slot }) => slot);
    expect(slots).toEqual(slots.toSorted((a, b) => a - b));
    expect(new Set(slots).size).toBeGreaterThan(3);
    rmSync(join(disk, 'other'));
    sent.push(...lost, ...(await fills.send(FILLS)));
    await expectHealed(running);
  });

  test('on a disk that may only be read starts with a live book, and misses nothing when it may be written', async (context) => {
    needsDisk(context);
    await service?.stop();
    expect(mount('-o', 'remount,ro')).toBe(true);
    const running = await start();
    sent.push(...(await fills.send(FILLS)));
    await expectFailing(running, 'may not be written');
    await expectSameBook(running);
    expect((await running.get('/trades?symbol=SOL-PERP')).status).toBe(503);
    expect(mount('-o', 'remount,rw')).toBe(true);
    await expectHealed(running);
  });
});
