/**
 * Readers of candles and trades stay connected to a whole service while its history begins again: its
 * worker is killed, or the chain behind the same node is another one.
 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cleanUp, newFolder } from '../src/history/store/testing.js';
import { Direction, MarketType, OrderActionExplanation } from '../src/sim/bytes/chain-enums.js';
import { fillRecordBytes } from '../src/sim/bytes/event-record.js';
import { ScriptedChain } from './scripted-chain.js';
import { ScriptedNode } from './scripted-chain-node.js';
import { Ledger, LedgerNode } from './scripted-ledger.js';
import { crashWorker } from './simulation/stand-ins/worker-link.js';
import { PROGRAM } from './support/ingest-rig.js';
import { MarketReader, type Stretch } from './support/market-readers.js';
import { ServiceProbe } from './support/service-probe.js';
import { until } from './support/until.js';

const KILLS = Number(process.env['WORKER_KILLS'] ?? 3);
const SYMBOL = 'SOL-PERP';
/** Of each trade, at 1e9. */
const BASE = 1_000_000_000n;

let chain: ScriptedChain;
let node: ScriptedNode;
let ledger: Ledger;
let transactions: LedgerNode;
let service: ServiceProbe | undefined;
let readers: Readonly<Record<'candles' | 'trades' | 'channel' | 'second', MarketReader>>;
/** Trades that the chain has. */
let made: number;

beforeEach(async () => {
  made = 0;
  chain = new ScriptedChain({ seed: 6, makers: 4 });
  node = await ScriptedNode.start(chain);
  ledger = new Ledger();
  transactions = LedgerNode.on(node.rpc, ledger);
  chain.start();
  service = await ServiceProbe.start(node, { dataDir: newFolder() });
  await live();
  trade(3);
  await vi.waitFor(async () => expect(await served()).toEqual([3, 2, 1]));
  const { url } = service;
  const trades = { channelType: 'trades', symbol: SYMBOL };
  readers = {
    candles: await MarketReader.open(url, { symbol: SYMBOL, resolution: 'M' }),
    trades: await MarketReader.open(url, trades),
    channel: await MarketReader.open(url, {
      ...{ channel: 'trades', marketType: 'perp', market: SYMBOL },
    }),
    second: await MarketReader.open(url, trades),
  };
});

afterEach(async () => {
  for (const reader of Object.values(readers)) await reader.close();
  await service?.stop();
  chain.stop();
  await node.stop();
  cleanUp();
});

async function live(): Promise<void> {
  const { history } = JSON.parse((await service?.get('/status'))?.text ?? '{}');
  if (history?.state === 'live') return;
  await new Promise((resolve) => setTimeout(resolve, 50));
  await live();
}

/** The numbers of the trades that /trades has, newest first. */
async function served(): Promise<number[]> {
  const { status, text } = (await service?.get(`/trades?symbol=${SYMBOL}&limit=1000`)) ?? {};
  if (status !== 200) return [];
  const rows = JSON.parse(text ?? '[]') as { fillRecordId: number }[];
  return rows.map(({ fillRecordId }) => fillRecordId);
}

/** Trades happen, and whoever listens is told. */
function trade(count: number, quote = 150_000_000n): void {
  for (let left = count; left > 0; left -= 1) {
    made += 1;
    ledger.tick();
    transactions.tell(ledger.add(logOf(made, quote)));
  }
}

function logOf(id: number, quote: bigint): readonly string[] {
  const order = {
    ...{ user: PROGRAM, orderId: id, direction: Direction.Long, baseAssetAmount: BASE },
    ...{ cumulativeBaseAssetAmountFilled: BASE, cumulativeQuoteAssetAmountFilled: quote },
    ...{ existingQuoteEntryAmount: undefined, existingBaseAssetAmount: undefined },
  };
  const bytes = fillRecordBytes({
    ...{ ts: BigInt(Math.floor(Date.now() / 1_000)), marketIndex: 0, marketType: MarketType.Perp },
    ...{ actionExplanation: OrderActionExplanation.FilledWithAmm, filler: undefined },
    ...{ fillerReward: undefined, fillRecordId: BigInt(id), baseAssetAmountFilled: BASE },
    ...{ quoteAssetAmountFilled: quote, takerFee: 1n, makerFee: undefined },
    ...{ referrerReward: undefined, quoteAssetAmountSurplus: undefined },
    ...{ spotFulfillmentMethodFee: undefined, taker: order, maker: undefined },
    ...{ oraclePrice: 150_000_000n, bitFlags: 0 },
  });
  return [
    `Program ${PROGRAM} invoke [1]`,
    `Program data: ${bytes.toString('base64')}`,
    `Program ${PROGRAM} success`,
  ];
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
}

/** Every reader has what there is to have since it was shown the trades anew. */
async function allHeard(): Promise<void> {
  const { trades, ...others } = readers;
  const isThere = ({ shown, told }: Stretch): boolean =>
    new Set([...shown, ...told]).size === made - (shown[0] ?? 1) + 1;
  await until(() => isThere(trades.last));
  const { told } = trades.last;
  for (const reader of Object.values(others)) {
    await until(() => reader.last.told.length >= told.length);
  }
}

/** Ascending: what was missed is told when it is found, also behind what came live. */
function sorted(ids: readonly number[]): number[] {
  return ids.toSorted((a, b) => a - b);
}

test(`who reads goes on from a new init after each of ${KILLS} deaths of the worker`, async () => {
  for (let kill = 1; kill <= KILLS; kill += 1) {
    trade(2);
    await allHeard();
    // It dies at other moments: before these are stored, and before or after they are told.
    trade(3);
    await new Promise((resolve) => setTimeout(resolve, 15 * (kill - 1)));
    crashWorker();
    trade(2);
    for (const reader of Object.values(readers)) {
      const isShown = (): boolean =>
        reader.stretches.length > kill + (reader === readers.channel ? 0 : 1);
      await until(isShown);
    }
    await vi.waitFor(async () => expect(await served()).toHaveLength(made));
    trade(2);
    await allHeard();
    const { shown, told } = readers.trades.last;
    expect(sorted([...shown, ...told])).toEqual(numbers(shown[0] ?? 1, made));
    expect(readers.second.last).toEqual(readers.trades.last);
    expect(readers.channel.last.told).toEqual(told);
    expect(readers.candles.last.told).toEqual(told);
    expect(readers.candles.last.candle?.baseVolume).toBe(made);
  }
  const { trades, second } = readers;
  expect(new Set(trades.stretches.flatMap(({ shown, told }) => [...shown, ...told]))).toEqual(
    new Set(numbers(1, made)),
  );
  expect(second.messages.filter(({ type }) => type === 'init')).toHaveLength(KILLS + 1);
  expect(Object.values(readers).flatMap(({ errors }) => errors)).toEqual([]);
});

test('who reads is told of another chain behind the same node alone', async () => {
  trade(2);
  await allHeard();
  ledger = new Ledger(2);
  transactions.serve(ledger);
  made = 0;
  node.cut();
  await until(() => readers.trades.last.shown.length === 0);
  await vi.waitFor(async () => expect(await served()).toEqual([]));
  await live();
  trade(2, 7_000_000n);
  await allHeard();
  for (const reader of Object.values(readers)) {
    expect(reader.last).toMatchObject({ shown: [], told: [1, 2] });
    expect(reader.errors).toEqual([]);
  }
  expect(readers.candles.last.candle).toMatchObject({ baseVolume: 2, fillOpen: 7, fillClose: 7 });
  const { text } = (await service?.get(`/candles?symbol=${SYMBOL}&resolution=M`)) ?? {};
  expect(JSON.parse(text ?? '')).toMatchObject([{ baseVolume: 2, fillOpen: 7, fillHigh: 7 }]);
});
