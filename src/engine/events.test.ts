import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { readFill, readRate } from '../../test/support/logged-records.js';
import { decodeBase58 } from '../history/store/base58.js';
import { LogDecoder, renderLogged } from './events.js';
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
  readonly expected: { readonly ts: string } & Readonly<Record<string, unknown>>;
}

function synthetic(type: string): Recorded[] {
  const text = readFileSync(new URL('synthetic/events.jsonl', VECTORS), 'utf8');
  const records = text.split('\n').filter((line) => line !== '');
  return records.map((line) => JSON.parse(line) as Recorded).filter((one) => one.type === type);
}

test('a fill of 2023 is found with its head, and its bytes are those of the log', () => {
  const { records, users, ...rest } = new LogDecoder(PROGRAM).decode(
    captured('tx-fill-match-2023'),
  );
  expect(rest).toEqual({ unreadable: 0, isPartial: false });
  const [taker, maker] = [
    'H1AHngDKHCSZe4Xsw7Yk4SV5RP9agaaDhQmwTjRzhXFG',
    '4d5KsDvVn25So6EqM6KhgJyyUbG11SaBjzDRL1FqzmRV',
  ];
  expect(users).toEqual([taker, maker]);
  const [record, ...others] = records;
  expect(others).toEqual([]);
  expect(record).toMatchObject({
    ...{ kind: 'trade', index: 0, ts: 1_685_504_150, market: 2, id: 586_114n, fraction: null },
    fill: { base: 1_500_000n, quote: 41_526_450n, oracle: 27_681_000_000n },
    parties: [
      { key: accountCode(taker), orderId: 2_171_151 },
      { key: accountCode(maker), orderId: 5_534_875 },
    ],
  });
  // What came later is null and 0.
  expect(readFill(record?.bytes ?? new Uint8Array(), 0)).toMatchObject({
    ...{ actionExplanation: 'orderFilledWithMatch', makerFee: -8_305n, taker, maker },
    ...{ referrerReward: null, bitFlags: 0, makerExistingBaseAssetAmount: null },
  });
});

function accountCode(key: string): bigint {
  return Buffer.from(decodeBase58(key, 32) ?? []).readBigInt64BE(0);
}

test('places, cancels and triggers are records and no fills', () => {
  const { records } = new LogDecoder(PROGRAM).decode(captured('tx-jit-proxy-events-only'));
  const kinds = records.map(({ kind, index }) => `${index} ${kind}`);
  expect(kinds).toHaveLength(5);
  expect(kinds.filter((kind) => kind.endsWith('trade'))).toEqual(['2 trade', '3 trade']);
});

test.each(synthetic('FundingRateRecord'))('funding rates cross whole, case %#', (recorded) => {
  const { records } = new LogDecoder(PROGRAM).decode([INVOKE, recorded.log, SUCCESS]);
  const [record] = records;
  const { index: _, ...rate } = readRate(record?.bytes ?? new Uint8Array(), 0);
  const plain = Object.entries(rate).map(([key, value]) => [
    key,
    typeof value === 'bigint' ? value.toString() : value,
  ]);
  // The generated times fit a number, although the record's field has 64 bits.
  const expected = { ...recorded.expected, ts: Number(recorded.expected.ts) };
  expect(Object.fromEntries(plain)).toEqual(expected);
});

test.each([
  ['OrderRecord', 'order'],
  ['FundingPaymentRecord', 'fundingPayment'],
  ['DepositRecord', 'deposit'],
  ['SettlePnlRecord', 'settlePnl'],
  ['LiquidationRecord', 'liquidation'],
  ['NewUserRecord', 'newUser'],
  ['DeleteUserRecord', 'deletedUser'],
  ['SwapRecord', 'other'],
])('a %s is of the kind %s, and renders with the amounts of its layout', (type, kind) => {
  const decoder = new LogDecoder(PROGRAM);
  const all = synthetic(type);
  expect(all.length).toBeGreaterThan(0);
  for (const { log, expected } of all) {
    const [record, ...others] = decoder.decode([INVOKE, log, SUCCESS]).records;
    expect([record?.kind, others]).toEqual([kind, []]);
    if (record === undefined || kind === 'deletedUser' || kind === 'other') continue;
    const place = { txSig: 'sig', slot: 5, index: 3, market: record.market, bytes: record.bytes };
    const form = kind === 'order' ? 'orders' : 'records';
    const text = renderLogged([place], { program: 'drift', form, markets: [] });
    const rendered: Readonly<Record<string, unknown>> = JSON.parse(text.toString());
    expect(rendered).toMatchObject({ txSig: 'sig', slot: 5, txSigIndex: 3 });
    for (const [name, value] of Object.entries(expected)) {
      const shown = rendered[name];
      if (typeof value !== 'string' || typeof shown !== 'string') continue;
      if (/^-?\d+$/.test(value)) expect(digitsOf(shown)).toBe(digitsOf(value));
      else if (value.length > 30) expect(shown).toBe(value);
    }
  }
});

/** The digits of a number wherever its point is, without zeros before and after them. */
function digitsOf(text: string): string {
  return text
    .replace('.', '')
    .replace(/^(-?)0+/, '$1')
    .replace(/0+$/, '');
}

test('a transaction with more events than a log has comes whole', () => {
  const fill = captured('tx-fill-match-2023')[6] ?? '';
  const decoder = new LogDecoder(PROGRAM);
  const lines = [INVOKE, ...Array.from({ length: 100 }, () => fill), SUCCESS];
  const { records } = decoder.decode(lines);
  expect(records.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, at) => at));
  expect(new Set(records.map(({ id }) => id))).toEqual(new Set([586_114n]));
  expect(decoder.decode([]).records).toEqual([]);
});

test('a fill without its amounts is unreadable, and cut logs say so', () => {
  // The bytes after the explanation are missing: the market and five absent options.
  const head = Buffer.from('e0344347c2ed6d01964c766400000000020801000100', 'hex');
  const bare = `Program log: ${head.toString('base64')}`;
  const decoded = new LogDecoder(PROGRAM).decode([INVOKE, bare, 'Log truncated', bare]);
  expect(decoded).toEqual({ records: [], unreadable: 1, users: [], isPartial: true });
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
    const decoded = decoder.decode(lines);
    expect(decoded).toMatchObject({ users: [...new Set(users)], isPartial: false });
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
    const { bytes } = new LogDecoder(workerData.program).decode(workerData.lines);
    parentPort.postMessage(bytes);
  `;
  const lines = captured('tx-fill-match-2023');
  const workerData = { addon, program: PROGRAM, lines };
  const worker = () => new Worker(source, { eval: true, workerData });
  const answers = await Promise.all([answerOf(worker()), answerOf(worker())]);
  const here = new LogDecoder(PROGRAM).decode(lines).records[0]?.bytes;
  for (const answer of answers) expect(answer.equals(here ?? Buffer.alloc(0))).toBe(true);
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
