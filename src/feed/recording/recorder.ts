import { open } from 'node:fs/promises';
import type { Log } from '../../rpc/log.js';
import { nextTurn, systemTimers, type Timer, type Timers } from '../../rpc/timers.js';
import { FeedError } from '../model/error.js';
import {
  CALL_BYTES_MAX,
  RECORD_CALL_BYTES_MAX,
  RECORDER_FLUSH_MS,
  RECORDER_QUEUE_BYTES_MAX,
} from '../model/limits.js';
import { type Codec, recordingPreamble, sealRecord } from './record-file.js';
import { encodeCall, type RecordedCall, type RecordingInfo } from './recorded-call.js';

/** Where the bytes of a recording go, each write behind the one before. */
export interface RecordingSink {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** What recording did, for metrics. */
export interface RecorderStats {
  readonly recordedCalls: number;
  readonly recordedBytes: number;
  /** 1 once recording has failed; nothing is recorded after that. */
  readonly recordingFailures: number;
}

/** The parts of a recorder; what is optional is for tests. */
export interface RecorderOptions {
  /** Makes the file; rejects when it cannot be made. */
  readonly open: () => Promise<RecordingSink>;
  readonly codec: Codec;
  readonly log: Log;
  readonly timers?: Timers;
  readonly queueBytesMax?: number;
}

/**
 * Makes the file of a recording, which must not be there yet: two runs in one file, or two
 * processes, would each make the other's useless. Rejects with the error of the file system.
 */
export async function createRecordingFile(path: string): Promise<RecordingSink> {
  const file = await open(path, 'wx');
  return { write: (bytes) => file.appendFile(bytes), close: () => file.close() };
}

/**
 * Appends calls to a recording. Nothing waits for the disk: calls wait in a bounded queue and
 * written in records of some 64 KiB, or after half a second. A disk that fails, or is so slow that
 * the queue is full, ends the recording and nothing else: it is logged once and counted.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #timers: Timers;
  readonly #queue = new ByteQueue();
  #sink: RecordingSink | null = null;
  #startMs = 0;
  #timer: Timer | null = null;
  #flushing = false;
  #writing: Promise<void> | null = null;
  #ended = false;
  #calls = 0;
  #bytes = 0;
  /** Why nothing is recorded any more; null while all is well. */
  #failure: unknown = null;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
  }

  /** Makes the file and writes what it is of. Rejects with `RECORDING_WRITE_FAILED`. */
  async beginRecording(info: RecordingInfo): Promise<void> {
    try {
      this.#sink = await this.#options.open();
      await this.#sink.write(recordingPreamble());
    } catch (error) {
      this.#giveUp(error);
      throw writeFailedError(error);
    }
    this.#startMs = this.#timers.nowMs();
    this.appendCall({ name: 'open', ...info });
    await this.#flushQueue();
    if (this.#failure !== null) throw writeFailedError(this.#failure);
  }

  stats(): RecorderStats {
    return {
      recordedCalls: this.#calls,
      recordedBytes: this.#bytes,
      recordingFailures: this.#failure === null ? 0 : 1,
    };
  }

  /** Keeps a call. The bytes of its body must not change any more. Never throws. */
  appendCall(call: RecordedCall): void {
    if (this.#ended) return;
    const pieces = encodeCall(call, this.#timers.nowMs() - this.#startMs);
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const bytesMax = this.#options.queueBytesMax ?? RECORDER_QUEUE_BYTES_MAX;
    if (bytes > CALL_BYTES_MAX || this.#queue.length + bytes > bytesMax) {
      const message = `bytes that wait for the disk were ${this.#queue.length + bytes}, must be at most ${bytesMax}`;
      this.#handleFailure(new FeedError('RECORDING_QUEUE_EXCEEDED', message));
      return;
    }
    this.#calls += 1;
    this.#queue.push(pieces);
    if (this.#queue.length >= RECORD_CALL_BYTES_MAX) this.#startWriting();
    else this.#timer ??= this.#timers.after(RECORDER_FLUSH_MS, () => this.#startFlush());
  }

  /** Writes what waits and closes the file. */
  async close(): Promise<void> {
    if (this.#ended) return;
    await this.#flushQueue();
    this.#endRecording();
    await this.#sink?.close();
  }

  async #flushQueue(): Promise<void> {
    while (this.#queue.length > 0 || this.#writing !== null) {
      this.#startFlush();
      await this.#writing;
    }
  }

  #startFlush(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#flushing = true;
    this.#startWriting();
  }

  #startWriting(): void {
    this.#writing ??= this.#writeRecords().finally(() => {
      this.#writing = null;
    });
  }

  /** One record between two turns of the loop, and none in the midst of what is being recorded. */
  async #writeRecords(): Promise<void> {
    const { codec } = this.#options;
    try {
      await nextTurn();
      while (this.#queue.length >= RECORD_CALL_BYTES_MAX || this.#flushing) {
        const block = this.#queue.takeBytes(RECORD_CALL_BYTES_MAX);
        if (this.#queue.length === 0) this.#flushing = false;
        if (block.length === 0) continue;
        const record = sealRecord(codec, block);
        await this.#sink?.write(record);
        this.#bytes += record.length;
      }
    } catch (error) {
      this.#handleFailure(error);
    }
  }

  #handleFailure(error: unknown): void {
    if (this.#ended) return;
    this.#options.log.warn({ err: error }, 'recording has failed: the file ends here');
    this.#giveUp(error);
  }

  #giveUp(error: unknown): void {
    this.#endRecording();
    this.#failure = error;
    // The file is of no further use here, and why it cannot be closed would say nothing new.
    this.#sink?.close().catch(() => undefined);
  }

  #endRecording(): void {
    this.#ended = true;
    this.#flushing = false;
    this.#timer?.cancel();
    this.#timer = null;
    this.#queue.clear();
  }
}

function writeFailedError(error: unknown): FeedError {
  const why = error instanceof Error ? error.message : String(error);
  return new FeedError('RECORDING_WRITE_FAILED', `the recording cannot be written: ${why}`);
}

/** Finished pieces are forgotten when so many have gathered at the front. */
const TAKEN_KEPT_MAX = 1_024;

/** Pieces of bytes in order, taken out in blocks of another size. Adding copies nothing. */
export class ByteQueue {
  #pieces: (Uint8Array | null)[] = [];
  #first = 0;
  /** Bytes of the first piece that were taken. */
  #taken = 0;
  #length = 0;

  /** Bytes that wait. */
  get length(): number {
    return this.#length;
  }

  push(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      if (piece.length === 0) continue;
      this.#pieces.push(piece);
      this.#length += piece.length;
    }
  }

  /** Takes the first bytes: so many, or all that are there. */
  takeBytes(count: number): Buffer {
    const block = Buffer.allocUnsafe(Math.min(count, this.#length));
    for (let at = 0; at < block.length; ) {
      const piece = this.#pieces[this.#first];
      if (piece == null) throw new Error('Invariant: the pieces hold the length of the queue');
      const part = piece.subarray(this.#taken, this.#taken + block.length - at);
      block.set(part, at);
      at += part.length;
      this.#taken += part.length;
      if (this.#taken === piece.length) this.#dropPiece();
    }
    this.#length -= block.length;
    return block;
  }

  clear(): void {
    this.#pieces = [];
    this.#first = 0;
    this.#taken = 0;
    this.#length = 0;
  }

  /** A piece is let go as soon as it is taken: a snapshot's body is large. */
  #dropPiece(): void {
    this.#pieces[this.#first] = null;
    this.#first += 1;
    this.#taken = 0;
    if (this.#first < this.#pieces.length && this.#first < TAKEN_KEPT_MAX) return;
    this.#pieces.splice(0, this.#first);
    this.#first = 0;
  }
}
