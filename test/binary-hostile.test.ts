/**
 * Frames that break one bound of docs/binary.md each, and must be refused by every reader. They are made here byte by byte and kept
 * in test/vectors/binary/hostile.jsonl, from which the readers in Python, Go and Rust take them as well.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FrameDecoder } from '../src/client/binary/index.js';
import { crc32 } from '../src/client/stream/followed-book.js';
import { bytesOf, type Part, varint } from './support/frame-bytes.js';

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const HOSTILE = pathOf('vectors/binary/hostile.jsonl');

const u32 = (value: number): readonly number[] => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return [...bytes];
};

const TIMES = [1, 2, 3];
const CRC = [0, 0, 0, 0];
const PLAIN = [0, 10, 5];

function identity(channel: string, rest: readonly number[] = PLAIN): Buffer {
  return bytesOf('topic', channel, 'market', 'epoch', rest);
}

const numberOf = (stream: Buffer): readonly number[] => u32(crc32(stream.toString('latin1')));

function snapshot(channel: string, rows: readonly Part[], rest: readonly number[] = PLAIN): Buffer {
  const stream = identity(channel, rest);
  return bytesOf(0x91, numberOf(stream), [...stream], TIMES, 0, 0, ...rows, CRC);
}

const EMPTY = [0, 0];
const frame = (...rows: readonly Part[]) => snapshot('book', rows);
const best = (...rows: readonly Part[]) => snapshot('bbo', rows);
const orders = (...rows: readonly Part[]) => snapshot('l3', rows);
const delta = (...parts: readonly Part[]) => bytesOf(0x95, numberOf(identity('book')), ...parts);

const KEY = Array.from({ length: 32 }, () => 7);
/** An order with these flags, its price, sizes, maker and id. */
const order = (flags: number, ...parts: readonly Part[]) => orders(1, flags, ...parts, 0);
const WIDE_20 = [...Array.from({ length: 19 }, () => 0xff), 1];
const EDGE_53 = varint(1n << 53n);

/** What each reader takes: then what differs from it is what is refused. */
const taken: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['a snapshot of book', frame(...EMPTY)],
  ['a snapshot of bbo', best(...EMPTY)],
  ['a snapshot of l3', orders(...EMPTY)],
  ['a delta', delta(1, 1, 2, 3, ...EMPTY, CRC)],
  ['a level of each kind', frame(13, 1, 8, 6, 1, 9, 3, 7, 1, 4, 0, 0)],
  ['an order', order(0, 2, 1, 1, 0, KEY, 1, 0)],
];

const refused: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['JSON', Buffer.from('{"type":"delta"}')],
  ['version 0', Buffer.concat([Buffer.of(0x81), frame(...EMPTY).subarray(1)])],
  ['version 2', Buffer.concat([Buffer.of(0xa1), frame(...EMPTY).subarray(1)])],
  ['version 7', Buffer.concat([Buffer.of(0xf1), frame(...EMPTY).subarray(1)])],
  ['a kind that is not a frame', Buffer.concat([Buffer.of(0x9d), frame(...EMPTY).subarray(1)])],
  ['a stream without a snapshot', bytesOf(0x95, [1, 2, 3, 4], 1, 1, 2, 3, EMPTY, CRC)],
  [
    'a number of a stream that is not of its names',
    bytesOf(0x91, CRC, [...identity('book')], TIMES, 0, 0, EMPTY, CRC),
  ],
  ['a channel that there is not', snapshot('books', EMPTY)],
  ['flags of a stream that there are not', snapshot('book', EMPTY, [2, 10, 5])],
  ['a price unit of 0', snapshot('book', EMPTY, [0, 0, 5])],
  ['a size unit of 0', snapshot('book', EMPTY, [0, 10, 0])],
  ['a price unit of 2^32', snapshot('book', EMPTY, [0, ...varint(1n << 32n), 5])],
  [
    'a text of 513 bytes',
    bytesOf(
      0x91,
      CRC,
      [...varint(513n)],
      Array.from({ length: 600 }, () => 65),
    ),
  ],
  ['a text of 2^53 - 1 bytes', bytesOf(0x91, CRC, [...varint((1n << 53n) - 1n)], 65)],
  ['a text that is not UTF-8', snapshotNamed([0xff, 0xfe])],
  [
    'an id that is not JSON',
    bytesOf(0x91, numberOf(identity('book')), [...identity('book')], TIMES, 0, '{"', EMPTY, CRC),
  ],
  [
    'a reset of 2',
    bytesOf(0x91, numberOf(identity('book')), [...identity('book')], TIMES, 2, 0, EMPTY, CRC),
  ],
  ['a seq of 2^53', delta([...EDGE_53], 1, 2, 3, EMPTY, CRC)],
  [
    'a seq of ten bytes',
    delta([255, 255, 255, 255, 255, 255, 255, 255, 255, 1], 1, 2, 3, EMPTY, CRC),
  ],
  ['a seq that does not end', delta(Array.from({ length: 4_096 }, () => 255))],
  ['a seq that is not in its shortest form', delta([0x81, 0], 1, 2, 3, EMPTY, CRC)],
  ['a prev below 0', delta(1, 2, 2, 3, EMPTY, CRC)],
  ['a byte behind the frame', Buffer.concat([frame(...EMPTY), Buffer.of(0)])],
  ['a bid below 0', frame(4 * 2 + 1, 1, 0, 0)],
  ['an ask below 0', frame(0, 4 * 1 + 1, 1, 0)],
  ['an exact price with a distance', frame(7, 9, 1, 1, 0, 0)],
  ['an exact price of 2^64', frame(3, [...varint(1n << 64n)], 1, 1, 0, 0)],
  ['a price beyond 2^64', frame(0, 3, [...varint((1n << 64n) - 1n)], 1, 1, 4 * 2 + 1, 1, 0)],
  ['a level of no units', frame(5, 0, 0, 0)],
  ['a level without a source', frame(6, 0, 0, 0)],
  ['a source that there is not', frame(6, 8, 1, 0, 0)],
  ['a source without a size', frame(6, 1, 0, 0, 0)],
  ['a size of 20 bytes', frame(6, 1, WIDE_20, 0, 0)],
  ['a size of 2^128', frame(6, 1, [...varint(1n << 128n)], 0, 0)],
  ['1,001 levels', frame(Array.from({ length: 1_001 }, () => [5, 1]).flat(), 0, 0)],
  ['two best bids', best([5, 1, 5, 1], 0, 0)],
  [
    '1,001 orders',
    orders(
      [...varint(1_001n)],
      Array.from({ length: 60_000 }, () => 0),
    ),
  ],
  [
    '2^53 - 1 orders',
    orders(
      [...varint((1n << 53n) - 1n)],
      Array.from({ length: 64 }, () => 0),
    ),
  ],
  ['more orders than there are bytes for', orders([...varint(1_000n)], 0, 0)],
  ['a flag of an order that there is not', order(128, 2, 1, 1, 0, KEY, 1, 0)],
  ['an order below 0', order(0, 1, 1, 1, 0, KEY, 1, 0)],
  ['a maker that was not named', order(0, 2, 1, 1, 1, 1, 0)],
  ['a maker of 65 keys ago', order(0, 2, 1, 1, 65, 1, 0)],
  ['an orderId of 2^32', order(0, 2, 1, 1, 0, KEY, [...varint(1n << 32n)], 0)],
  ['an offset of 2^64', order(32, 2, 1, 1, 0, KEY, 1, 0, [...varint(1n << 64n)])],
  ['a maxTs of 2^64', order(64, 2, 1, 1, 0, KEY, 1, 0, [...varint(1n << 64n)])],
];

function snapshotNamed(name: readonly number[]): Buffer {
  const stream = bytesOf([name.length, ...name], 'book', 'market', 'epoch', PLAIN);
  return bytesOf(0x91, numberOf(stream), [...stream], TIMES, 0, 0, EMPTY, CRC);
}

test('are kept for the other readers', () => {
  const lines = [
    ...taken.map(([name, bytes]) => ({ name, taken: true, hex: bytes.toString('hex') })),
    ...refused.map(([name, bytes]) => ({ name, taken: false, hex: bytes.toString('hex') })),
  ].map((line) => `${JSON.stringify(line)}\n`);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(HOSTILE, lines.join(''));
  expect(readFileSync(HOSTILE, 'utf8')).toBe(lines.join(''));
});

function newDecoder(): FrameDecoder {
  const decoder = new FrameDecoder();
  for (const [name, bytes] of taken) expect(() => decoder.decodeFrame(bytes), name).not.toThrow();
  return decoder;
}

test.each(refused)('the library refuses %s', (_, bytes) => {
  expect(() => newDecoder().decodeFrame(bytes)).toThrow(RangeError);
});

test('the library reads the vectors, and a frame that is cut or spoilt is a frame or a RangeError', () => {
  let spoilt = 0;
  for (const name of ['frames', 'exact']) {
    const lines = readFileSync(pathOf(`vectors/binary/${name}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n');
    const decoder = new FrameDecoder();
    for (const line of lines) {
      const { hex, frame } = JSON.parse(line);
      const whole = Buffer.from(hex, 'hex');
      expect(decoder.decodeFrame(whole)).toEqual(frame);
      for (let at = 0; at < whole.length; at += 1) {
        expect(() => decoder.decodeFrame(whole.subarray(0, at))).toThrow(RangeError);
        const other = Buffer.from(whole);
        other[at] = (other[at] ?? 0) ^ (1 << (at % 8));
        try {
          decoder.decodeFrame(other);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          spoilt += 1;
        }
      }
    }
  }
  expect(spoilt).toBeGreaterThan(500);
});
