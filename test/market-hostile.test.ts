/**
 * Messages of candles and trades that break one bound of docs/binary.md each, and must be refused by every reader. They are made here
 * byte by byte and kept in test/vectors/binary/market-hostile.jsonl, from which the readers in Python, Go and Rust take them as well.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FrameDecoder } from '../src/client/binary/index.js';
import { bytesOf, type Part, signed, varint } from './support/frame-bytes.js';

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const HOSTILE = pathOf('vectors/binary/market-hostile.jsonl');
const VECTORS = ['market', 'market-exact'].map((name) => pathOf(`vectors/binary/${name}.jsonl`));

const [TRADES_INIT, TRADES_UPDATE, CANDLE_INIT, CANDLE_CREATE, CANDLE_UPDATE] = [2, 3, 4, 5, 6];
const NO_TRADES = [0, 0];
const SIGNATURE = Array.from({ length: 64 }, () => 5);
const KEY = Array.from({ length: 32 }, () => 7);
const AMOUNT_MAX = 2n ** 127n - 1n;
const EDGE_53 = varint(1n << 53n);
const WIDE_20 = [...Array.from({ length: 19 }, () => 0xff), 1];

const message = (kind: number, ...parts: readonly Part[]): Buffer =>
  bytesOf(0x9c, kind, 'SOL-PERP', ...parts);

/** A candle without a last trade from its first price on. */
const candle = (...prices: readonly Part[]): Buffer =>
  message(
    CANDLE_INIT,
    '1',
    0,
    60,
    ...prices,
    ...Array.from({ length: 10 - prices.length }, () => 0),
  );
/** One with a last trade. */
const traded = (...last: readonly Part[]): Buffer =>
  message(CANDLE_INIT, '1', 1, 60, ...Array.from({ length: 10 }, () => 0), ...last);

/** A trade with these flags, from behind its explanation on. */
const trade = (flags: bigint, ...parts: readonly Part[]): readonly Part[] => [
  ...[[...varint(flags)], SIGNATURE, 0, 0, 0, 0, 'none'],
  ...parts,
];
/** One of an explicit slot and time, with nothing that a trade may lack. */
const tradeAt = (slot: bigint, ts: bigint): readonly Part[] => [
  ...[0, SIGNATURE, [...signed(slot)], [...signed(ts)], 0, 0, 'none', 0],
];
const trades = (count: number, ...parts: readonly Part[]): Buffer =>
  message(TRADES_UPDATE, 0, count, 0, 0, ...parts);
const one = (flags: bigint, ...parts: readonly Part[]): Buffer =>
  trades(1, ...trade(flags, ...parts));

const LEAST = trade(0n, 0);
const ALL = trade(
  (1n << 26n) - 2n,
  ...[2, 4, 6, 8, 0, KEY, 10, 11, 12, 13, 14],
  ...[1, 9, 2, 2, 2, 2],
  ...[0, KEY.map((byte) => byte + 1), 9, 2, 2, 2, 2],
);
const HAS = { fillRecordId: 2n, price: 4n, base: 8n, filler: 16n, short: 1n << 12n } as const;
const TAKER = { account: 1n << 10n, orderId: 1n << 13n, orderBase: 1n << 15n } as const;

/** What each reader takes: then what differs from it is what is refused. */
const taken: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['an init without a trade', message(TRADES_INIT, ...NO_TRADES)],
  ['a trade that has nothing', trades(1, ...LEAST)],
  ['a trade that has everything', trades(1, ...ALL)],
  ['a second trade of a transaction', trades(2, ...LEAST, 1, 0, 0, '', 0)],
  ['a candle', candle()],
  ['a candle with a last trade', traded(2, 1)],
  [
    'a new candle',
    message(CANDLE_CREATE, '1', 0, 60, ...Array.from({ length: 10 }, () => 0), ...NO_TRADES),
  ],
  [
    'a candle with trades',
    message(
      CANDLE_UPDATE,
      'W',
      0,
      60,
      ...Array.from({ length: 10 }, () => 0),
      0,
      1,
      0,
      0,
      ...LEAST,
    ),
  ],
  ['the largest price', candle([...signed(AMOUNT_MAX)])],
  ['the largest slot', trades(2, ...tradeAt(2n ** 52n - 1n, 0n), ...tradeAt(2n ** 52n - 1n, 0n))],
];

const refused: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['a first byte alone', Buffer.of(0x9c)],
  ['a body of levels', bytesOf(0x9c, 0, 10, 5, 3, 0, 0, [0x7b, 0x7d])],
  ['a body of orders', bytesOf(0x9c, 1, 10, 5, 3, 0, 0, [0x7b, 0x7d])],
  ['a message of no kind', message(7, ...NO_TRADES)],
  ['a message with a state', bytesOf(0x9d, TRADES_INIT, 'SOL-PERP', 0, 0)],
  [
    'a symbol of 513 bytes',
    bytesOf(
      0x9c,
      2,
      [...varint(513n)],
      Array.from({ length: 600 }, () => 65),
    ),
  ],
  ['a symbol of 2^53 - 1 bytes', bytesOf(0x9c, 2, [...varint((1n << 53n) - 1n)], 65)],
  ['a symbol that is not UTF-8', bytesOf(0x9c, 2, [2, 0xff, 0xfe], ...NO_TRADES)],
  ['a byte behind the message', message(TRADES_INIT, ...NO_TRADES, 0)],
  [
    'flags of a candle that there are not',
    message(CANDLE_INIT, '1', 2, 60, ...Array.from({ length: 12 }, () => 0)),
  ],
  [
    'a candle of 2^53',
    message(CANDLE_INIT, '1', 0, [...EDGE_53], ...Array.from({ length: 10 }, () => 0)),
  ],
  ['a price of 20 bytes', candle(WIDE_20)],
  ['a price of more than 128 bits', candle([...varint(1n << 128n)])],
  ['a price beyond 2^127', candle([...signed(AMOUNT_MAX)], [...signed(1n)])],
  ['a price below -2^127', candle([...signed(-AMOUNT_MAX)], [...signed(-2n)])],
  ['a price that is not in its shortest form', candle([0x81, 0])],
  ['a last trade below 0', traded([...signed(-61n)], 1)],
  ['a last trade without its number', traded(2)],
  ['a last number of 2^64', traded(2, [...varint(1n << 64n)])],
  ['2^53 trades left out', message(TRADES_UPDATE, [...EDGE_53], 0)],
  [
    '1,001 trades',
    message(
      TRADES_UPDATE,
      0,
      [...varint(1_001n)],
      Array.from({ length: 80_000 }, () => 0),
    ),
  ],
  ['2^53 - 1 trades', message(TRADES_UPDATE, 0, [...varint((1n << 53n) - 1n)], 0, 0, ...LEAST)],
  ['more trades than there are bytes for', trades(9, ...LEAST)],
  ['trades without a market', message(TRADES_UPDATE, 0, 1)],
  ['a kind of market that there is not', message(TRADES_UPDATE, 0, 1, 2, 0, ...LEAST)],
  ['a market of 2^16', message(TRADES_UPDATE, 0, 1, 0, [...varint(1n << 16n)], ...LEAST)],
  ['a flag of a trade that there is not', one(1n << 26n, 0)],
  ['flags of 2^52', one(1n << 52n, 0)],
  ['a first trade of the transaction before', trades(1, 1, 0, 0, 'none', 0)],
  ['a signature that is cut', bytesOf([...trades(1, ...LEAST)].slice(0, 60))],
  ['a slot below 0', trades(1, ...tradeAt(-1n, 0n))],
  ['a time below 0', trades(1, ...tradeAt(0n, -1n))],
  [
    'a slot of 2^53',
    trades(3, ...tradeAt(2n ** 52n - 1n, 0n), ...tradeAt(2n ** 52n - 1n, 0n), ...tradeAt(2n, 0n)),
  ],
  ['a txSigIndex of 2^53', trades(1, 0, SIGNATURE, 0, 0, [...EDGE_53], 0, 'none', 0)],
  ['a first trade that explains nothing', trades(1, 0, SIGNATURE, 0, 0, 0, 0, '', 0)],
  ['a fillRecordId below 0', one(HAS.fillRecordId, [...signed(-1n)], 0)],
  ['a fillRecordId of 2^64', one(HAS.fillRecordId, [...signed(1n << 64n)], 0)],
  ['an oracle price beyond 2^127', one(HAS.price, [...signed(AMOUNT_MAX)], 2)],
  [
    'a price beyond 2^127, of two',
    trades(2, ...trade(HAS.price, [...signed(AMOUNT_MAX)], 1), 5, 0, 0, '', 2, 0),
  ],
  ['an order beyond 2^127', one(HAS.base | TAKER.orderBase, 0, [...signed(AMOUNT_MAX)], 2)],
  ['a filler that was not named', one(HAS.filler, 0, 1)],
  ['a filler of 65 keys ago', one(HAS.filler, 0, 65)],
  ['a taker of two keys ago', one(HAS.filler | TAKER.account, 0, 0, KEY, 2)],
  ['a short side without a direction', one(HAS.short, 0)],
  ['an orderId of 2^32', one(TAKER.orderId, 0, [...varint(1n << 32n)])],
];

test('are kept for the other readers', () => {
  const lines = [
    ...taken.map(([name, bytes]) => ({ name, taken: true, hex: bytes.toString('hex') })),
    ...refused.map(([name, bytes]) => ({ name, taken: false, hex: bytes.toString('hex') })),
  ].map((line) => `${JSON.stringify(line)}\n`);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(HOSTILE, lines.join(''));
  expect(readFileSync(HOSTILE, 'utf8')).toBe(lines.join(''));
});

test.each(taken)('the library takes %s', (_, bytes) => {
  expect(new FrameDecoder().decodeFrame(bytes)).toMatchObject({ type: expect.any(String) });
});

test.each(refused)('the library refuses %s', (_, bytes) => {
  expect(() => new FrameDecoder().decodeFrame(bytes)).toThrow(RangeError);
});

test('no message that is cut or spoilt is anything but a message or a RangeError', () => {
  let spoilt = 0;
  const lines = VECTORS.flatMap((file) => readFileSync(file, 'utf8').trimEnd().split('\n'));
  for (const line of lines) {
    const whole = Buffer.from(JSON.parse(line).hex, 'hex');
    for (let at = 0; at < whole.length; at += 1) {
      expect(() => new FrameDecoder().decodeFrame(whole.subarray(0, at))).toThrow(RangeError);
      const other = Buffer.from(whole);
      other[at] = (other[at] ?? 0) ^ (1 << (at % 8));
      try {
        new FrameDecoder().decodeFrame(other);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        spoilt += 1;
      }
    }
  }
  expect(spoilt).toBeGreaterThan(500);
});
