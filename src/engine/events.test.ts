import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { LogDecoder, type LogEvents } from './events.js';
import { codeOf, PROGRAM } from './testing.js';

const VECTORS = new URL('../../test/golden/vectors/', import.meta.url);
const INVOKE = `Program ${PROGRAM} invoke [1]`;
const SUCCESS = `Program ${PROGRAM} success`;

function captured(name: string): string[] {
  return JSON.parse(
    readFileSync(new URL(`real-accounts/logs/${name}.json`, VECTORS), 'utf8'),
  ) as string[];
}

interface Recorded {
  readonly type: string;
  readonly log: string;
  readonly expected: { readonly ts: string };
}

function synthetic(type: string): Recorded[] {
  const text = readFileSync(new URL('synthetic/events.jsonl', VECTORS), 'utf8');
  const records = text.split('\n').filter((line) => line !== '');
  return records.map((line) => JSON.parse(line) as Recorded).filter((one) => one.type === type);
}

test('a fill of 2023 is read field by field, with null and 0 for what came later', () => {
  const { fills, ...rest } = new LogDecoder(PROGRAM).decode(captured('tx-fill-match-2023'));
  const users = [fills[0]?.taker, fills[0]?.maker];
  const counts = { events: 1, isTruncated: false, unreadable: 0 };
  expect(rest).toEqual({ fundingRates: [], ...counts, users, isPartial: false });
  expect(fills).toEqual([
    {
      index: 0,
      ts: 1_685_504_150,
      action: 'fill',
      actionExplanation: 'orderFilledWithMatch',
      marketIndex: 1,
      marketType: 'perp',
      filler: '6PRKTZiooHi2qdBb5raxJnVvjfBhrfcDWKvfbWt2oR5C',
      fillerReward: 1_245n,
      fillRecordId: 586_114n,
      baseAssetAmountFilled: 1_500_000n,
      quoteAssetAmountFilled: 41_526_450n,
      takerFee: 12_458n,
      makerFee: -8_305n,
      referrerReward: null,
      quoteAssetAmountSurplus: null,
      spotFulfillmentMethodFee: null,
      taker: 'H1AHngDKHCSZe4Xsw7Yk4SV5RP9agaaDhQmwTjRzhXFG',
      takerOrderId: 2_171_151,
      takerOrderDirection: 'long',
      takerOrderBaseAssetAmount: 2_000_000n,
      takerOrderCumulativeBaseAssetAmountFilled: 2_000_000n,
      takerOrderCumulativeQuoteAssetAmountFilled: 55_367_850n,
      maker: '4d5KsDvVn25So6EqM6KhgJyyUbG11SaBjzDRL1FqzmRV',
      makerOrderId: 5_534_875,
      makerOrderDirection: 'short',
      makerOrderBaseAssetAmount: 36_100_000n,
      makerOrderCumulativeBaseAssetAmountFilled: 1_500_000n,
      makerOrderCumulativeQuoteAssetAmountFilled: 41_526_450n,
      oraclePrice: 27_681_000_000n,
      bitFlags: 0,
      takerExistingQuoteEntryAmount: null,
      takerExistingBaseAssetAmount: null,
      makerExistingQuoteEntryAmount: null,
      makerExistingBaseAssetAmount: null,
    },
  ]);
});

test('places, cancels and triggers are counted and are no fills', () => {
  const { fills, events } = new LogDecoder(PROGRAM).decode(captured('tx-jit-proxy-events-only'));
  expect(events).toBe(5);
  expect(fills.map(({ index, maker }) => ({ index, maker }))).toEqual([
    { index: 2, maker: null },
    { index: 3, maker: 'HFq8BNL2UNqHqaASthr4q9JF4xbaG8ehEk26UTtVTnPp' },
  ]);
});

test.each(synthetic('FundingRateRecord'))('funding rates cross whole, case %#', (recorded) => {
  const { fundingRates, events } = new LogDecoder(PROGRAM).decode([INVOKE, recorded.log, SUCCESS]);
  expect(events).toBe(1);
  const { index, ...rate } = fundingRates[0] ?? {};
  expect(index).toBe(0);
  const plain = Object.entries(rate).map(([key, value]) => [
    key,
    typeof value === 'bigint' ? value.toString() : value,
  ]);
  // The generated times fit a number, although the record's field has 64 bits.
  const expected = { ...recorded.expected, ts: Number(recorded.expected.ts) };
  expect(Object.fromEntries(plain)).toEqual(expected);
});

test('a transaction with more events than there is room for comes whole', () => {
  const fill = captured('tx-fill-match-2023')[6] ?? '';
  const decoder = new LogDecoder(PROGRAM);
  const lines = [INVOKE, ...Array.from({ length: 100 }, () => fill), SUCCESS];
  const { fills } = decoder.decode(lines);
  expect(fills.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, at) => at));
  expect(new Set(fills.map(({ fillRecordId }) => fillRecordId))).toEqual(new Set([586_114n]));
  expect(decoder.decode([]).fills).toEqual([]);
});

test('a fill without its amounts is unreadable, and cut logs say so', () => {
  // The bytes after the explanation are missing: the market and five absent options.
  const head = Buffer.from('e0344347c2ed6d01964c766400000000020801000100', 'hex');
  const bare = `Program log: ${head.toString('base64')}`;
  const decoded = new LogDecoder(PROGRAM).decode([INVOKE, bare, 'Log truncated', bare]);
  const counted = { fills: [], fundingRates: [], events: 1, unreadable: 1, isTruncated: true };
  expect(decoded).toEqual({ ...counted, users: [], isPartial: true });
});

test('the users of records of every kind are named once each', () => {
  const decoder = new LogDecoder(PROGRAM);
  const types = ['OrderRecord', 'DepositRecord', 'LiquidationRecord', 'OrderActionRecord'];
  for (const type of types) {
    const records = synthetic(type);
    const lines = records.flatMap(({ log }) => [INVOKE, log, log, SUCCESS]);
    const expected = records.map((one) => Object(one.expected) as Record<string, unknown>);
    const names = ['user', 'liquidator', 'taker', 'maker'];
    const users = expected.flatMap((record) => names.flatMap((name) => record[name] ?? []));
    const decoded = decoder.decodeUsers(lines);
    expect(decoded).toEqual({ users: [...new Set(users)], isPartial: false });
    expect(decoder.decode(lines).users).toEqual(decoded.users);
  }
});

test('a program that is no key is refused with its code', () => {
  expect(codeOf(() => new LogDecoder('0OIl'))).toBe('INVALID_PROGRAM_ID');
});

test('the addon decodes in a worker thread as it does in the main one', async () => {
  const addon = new URL('../../crates/node/index.js', import.meta.url).pathname;
  const source = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { LogDecoder } = require(workerData.addon);
    const out = Buffer.alloc(4096);
    const length = new LogDecoder(workerData.program).decode(workerData.lines, out);
    parentPort.postMessage(out.subarray(0, length));
  `;
  const lines = captured('tx-fill-match-2023');
  const workerData = { addon, program: PROGRAM, lines };
  const worker = () => new Worker(source, { eval: true, workerData });
  const answers = await Promise.all([answerOf(worker()), answerOf(worker())]);
  for (const answer of answers) {
    expect(answer.readUInt32LE(0)).toBe(1);
    expect(answer.includes('4d5KsDvVn25So6EqM6KhgJyyUbG11SaBjzDRL1FqzmRV')).toBe(true);
  }
  const here: LogEvents = new LogDecoder(PROGRAM).decode(lines);
  expect(here.fills.length).toBe(1);
});

function answerOf(worker: Worker): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    worker.once('message', (bytes: Uint8Array) => {
      resolve(Buffer.from(bytes));
      void worker.terminate();
    });
    worker.once('error', reject);
  });
}
