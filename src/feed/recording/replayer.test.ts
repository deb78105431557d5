import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { FakeEngine } from '../../../test/fake-engine.js';
import { until } from '../../../test/support/until.js';
import { compress, decompress } from '../../engine/codec.js';
import { Engine } from '../../engine/engine.js';
import { silentLog } from '../../rpc/log.js';
import type { Timer, Timers } from '../../rpc/timers.js';
import type { RecordedCall } from './recorded-call.js';
import { createRecordingFile, Recorder } from './recorder.js';
import { RecordingReader } from './recording-reader.js';
import { Replayer, type ReplayerOptions } from './replayer.js';

const codec = { compress, decompress };
const INFO = { programId: 'program', epoch: 'epoch', createdMs: 7 };
const TURN: RecordedCall = { name: 'endTurn', tsMs: 1 };
const LIVE: RecordedCall = { name: 'setState', state: 'live' };
const TIMING = { laggingAfterMs: 2_500, staleAfterMs: 5_000 };

let folder: string;
let files = 0;
let replayer: Replayer | undefined;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-replayer-'));
});

afterEach(() => replayer?.stop());
afterAll(() => rm(folder, { recursive: true }));

/** Time that moves only by being waited for: every wait ends at once, and was as long as asked. */
class SkippingTimers implements Timers {
  now = 1_000;
  readonly waits: number[] = [];

  nowMs(): number {
    return this.now;
  }

  after(delayMs: number, run: () => void): Timer {
    this.waits.push(delayMs);
    const handle = setImmediate(() => {
      this.now += delayMs;
      run();
    });
    return { cancel: () => clearImmediate(handle) };
  }
}

class ReplayedEngine extends FakeEngine {
  /** The time at each end of a turn. */
  readonly turnsAt: number[] = [];
  readonly timers: Timers;

  constructor(timers: Timers) {
    super();
    this.timers = timers;
  }

  setEpoch(epoch: string): void {
    this.calls.push(`epoch ${epoch}`);
  }

  override endTurn() {
    this.calls.push('turn');
    this.turnsAt.push(this.timers.nowMs());
    return super.endTurn();
  }
}

/** Records calls, each so many milliseconds after the one before. */
async function recordingOf(calls: readonly (readonly [number, RecordedCall])[]) {
  files += 1;
  const file = path.join(folder, String(files));
  let nowMs = 0;
  const timers = { nowMs: () => nowMs, after: () => ({ cancel: () => undefined }) };
  const recorder = new Recorder({
    open: () => createRecordingFile(file),
    codec,
    log: silentLog,
    timers,
  });
  await recorder.beginRecording(INFO);
  for (const [afterMs, call] of calls) {
    nowMs += afterMs;
    recorder.appendCall(call);
  }
  await recorder.close();
  return RecordingReader.open(file, codec);
}

async function replay(
  calls: readonly (readonly [number, RecordedCall])[],
  options: Partial<ReplayerOptions> = {},
) {
  const timers = new SkippingTimers();
  const engine = new ReplayedEngine(timers);
  const recording = await recordingOf(calls);
  const told: string[] = [];
  replayer = new Replayer({
    recording,
    engine,
    speed: 1,
    streamIntervalMs: 10,
    timing: TIMING,
    timers,
    onFirstLive: () => told.push('live'),
    onEnd: () => told.push('end'),
    ...options,
  });
  return { engine, told, timers, replayer, played: replayer.start() };
}

test('turns are played whole, when they are due, and the loop turns in between', async () => {
  const close: RecordedCall = { name: 'close', pubkey: 'user1', slot: 3 };
  const calls = [
    [500, LIVE],
    [0, TURN],
    [900, close],
    [100, TURN],
    [2_000, TURN],
  ] as const;
  for (const [speed, dueMs] of [
    [1, [0, 1_000, 3_000]],
    [4, [0, 250, 750]],
    [0.5, [0, 2_000, 6_000]],
    [0, [0, 0, 0]],
  ] as const) {
    const { engine, told, played } = await replay(calls, { speed });
    await played;
    expect(engine.turnsAt.slice(0, 3)).toEqual(dueMs.map((ms) => 1_000 + ms));
    expect(engine.calls.slice(0, 5)).toEqual([
      'state live',
      'turn',
      'close user1 @3',
      'turn',
      'turn',
    ]);
    expect(told).toEqual(['live', 'end']);
  }
});

test('a long pause is waited for in parts that a timer can wait', async () => {
  const { timers, played } = await replay([
    [0, TURN],
    [3 * 3_600_000 + 5, TURN],
  ]);
  await played;
  expect(timers.waits.slice(0, 4)).toEqual([3_600_000, 3_600_000, 3_600_000, 5]);
});

test('calls behind the last end of a turn are left out: no body has shown them', async () => {
  const { engine, played } = await replay([
    [0, LIVE],
    [0, TURN],
    [0, { name: 'setState', state: 'stale' }],
  ]);
  await played;
  expect(engine.state).toBe('live');
});

test('after the end the last book stays, and grows old as one without slots does', async () => {
  const { engine, replayer, timers, played } = await replay([
    [0, LIVE],
    [0, TURN],
  ]);
  await played;
  const endMs = timers.now;
  expect(replayer.status()).toMatchObject({ everLive: true, state: 'live', reason: null });
  await until(() => engine.state === 'stale');
  const reason = 'the recording has ended';
  expect(replayer.status()).toMatchObject({ everLive: true, state: 'stale', reason });
  const aged = ['state lagging', 'turn', 'state stale', 'turn'];
  expect(engine.calls).toEqual(['state live', 'turn', ...aged]);
  expect(engine.turnsAt.slice(1).map((ms) => ms - endMs)).toEqual([2_500, 5_000]);
});

test.each([
  ['rebuilding', []],
  ['lagging', ['state stale', 'turn']],
  ['stale', []],
] as const)('a book that is %s at the end is never called better', async (state, aged) => {
  const { engine, told, played } = await replay([
    [0, LIVE],
    [0, TURN],
    [0, { name: 'setState', state }],
    [0, TURN],
  ]);
  await played;
  await until(() => told.includes('end') && engine.state !== 'lagging');
  expect(engine.calls).toEqual(['state live', 'turn', `state ${state}`, 'turn', ...aged]);
});

test.each<[string, readonly RecordedCall[]]>([
  ['a snapshot that had not begun', [{ name: 'applySnapshot', from: 0, count: 1 }, TURN]],
  ['an end without a beginning', [{ name: 'endSnapshot' }, TURN]],
  ['a second head', [{ name: 'open', ...INFO }, TURN]],
  [
    'snapshots without measure in one turn',
    [...Array(5).fill({ name: 'beginSnapshot', body: Buffer.from(emptySnapshot()) }), TURN],
  ],
])('%s is a coded error, after what was before it', async (_, calls) => {
  const { engine, told, played } = await replay([LIVE, TURN, ...calls].map((call) => [0, call]));
  await expect(played).rejects.toMatchObject({ code: 'MALFORMED_RECORDING' });
  expect(engine.turns).toHaveLength(1);
  expect(told).toEqual(['live']);
});

test('what the engine refuses is a coded error of the recording', async () => {
  const engine = new ReplayedEngine(new SkippingTimers());
  engine.decodeSnapshot = async () => {
    throw Object.assign(new Error('no JSON'), { code: 'MALFORMED_SNAPSHOT' });
  };
  const { played } = await replay(
    [
      [0, { name: 'beginSnapshot', body: Buffer.from('none') }],
      [0, TURN],
    ],
    { engine },
  );
  await expect(played).rejects.toMatchObject({
    code: 'MALFORMED_RECORDING',
    message: expect.stringContaining('MALFORMED_SNAPSHOT: no JSON'),
  });
});

test('a turn of more calls than a feed can make is refused before it fills the memory', async () => {
  const recording: Pick<RecordingReader, 'readCalls' | 'close' | 'offset' | 'tornAt'> = {
    readCalls: async () =>
      Array.from({ length: 5_000 }, () => ({ atMs: 0, call: LIVE, bytes: 21 })),
    close: async () => undefined,
    offset: 0,
    tornAt: null,
  };
  const { played } = await replay([], { recording: recording as RecordingReader });
  await expect(played).rejects.toMatchObject({
    code: 'MALFORMED_RECORDING',
    message: 'one turn had more than 1000000 calls',
  });
});

test('a stop ends a wait, and nothing is played after it', async () => {
  const { engine, replayer, timers, played } = await replay([
    [0, LIVE],
    [0, TURN],
    [10_000, TURN],
  ]);
  timers.after = () => ({ cancel: () => undefined });
  await until(() => engine.turns.length === 1);
  replayer.stop();
  await played;
  expect(engine.turns).toHaveLength(1);
});

const KEY = '11111111111111111111111111111112';
const whole = fc.oneof(
  fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  fc.constantFrom(0, 1, 2 ** 53 - 1),
);
const word = fc.oneof(fc.nat({ max: 3 }), fc.constant(2 ** 32 - 1));
const text = fc.oneof(fc.constant(KEY), fc.string({ unit: 'binary-ascii', maxLength: 60 }));
const anyCall: fc.Arbitrary<RecordedCall> = fc.oneof(
  fc.record({
    name: fc.constant('push' as const),
    account: fc.record({
      pubkey: text,
      owner: text,
      slot: whole,
      data: text,
      encoding: fc.constantFrom('base64' as const, 'base64+zstd' as const),
    }),
  }),
  fc.record({ name: fc.constant('close' as const), pubkey: text, slot: whole }),
  fc.record({
    name: fc.constant('setClock' as const),
    slot: whole,
    unixSeconds: fc.oneof(fc.maxSafeInteger(), fc.constant(Number.MIN_SAFE_INTEGER)),
  }),
  fc.constantFrom<RecordedCall>(LIVE, { name: 'setEpoch', epoch: 'x'.repeat(64) }),
  fc.record({ name: fc.constant('endTurn' as const), tsMs: whole }),
  fc.constantFrom<RecordedCall>(
    { name: 'beginSnapshot', body: Buffer.from(emptySnapshot()) },
    { name: 'beginSnapshot', body: Buffer.from('[') },
    { name: 'endSnapshot' },
  ),
  fc.record({ name: fc.constant('applySnapshot' as const), from: word, count: word }),
);

test('whatever is recorded, a replay ends well or with a coded error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyCall, { maxLength: 30 }), async (calls) => {
      const engine = new Engine({ programId: KEY, epoch: 'e' });
      const timed = calls.map((call) => [0, call] as const);
      const { played } = await replay([...timed, [0, TURN]], { engine, speed: 0 });
      await played.catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'MALFORMED_RECORDING' });
      });
      replayer?.stop();
      expect(engine.checkIntegrity()).toBeNull();
    }),
    { numRuns: 150 },
  );
});

/** A reading of no users. */
function emptySnapshot(): string {
  return JSON.stringify({ result: { context: { slot: 5 }, value: [] } });
}
