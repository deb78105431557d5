/**
 * The exchange class of examples/ccxt, on ccxt as npm has it, against a service on a moving market. LONG follows
 * it over cuts, and CCXT_SECONDS for so long, with a cut every ten seconds.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { StreamClient } from '../../src/client/stream/client.js';
import { type Demo, startDemo } from '../../src/sim/demo/demo.js';
import { Random } from '../../src/sim/random.js';
import { CutProxy } from '../support/cut-proxy.js';
import { FrameProxy } from '../support/frame-proxy.js';
import { LineProcess } from '../support/line-process.js';
import { ServiceChild } from '../support/service-child.js';
import { until } from '../support/until.js';

const IS_LONG = process.env['LONG'] !== undefined;
const SECONDS = Number(process.env['CCXT_SECONDS'] ?? 0);
const CUT_EVERY_MS = 10_000;
/** Cuts of the short form, and the tops that are told before each. */
const CUTS = 3;
const TOLD_MIN = 20;
const SYMBOL = 'SOL/USDC:USDC';
/** Seven kinds of spoilt frames, with whole ones between. */
const SEEN_MS_MAX = 120_000;
const SEED = 11;
/** A book whose chain is silent is old soon. */
const OLD_SOON = ['--lagging-after-ms', '4000', '--stale-after-ms', '6000'] as const;

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
/** By the set-up of `npm test` and of the long form. */
const isInstalled = existsSync(pathOf('../../examples/ccxt/node_modules/.package-lock.json'));

type Pair = readonly [price: number, size: number];

/** A line of examples/ccxt/watch.mjs: a top, or why there is none. */
interface Told {
  readonly epoch: string;
  readonly seq: number;
  readonly state: string;
  readonly bid: Pair;
  readonly ask: Pair;
  readonly error?: string;
}

let folder: string;
let demo: Demo;
let service: ServiceChild;
let proxy: CutProxy;

beforeAll(async () => {
  if (!isInstalled) return;
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-ccxt-'));
  demo = await startDemo({ rate: 60, makers: 20, seed: 9, fillsPerSecond: 5, fundingSeconds: 5 });
  service = await ServiceChild.start(demo, ['--data-dir', folder, ...OLD_SOON]);
  proxy = await CutProxy.start(service.url);
});

afterAll(async () => {
  await proxy?.stop();
  await service?.kill();
  await demo?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

async function read<T>(url: string): Promise<T> {
  const reply = await service.get(url);
  expect([url, reply.status]).toEqual([url, 200]);
  return JSON.parse(reply.text) as T;
}

/** What examples/ccxt/look.mjs prints; undefined while the book is old, as on a busy machine it may be. */
async function look(): Promise<string | undefined> {
  const args = [pathOf('../../examples/ccxt/look.mjs'), service.url, SYMBOL];
  try {
    return (await promisify(execFile)(process.execPath, args)).stdout;
  } catch (error) {
    if (String(error).includes('ExchangeNotAvailable')) return undefined;
    throw error;
  }
}

test.concurrent('the methods of ccxt return what the paths have', async (context) => {
  if (!isInstalled) context.skip('needs the package ccxt');
  await until(async () => (await service.get('/trades?symbol=SOL-PERP')).text.length > 2);
  await until(async () => (await service.get('/fundingRates?symbol=SOL-PERP')).text.length > 2);
  const found = JSON.parse(await until('a live book', look));
  expect(found.symbols).toEqual(['BTC/USDC:USDC', 'ETH/USDC:USDC', 'SOL/USDC', SYMBOL]);
  expect(found.tickers).toEqual(found.symbols);
  expect(found.market).toMatchObject({
    ...{ id: 'SOL-PERP', base: 'SOL', quote: 'USDC', settle: 'USDC', type: 'swap', active: true },
    precision: { price: 0.0001, amount: 0.01 },
    limits: { amount: { min: 0.01 } },
  });
  const { book, ticker, trades, candles, fundingRate, fundingRates } = found;
  expect(book.bids).toHaveLength(5);
  expect(book.bids[0][0]).toBeLessThan(book.asks[0][0]);
  expect(ticker.bid).toBeLessThan(ticker.ask);
  const rows = await read<Record<string, number>[]>('/trades?symbol=SOL-PERP&limit=1000');
  const byId = new Map(rows.map((row) => [String(row['fillRecordId']), row]));
  expect(trades.length).toBeGreaterThan(0);
  for (const trade of trades) {
    const row = byId.get(trade.id) ?? {};
    expect(trade.amount).toBe(Number(row['baseAssetAmountFilled']) / 1e9);
    expect(trade.cost).toBe(Number(row['quoteAssetAmountFilled']) / 1e6);
    expect(trade.price).toBeCloseTo(trade.cost / trade.amount, 4);
    expect(trade.timestamp).toBe(Number(row['ts']) * 1_000);
    expect(trade.side).toBe(String(row['takerOrderDirection']) === 'long' ? 'buy' : 'sell');
  }
  expect(candles.at(-1)[2]).toBeGreaterThanOrEqual(candles.at(-1)[3]);
  const known = await read<Record<string, number>[]>('/fundingRates?symbol=SOL-PERP');
  const rates = known.map(({ fundingRate: rate }) => rate);
  expect(rates).toEqual(
    expect.arrayContaining(
      fundingRates.map((row: Told & { fundingRate: number }) => row.fundingRate),
    ),
  );
  expect(fundingRate.indexPrice).toBeGreaterThan(0);
});

test.concurrent('steps and least sizes have the decimals of their token', async (context) => {
  if (!isInstalled) context.skip('needs the package ccxt');
  const row = {
    ...{
      symbol: 'JTO',
      marketType: 'spot',
      status: 'active',
      baseAsset: 'JTO',
      quoteAsset: 'USDC',
    },
    ...{ tick: '100', step: '10000', minOrderSize: '100000', decimals: 6, fees: {}, limits: {} },
  };
  const program = `import { SlotbookRest } from ${JSON.stringify(pathOf('../../examples/ccxt/rest.mjs'))};
    console.log(JSON.stringify(new SlotbookRest().parseMarket(${JSON.stringify(row)})));`;
  const args = ['--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toMatchObject({
    symbol: 'JTO/USDC',
    precision: { price: 0.0001, amount: 0.01 },
    limits: { amount: { min: 0.1 } },
  });
});

/** What the service itself said of each number of the topic, on a connection that is never cut. */
function recordTops(): { readonly tops: ReadonlyMap<string, object>; stop(): void } {
  const tops = new Map<string, object>();
  const stream = new StreamClient({ url: service.url, WebSocket });
  const request = { channel: 'book', market: 'SOL-PERP', depth: 10 } as const;
  stream.subscribe(request).onUpdate(({ epoch, seq, bids, asks }) => {
    tops.set(`${epoch} ${seq}`, { bid: pairOf(bids[0]), ask: pairOf(asks[0]) });
  });
  return { tops, stop: () => stream.close() };
}

function pairOf(level: { readonly price: bigint; readonly size: bigint } | undefined): Pair | null {
  return level === undefined ? null : [Number(level.price) / 1e6, Number(level.size) / 1e9];
}

/** examples/ccxt/watch.mjs, and what it has told. */
class Watcher {
  readonly lines: Told[] = [];
  readonly #process: LineProcess;

  constructor(url: string, socketUrl: string) {
    const program = [process.execPath, pathOf('../../examples/ccxt/watch.mjs')] as const;
    this.#process = new LineProcess([...program, url, SYMBOL, socketUrl], (line) => {
      this.lines.push(JSON.parse(line));
    });
  }

  get tops(): readonly Told[] {
    return this.lines.filter(({ error }) => error === undefined);
  }

  async waitForTops(count = TOLD_MIN): Promise<void> {
    const enough = this.tops.length + count;
    await until(`tops (${this.#process.lastError})`, () => this.tops.length >= enough);
  }

  /** Waits for an error of a kind that comes from now on, and does meanwhile what brings it. */
  waitForError(...kinds: readonly string[]): Promise<unknown> {
    const from = this.lines.length;
    return until(kinds.join(' or '), () =>
      this.lines.slice(from).some(({ error }) => kinds.includes(error ?? '')),
    );
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}

/** Tops are live, those whose number the recorder has are what was published, and none comes after a newer one. */
function expectFresh(told: readonly Told[], tops: ReadonlyMap<string, object>): void {
  let newest = 0;
  let compared = 0;
  for (const { epoch, seq, state, bid, ask } of told) {
    expect(state).toBe('live');
    expect(bid[0]).toBeLessThanOrEqual(ask[0]);
    expect(seq).toBeGreaterThanOrEqual(newest);
    newest = seq;
    const published = tops.get(`${epoch} ${seq}`);
    if (published === undefined) continue;
    expect([seq, published]).toEqual([seq, { bid, ask }]);
    compared += 1;
  }
  expect(compared).toBeGreaterThan(told.length / 2);
}

const TIMEOUT = { timeout: (SECONDS + 300) * 1_000 };

if (IS_LONG) {
  test.concurrent(
    'no crossed or old top is told, over cuts, a dead wire and a silent chain',
    TIMEOUT,
    async (context) => {
      if (!isInstalled) context.skip('needs the package ccxt');
      const recorded = recordTops();
      const watcher = new Watcher(proxy.url, `${proxy.url.replace('http', 'ws')}/ws`);
      try {
        for (let cut = 0; cut < Math.max(CUTS, (SECONDS * 1_000) / CUT_EVERY_MS); cut += 1) {
          await watcher.waitForTops();
          if (SECONDS > 0) await sleep(CUT_EVERY_MS);
          // One that stood still for seconds has its own timer first.
          const failed = watcher.waitForError('NetworkError', 'RequestTimeout');
          proxy.cut();
          await failed;
        }
        await watcher.waitForTops();
        proxy.goDeaf();
        await watcher.waitForError('RequestTimeout');
        proxy.cut();
        proxy.hear();
        await watcher.waitForTops();
        demo.chain.pause();
        await watcher.waitForError('ExchangeNotAvailable');
        demo.chain.resume();
        await watcher.waitForTops();
      } finally {
        await watcher.stop();
        recorded.stop();
      }
      expectFresh(watcher.tops, recorded.tops);
      process.stdout.write(
        `ccxt: ${watcher.tops.length} of ${watcher.lines.length} lines are tops\n`,
      );
    },
  );

  test.concurrent(
    'a frame that is lost, repeated or spoilt is seen, and nothing of it told',
    TIMEOUT,
    async (context) => {
      if (!isInstalled) context.skip('needs the package ccxt');
      const recorded = recordTops();
      const frames = await FrameProxy.start(service.socketUrl, new Random(SEED));
      const watcher = new Watcher(service.url, frames.url);
      try {
        const seen = (): boolean => Object.values(frames.counts).every((kind) => kind.seen > 0);
        await until('each kind is seen', () => seen(), SEEN_MS_MAX);
        await until('the last is healed', () => frames.settle());
        await watcher.waitForTops();
      } finally {
        await watcher.stop();
        await frames.stop();
        recorded.stop();
      }
      expectFresh(watcher.tops, recorded.tops);
    },
  );
}
