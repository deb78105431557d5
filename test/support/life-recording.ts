/** Recordings of seeded lives, made without a chain: what `slotbook replay` then serves. */

import { type FileHandle, open } from 'node:fs/promises';
import * as codec from '../../src/engine/codec.js';
import { RECORD_CALL_BYTES_MAX } from '../../src/feed/model/limits.js';
import { recordingPreamble, sealRecord } from '../../src/feed/recording/record-file.js';
import { encodeCall, type RecordedCall } from '../../src/feed/recording/recorded-call.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import {
  type AccountWrite,
  MarketSimulator,
  type SimulatorClock,
} from '../../src/sim/market/market-simulator.js';

const START_SLOT = 350_000_000;
const START_S = 1_750_000_000;
const SLOT_MS = 400;

/** The file of a recording as it is written; time is what its owner says. */
export class LifeRecording {
  /** When the next calls are made, since the beginning. */
  atMs = 0;
  /** Accounts written since the first turn. */
  changes = 0;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  private constructor(
    private readonly file: FileHandle,
    readonly life: MarketSimulator,
  ) {}

  /** Begins with the first state of a life, live. */
  static async begin(
    path: string,
    options: { readonly seed: number; readonly makers: number },
  ): Promise<LifeRecording> {
    const file = await open(path, 'wx');
    await file.appendFile(recordingPreamble());
    const life = new MarketSimulator({ ...options, statusChanges: 'some' });
    const recording = new LifeRecording(file, life);
    const createdMs = START_S * 1_000;
    recording.#call({ name: 'open', programId: PROGRAM_ID, epoch: 'first', createdMs });
    recording.#call({ name: 'setState', state: 'live' });
    recording.turn(life.createGenesis(recording.clock));
    recording.changes = 0;
    return recording;
  }

  /** The chain's time now. */
  get clock(): SimulatorClock {
    const slots = Math.floor(this.atMs / SLOT_MS);
    return { slot: START_SLOT + slots, unixSeconds: START_S + Math.floor(this.atMs / 1_000) };
  }

  /** One turn with these accounts. */
  turn(writes: readonly AccountWrite[]): void {
    const { slot, unixSeconds } = this.clock;
    this.#call({ name: 'setClock', slot, unixSeconds });
    for (const { pubkey, owner, data } of writes) {
      const text = data.toString('base64');
      const account = { pubkey, owner, slot, data: text, encoding: 'base64' } as const;
      this.#call({ name: 'push', account });
    }
    this.changes += writes.length;
    this.#call({ name: 'endTurn', tsMs: START_S * 1_000 + Math.floor(this.atMs) });
  }

  /** One turn with nothing but another state, or another epoch. */
  turnOf(call: Extract<RecordedCall, { name: 'setState' | 'setEpoch' }>): void {
    this.#call(call);
    this.turn([]);
  }

  /** Time in which only slots come. */
  pause(ms: number): void {
    for (const endMs = this.atMs + ms; this.atMs < endMs; ) {
      this.atMs = Math.min(endMs, this.atMs + SLOT_MS / 2);
      this.turn([]);
    }
  }

  /** Writes what is kept, in whole records. */
  async flush(): Promise<void> {
    const stream = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    const records: Buffer[] = [];
    for (let at = 0; at < stream.length; at += RECORD_CALL_BYTES_MAX) {
      records.push(sealRecord(codec, stream.subarray(at, at + RECORD_CALL_BYTES_MAX)));
    }
    await this.file.appendFile(Buffer.concat(records));
  }

  /** Bytes of calls that wait for {@link LifeRecording.flush}. */
  get unwrittenBytes(): number {
    return this.#bytes;
  }

  async end(): Promise<void> {
    await this.flush();
    await this.file.close();
  }

  #call(call: RecordedCall): void {
    for (const piece of encodeCall(call, this.atMs)) {
      this.#pieces.push(piece);
      this.#bytes += piece.length;
    }
  }
}

/** What a recorded life has. */
export interface LifeOptions {
  readonly seed: number;
  readonly makers?: number;
  /** Account writes, and how many a second. */
  readonly changes: number;
  readonly changesPerSecond: number;
  /** Time before the first change, in which readers come. */
  readonly leadMs: number;
  /** Whether the state falls back now and then, and the epoch changes once. */
  readonly interrupted?: boolean;
}

const FLUSH_BYTES = 16 * 1024 * 1024;
/** Steps of a life between two quiet moments, and how long such a moment is. */
const STEPS_PER_BURST = 200;
const QUIET_MS = 60;
/** Changes between two times that the book is said to lag. */
const CHANGES_PER_LAG = 2_500;
const LAG_MS = 30;

/** Records a life of one step a turn, with quiet moments in between. */
export async function recordLife(path: string, options: LifeOptions): Promise<void> {
  const { seed, makers = 60, changes, changesPerSecond, leadMs, interrupted = false } = options;
  const recording = await LifeRecording.begin(path, { seed, makers });
  recording.pause(leadMs);
  let lags = 0;
  let epochs = 1;
  for (let steps = 1; recording.changes < changes; steps += 1) {
    const writes = recording.life.nextWrites(recording.clock);
    recording.turn(writes);
    recording.atMs += (writes.length * 1_000) / changesPerSecond;
    if (steps % STEPS_PER_BURST === 0) recording.pause(QUIET_MS);
    if (interrupted && recording.changes > (lags + 1) * CHANGES_PER_LAG) {
      lags += 1;
      recording.turnOf({ name: 'setState', state: 'lagging' });
      recording.pause(LAG_MS);
      recording.turnOf({ name: 'setState', state: 'live' });
    }
    if (interrupted && epochs === 1 && recording.changes > changes / 2) {
      epochs += 1;
      recording.turnOf({ name: 'setEpoch', epoch: 'second' });
    }
    if (recording.unwrittenBytes > FLUSH_BYTES) await recording.flush();
  }
  await recording.end();
}
