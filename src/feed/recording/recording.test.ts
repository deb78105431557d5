import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compress, decompress } from '../../engine/codec.js';
import { silentLog } from '../../rpc/log.js';
import { FeedError } from '../model/error.js';
import { recordingPreamble, sealRecord } from './record-file.js';
import { encodeCall, type RecordedCall } from './recorded-call.js';
import { createRecordingFile, Recorder } from './recorder.js';
import { RecordingReader } from './recording-reader.js';

const codec = { compress, decompress };
const INFO = { programId: 'program', epoch: 'epoch1', createdMs: 1_750_000_000_000 };
const OPEN: RecordedCall = { name: 'open', ...INFO };

let folder: string;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-recording-'));
});

afterAll(() => rm(folder, { recursive: true }));

function newPath(): string {
  files += 1;
  return path.join(folder, `recording-${files}`);
}

/** A recording of these calls, as its bytes. */
async function record(calls: readonly RecordedCall[]): Promise<Buffer> {
  const file = newPath();
  const open = () => createRecordingFile(file);
  const recorder = new Recorder({ open, codec, log: silentLog });
  await recorder.beginRecording(INFO);
  for (const call of calls) recorder.appendCall(call);
  await recorder.close();
  expect(recorder.stats().recordingFailures).toBe(0);
  return readFile(file);
}

interface Read {
  readonly calls: readonly RecordedCall[];
  readonly tornAt: number | null;
  /** What ended the reading before the end; null when nothing did. */
  readonly error: unknown;
}

/** Everything that can be read of these bytes. */
async function read(bytes: Uint8Array): Promise<Read> {
  const file = newPath();
  await writeFile(file, bytes);
  const calls: RecordedCall[] = [];
  let reader: RecordingReader | undefined;
  try {
    reader = await RecordingReader.open(file, codec);
    expect(reader.info).toMatchObject(INFO);
    for (let more = await reader.readCalls(); more !== null; more = await reader.readCalls()) {
      calls.push(...more.map(({ call }) => call));
    }
    return { calls, tornAt: reader.tornAt, error: null };
  } catch (error) {
    return { calls, tornAt: null, error };
  } finally {
    await reader?.close();
    await rm(file);
  }
}

async function codeOf(bytes: Uint8Array): Promise<string> {
  const { error } = await read(bytes);
  if (!(error instanceof FeedError)) throw new Error(`no coded error but ${String(error)}`);
  return error.code;
}

/** A file of these records, each a block of the stream of calls. */
function fileOf(...blocks: readonly Uint8Array[]): Buffer {
  return Buffer.concat([recordingPreamble(), ...blocks.map((block) => sealRecord(codec, block))]);
}

function bytesOf(...calls: readonly RecordedCall[]): Buffer {
  return Buffer.concat(calls.flatMap((call) => encodeCall(call, 1.5)));
}

/** Bytes that do not compress. */
function noise([length, seed]: readonly [number, number]): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0, word = seed; at < length; at += 1) {
    word = (Math.imul(word, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = word >>> 24;
  }
  return bytes;
}

const text = fc.string({ unit: 'binary-ascii', maxLength: 50 });
const slot = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const anyCall: fc.Arbitrary<RecordedCall> = fc.oneof(
  fc.record({
    name: fc.constant('push' as const),
    account: fc.record({
      pubkey: text,
      owner: text,
      slot,
      data: fc.string({ unit: 'binary-ascii', maxLength: 3_000 }),
      encoding: fc.constantFrom('base64' as const, 'base64+zstd' as const),
    }),
  }),
  fc.record({ name: fc.constant('close' as const), pubkey: text, slot }),
  fc.record({ name: fc.constant('setClock' as const), slot, unixSeconds: fc.maxSafeInteger() }),
  fc.record({
    name: fc.constant('setState' as const),
    state: fc.constantFrom('rebuilding' as const, 'live' as const, 'stale' as const),
  }),
  fc.record({ name: fc.constant('setEpoch' as const), epoch: fc.constantFrom('a', 'mh3k2v1x') }),
  fc.record({ name: fc.constant('endTurn' as const), tsMs: slot }),
  fc.record({
    name: fc.constant('beginSnapshot' as const),
    body: fc.tuple(fc.nat({ max: 200_000 }), fc.nat()).map(noise),
  }),
  fc.record({
    name: fc.constant('applySnapshot' as const),
    from: fc.nat(),
    count: fc.nat({ max: 0xffff_ffff }),
  }),
  fc.constant({ name: 'endSnapshot' as const }),
);

/** Bodies by their sum: comparing large ones byte by byte takes long. */
function plain(call: RecordedCall): object {
  return call.name === 'beginSnapshot' ? { name: call.name, body: crc32(call.body) } : call;
}

describe('a recording', () => {
  test('gives back the calls that were recorded, across the ends of records', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { maxLength: 40 }), async (calls) => {
        const { calls: again, tornAt, error } = await read(await record(calls));
        expect({ tornAt, error }).toEqual({ tornAt: null, error: null });
        expect(again.map(plain)).toEqual(calls.map(plain));
      }),
      { numRuns: 40 },
    );
  });

  test('cut at any byte is read up to there, and says where it is torn', async () => {
    const calls: RecordedCall[] = [
      { name: 'setState', state: 'rebuilding' },
      { name: 'endTurn', tsMs: 5 },
      { name: 'beginSnapshot', body: Buffer.from('{"result":[]}') },
      { name: 'setState', state: 'live' },
    ];
    const parts = calls.map((call) => bytesOf(call));
    // Records that end within calls, too.
    const middle = bytesOf(...calls);
    const whole = fileOf(bytesOf(OPEN), ...parts, middle.subarray(0, 20), middle.subarray(20));
    const all = [...calls, ...calls];
    expect((await read(whole)).calls).toEqual(all);
    const ends = new Set<number>();
    for (let cut = 0; cut < whole.length; cut += 1) {
      const { calls: some, tornAt, error } = await read(whole.subarray(0, cut));
      if (error !== null) {
        expect(error).toMatchObject({ code: 'MALFORMED_RECORDING' });
        expect(cut).toBeLessThan(fileOf(bytesOf(OPEN)).length);
        continue;
      }
      expect(some).toEqual(all.slice(0, some.length));
      expect(tornAt === null || tornAt <= cut).toBe(true);
      if (tornAt === null) ends.add(cut);
    }
    // Without a tear it can end between two records of whole calls only.
    expect(ends.size).toBe(parts.length + 1);
  });

  test('with any byte changed is a coded error or a prefix, never something else', async () => {
    const calls: RecordedCall[] = [
      { name: 'setClock', slot: 7, unixSeconds: 9 },
      { name: 'endTurn', tsMs: 5 },
    ];
    const whole = fileOf(bytesOf(OPEN), ...calls.map((call) => bytesOf(call)));
    for (let at = 0; at < whole.length; at += 1) {
      const wrong = Buffer.from(whole);
      wrong.writeUInt8(wrong.readUInt8(at) ^ 0x55, at);
      const { calls: some, tornAt, error } = await read(wrong);
      expect(some).toEqual(calls.slice(0, some.length));
      expect(some.length).toBeLessThan(calls.length);
      if (error === null) expect(tornAt).toBeLessThan(whole.length);
      else expect(error).toBeInstanceOf(FeedError);
    }
  });

  test('with a tail of zeros, as a lost machine leaves it, is torn there', async () => {
    const whole = await record([{ name: 'endTurn', tsMs: 1 }]);
    for (const zeros of [1, 7, 8, 3_000_000]) {
      const { calls, tornAt, error } = await read(Buffer.concat([whole, Buffer.alloc(zeros)]));
      expect({ calls: calls.length, tornAt, error }).toEqual({
        calls: 1,
        tornAt: whole.length,
        error: null,
      });
    }
  });
});

describe('no recording', () => {
  const head = (length: number, crc: number): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32LE(length, 0);
    bytes.writeUInt32LE(crc, 4);
    return bytes;
  };
  const behindOpen = (bytes: Uint8Array): Buffer => Buffer.concat([fileOf(bytesOf(OPEN)), bytes]);
  const sealed = (packed: Uint8Array): Buffer =>
    Buffer.concat([head(packed.length, crc32(packed)), packed]);
  const length = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  /** A call with this kind and these bytes behind its time. */
  const call = (kind: number, fields: Uint8Array): Buffer =>
    Buffer.concat([length(9 + fields.length), Buffer.from([kind]), Buffer.alloc(8), fields]);
  const float = (value: number): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    return bytes;
  };
  const version2 = fileOf(bytesOf(OPEN));
  version2.writeUInt32LE(2, 16);
  const damagedBlock = sealRecord(codec, bytesOf({ name: 'endSnapshot' }));
  damagedBlock.writeUInt8(damagedBlock.readUInt8(12) ^ 1, 12);
  const end = sealRecord(codec, bytesOf({ name: 'endSnapshot' }));

  test.each<[string, Uint8Array, string]>([
    ['an empty file', Buffer.alloc(0), 'MALFORMED_RECORDING'],
    ['a text', Buffer.from('{"jsonrpc":"2.0","result":[1,2,3,4,5,6]}'), 'MALFORMED_RECORDING'],
    ['another version', version2, 'RECORDING_VERSION_MISMATCH'],
    ['nothing but a preamble', recordingPreamble(), 'MALFORMED_RECORDING'],
    [
      'a first call that is another',
      fileOf(bytesOf({ name: 'endSnapshot' })),
      'MALFORMED_RECORDING',
    ],
    [
      'a record of 4 GiB',
      behindOpen(Buffer.concat([head(0xffff_ffff, 0), end])),
      'RECORDING_BYTES_EXCEEDED',
    ],
    [
      'a damaged record amid others',
      behindOpen(Buffer.concat([damagedBlock, end])),
      'RECORDING_CRC_MISMATCH',
    ],
    ['a record that is empty', behindOpen(Buffer.concat([head(0, 0), end])), 'MALFORMED_RECORDING'],
    ['a record that is no zstd', behindOpen(sealed(Buffer.from('none'))), 'MALFORMED_RECORDING'],
    ['a bomb', behindOpen(sealed(compress(Buffer.alloc(1 << 26)))), 'MALFORMED_RECORDING'],
    ['a call of 4 GiB', fileOf(bytesOf(OPEN), length(0xffff_ffff)), 'RECORDING_BYTES_EXCEEDED'],
    ['a call of no bytes', fileOf(bytesOf(OPEN), length(0)), 'MALFORMED_RECORDING'],
    [
      'a call of no known kind',
      fileOf(bytesOf(OPEN), call(200, Buffer.alloc(0))),
      'MALFORMED_RECORDING',
    ],
    ['a call that is cut', fileOf(bytesOf(OPEN), call(6, Buffer.alloc(7))), 'MALFORMED_RECORDING'],
    [
      'a call with more than it has',
      fileOf(bytesOf(OPEN), call(9, float(1))),
      'MALFORMED_RECORDING',
    ],
    ['a text of 4 GiB', fileOf(bytesOf(OPEN), call(5, length(0xffff_ffff))), 'MALFORMED_RECORDING'],
    [
      'a time that is none',
      fileOf(bytesOf(OPEN), call(6, float(Number.NaN))),
      'MALFORMED_RECORDING',
    ],
    ['half a millisecond', fileOf(bytesOf(OPEN), call(6, float(0.5))), 'MALFORMED_RECORDING'],
    ['a state that is none', fileOf(bytesOf(OPEN), call(4, float(4))), 'MALFORMED_RECORDING'],
  ])('%s is a coded error', async (_, bytes, code) => {
    expect(await codeOf(bytes)).toBe(code);
  });

  test('a damaged record is named by its place, and what is before it was read', async () => {
    const good = behindOpen(sealRecord(codec, bytesOf({ name: 'endTurn', tsMs: 3 })));
    const { calls, error } = await read(Buffer.concat([good, damagedBlock, end]));
    expect(calls).toEqual([{ name: 'endTurn', tsMs: 3 }]);
    expect(error).toMatchObject({ context: { offset: good.length } });
    expect(String(error)).toContain(`at byte ${good.length} of the recording`);
  });

  test.each(['nothing-there', '.'])('%s cannot be read', async (name) => {
    const opening = RecordingReader.open(path.join(folder, name), codec);
    await expect(opening).rejects.toMatchObject({ code: 'RECORDING_READ_FAILED' });
  });
});
