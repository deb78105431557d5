import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../test/support/until.js';
import { compress, decompress } from '../../engine/codec.js';
import type { Log } from '../../rpc/log.js';
import type { Timers } from '../../rpc/timers.js';
import { RECORDER_FLUSH_MS } from '../model/limits.js';
import type { RecordedCall } from './recorded-call.js';
import { createRecordingFile, Recorder, type RecorderOptions } from './recorder.js';
import { RecordingReader } from './recording-reader.js';

const codec = { compress, decompress };
const INFO = { programId: 'program', epoch: 'epoch', createdMs: 7 };
const TURN: RecordedCall = { name: 'endTurn', tsMs: 1 };

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-recorder-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** A disk in memory that can be held, and that can fail. */
class Disk {
  readonly writes: Uint8Array[] = [];
  closed = 0;
  failure: Error | null = null;
  held: Promise<void> = Promise.resolve();

  async write(bytes: Uint8Array): Promise<void> {
    await this.held;
    if (this.failure !== null) throw this.failure;
    this.writes.push(bytes);
  }

  async close(): Promise<void> {
    this.closed += 1;
  }

  /** How many calls behind the first can be read of what was written. */
  async calls(): Promise<number> {
    const file = path.join(folder, 'disk');
    await writeFile(file, Buffer.concat(this.writes));
    const reader = await RecordingReader.open(file, codec);
    let count = 0;
    for (let more = await reader.readCalls(); more !== null; more = await reader.readCalls()) {
      count += more.length;
    }
    expect(reader.tornAt).toBeNull();
    await reader.close();
    return count;
  }
}

/** Call-backs that run when the test says so. */
class HeldTimers implements Timers {
  readonly waiting: { readonly delayMs: number; readonly run: () => void }[] = [];

  nowMs(): number {
    return 0;
  }

  after(delayMs: number, run: () => void) {
    const one = { delayMs, run };
    this.waiting.push(one);
    const cancel = () => {
      const at = this.waiting.indexOf(one);
      if (at >= 0) this.waiting.splice(at, 1);
    };
    return { cancel };
  }
}

function recorderOn(disk: Disk, options: Partial<RecorderOptions> = {}) {
  const warnings: string[] = [];
  const log: Log = { info: () => undefined, warn: (_, message) => warnings.push(message) };
  const recorder = new Recorder({ open: async () => disk, codec, log, ...options });
  return { recorder, warnings };
}

const noSpace = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });

test('what is called waits half a second for more, and is then written', async () => {
  const disk = new Disk();
  const timers = new HeldTimers();
  const { recorder } = recorderOn(disk, { timers });
  await recorder.beginRecording(INFO);
  expect(await disk.calls()).toBe(0);
  recorder.appendCall(TURN);
  recorder.appendCall(TURN);
  expect(timers.waiting.map(({ delayMs }) => delayMs)).toEqual([RECORDER_FLUSH_MS]);
  timers.waiting[0]?.run();
  await until(async () => (await disk.calls()) === 2);
  expect(timers.waiting).toEqual([]);
  recorder.appendCall(TURN);
  await recorder.close();
  expect(await disk.calls()).toBe(3);
  expect([disk.closed, timers.waiting.length]).toEqual([1, 0]);
  expect(recorder.stats()).toMatchObject({ recordedCalls: 4, recordingFailures: 0 });
});

test('much is written at once, in records of bounded size', async () => {
  const disk = new Disk();
  const { recorder } = recorderOn(disk, { timers: new HeldTimers() });
  await recorder.beginRecording(INFO);
  const data = Array.from({ length: 1_000 }, (_, index) => index).join('');
  const account = { pubkey: 'a', owner: 'b', slot: 1, data, encoding: 'base64' } as const;
  for (let index = 0; index < 100; index += 1) recorder.appendCall({ name: 'push', account });
  await until(() => disk.writes.length > 4);
  await recorder.close();
  expect(await disk.calls()).toBe(100);
});

test('a full disk ends the recording, is told once, and nothing throws', async () => {
  const disk = new Disk();
  const { recorder, warnings } = recorderOn(disk);
  await recorder.beginRecording(INFO);
  recorder.appendCall(TURN);
  await until(async () => (await disk.calls()) === 1);
  disk.failure = noSpace;
  recorder.appendCall(TURN);
  await until(() => recorder.stats().recordingFailures === 1);
  const { recordedCalls } = recorder.stats();
  for (let index = 0; index < 10_000; index += 1) recorder.appendCall(TURN);
  await recorder.close();
  expect(warnings).toEqual(['recording has failed: the file ends here']);
  expect(recorder.stats()).toMatchObject({ recordedCalls, recordingFailures: 1 });
  expect(disk.closed).toBe(1);
  expect(await disk.calls()).toBe(1);
});

test('a disk that does not answer costs bounded memory and ends the recording', async () => {
  const disk = new Disk();
  const { recorder, warnings } = recorderOn(disk, { queueBytesMax: 100_000 });
  await recorder.beginRecording(INFO);
  let release = () => {};
  disk.held = new Promise((resolve) => {
    release = resolve;
  });
  const call: RecordedCall = { name: 'beginSnapshot', body: Buffer.alloc(30_000) };
  for (let index = 0; index < 5; index += 1) recorder.appendCall(call);
  expect(recorder.stats()).toMatchObject({ recordedCalls: 4, recordingFailures: 1 });
  expect(warnings).toHaveLength(1);
  release();
  await recorder.close();
  expect(disk.closed).toBe(1);
});

test('a disk that takes nothing from the beginning is told to who began', async () => {
  const disk = new Disk();
  disk.failure = noSpace;
  const { recorder, warnings } = recorderOn(disk);
  const began = recorder.beginRecording(INFO);
  await expect(began).rejects.toMatchObject({
    code: 'RECORDING_WRITE_FAILED',
    message: 'the recording cannot be written: no space left on device',
  });
  expect([warnings, disk.closed]).toEqual([[], 1]);
});

test('a file that is there already is not touched', async () => {
  const file = path.join(folder, 'there');
  await writeFile(file, 'something');
  const { recorder } = recorderOn(new Disk(), { open: () => createRecordingFile(file) });
  await expect(recorder.beginRecording(INFO)).rejects.toMatchObject({
    code: 'RECORDING_WRITE_FAILED',
    message: expect.stringContaining('EEXIST'),
  });
});
