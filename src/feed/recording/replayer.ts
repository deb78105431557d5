import type { AccountSnapshot } from '../../contract/accounts.js';
import type { TurnChanges } from '../../contract/feed-engine.js';
import type { FeedState, Readiness } from '../../contract/feed-status.js';
import type { MarkPublisher, PublishMark } from '../../contract/publish-mark.js';
import { type Log, silentLog } from '../../rpc/log.js';
import { nextTurn, sleep, systemTimers, type Timer, type Timers } from '../../rpc/timers.js';
import { FeedError, failureText } from '../model/error.js';
import { ProblemLog } from '../model/error-logs.js';
import { type FeedTiming, freshnessOf } from '../model/feed-stats.js';
import {
  REPLAY_TURN_BYTES_MAX,
  REPLAY_TURN_CALLS_MAX,
  REPLAY_TURN_SNAPSHOTS_MAX,
  REPLAY_WAIT_MS_MAX,
  REPLAY_WAIT_MS_MIN,
  WATCH_INTERVAL_MS,
} from '../model/limits.js';
import { MarkedTurns } from '../model/marked-turns.js';
import type { RecordedCall, TimedCall } from './recorded-call.js';
import type { EpochEngine } from './recording-engine.js';
import type { RecordingReader } from './recording-reader.js';

/** The parts of a replay; what is optional is for tests and settings. */
export interface ReplayerOptions {
  readonly recording: RecordingReader;
  readonly engine: Omit<EpochEngine, 'epoch'>;
  /** How many times faster than it was recorded; 0 is as fast as the engine. */
  readonly speed: number;
  readonly timing: FeedTiming;
  readonly log?: Log;
  /** After each turn of the engine, with what is published at its end. */
  readonly onTurn?: (turn: TurnChanges, mark: PublishMark) => void;
  /** Who makes the frames of marks: the next turn waits for it. */
  readonly publisher?: MarkPublisher;
  /** The service's own interval between two frames of a topic. */
  readonly streamIntervalMs: number;
  /** Once, when the book is live for the first time. */
  readonly onFirstLive?: () => void;
  /** The recording is at its end, or at its tear. */
  readonly onEnd?: () => void;
  readonly timers?: Timers;
  readonly wallMs?: () => number;
}

/** What a replay did, for metrics. */
export interface ReplayerStats {
  readonly replayedCalls: number;
  readonly replayedTurns: number;
  readonly replayedBytes: number;
}

/**
 * Plays a recording into an engine, as a feed like any other: the same calls in the same order, a
 * turn at a time, paced by when each turn ended. Bodies equal the recorded ones byte for byte.
 *
 * After the end the last book stays. A book that was live becomes `lagging` and `stale` after the
 * usual times, because no slots come any more.
 */
export class Replayer {
  readonly #options: ReplayerOptions;
  readonly #timers: Timers;
  readonly #problemLog: ProblemLog;
  readonly #marked: MarkedTurns;
  readonly #stop = new AbortController();
  #checkTimer: Timer | null = null;
  #snapshot: AccountSnapshot | null = null;
  #state: FeedState = 'rebuilding';
  #everLive = false;
  #ended = false;
  #slot = 0;
  #slotAtMs = 0;
  #calls = 0;
  #turns = 0;

  constructor(options: ReplayerOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#problemLog = new ProblemLog(options.log ?? silentLog);
    this.#marked = new MarkedTurns({
      ...{ engine: options.engine, timers: this.#timers },
      streamIntervalMs: options.streamIntervalMs,
      onTurn: (turn, mark) => options.onTurn?.(turn, mark),
      onDue: () => this.#whenPublished(() => this.#marked.publishWaiting()),
    });
  }

  /**
   * Plays to the end. Resolves there, or after a stop.
   *
   * # Errors
   *
   * Those of {@link RecordingReader.readCalls}. What came before them was played.
   */
  async start(): Promise<void> {
    try {
      await this.#playAll();
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
      return;
    } finally {
      await this.#options.recording.close();
    }
    this.#ended = true;
    this.#slotAtMs = this.#timers.nowMs();
    this.#options.onEnd?.();
    this.#updateFreshness();
  }

  /** Ends the replay; the engine keeps its book. */
  stop(): void {
    this.#checkTimer?.cancel();
    this.#marked.stop();
    this.#stop.abort();
  }

  status(): Readiness {
    const { tornAt } = this.#options.recording;
    const end = tornAt === null ? 'the recording has ended' : `the recording is torn at ${tornAt}`;
    const reason = this.#ended ? end : `the recorded book was ${this.#state}`;
    return {
      everLive: this.#everLive,
      state: this.#everLive ? this.#state : 'starting',
      reason: this.#state === 'live' ? null : reason,
      slot: this.#slot,
    };
  }

  /** Time since a slot came out of the recording. */
  slotAgeMs(): number {
    return this.#timers.nowMs() - this.#slotAtMs;
  }

  stats(): ReplayerStats {
    return {
      replayedCalls: this.#calls,
      replayedTurns: this.#turns,
      replayedBytes: this.#options.recording.offset,
    };
  }

  async #playAll(): Promise<void> {
    const { recording, speed } = this.#options;
    const replayClock = new RecordingClock({
      speed,
      timers: this.#timers,
      signal: this.#stop.signal,
    });
    let turn: TimedCall[] = [];
    let bytes = 0;
    for (
      let calls = await recording.readCalls();
      calls !== null;
      calls = await recording.readCalls()
    ) {
      for (const timed of calls) {
        turn.push(timed);
        bytes += timed.bytes;
        if (bytes > REPLAY_TURN_BYTES_MAX) throw turnExceededError(bytes);
        if (turn.length > REPLAY_TURN_CALLS_MAX) throw tooManyCallsError();
        if (timed.call.name !== 'endTurn') continue;
        const snapshots = await this.#decodeSnapshots(turn);
        await replayClock.waitUntil(timed.atMs);
        await new Promise<void>((resolve) => this.#whenPublished(resolve));
        this.#playTurn(turn, snapshots);
        turn = [];
        bytes = 0;
      }
      // Many records may hold no end of a turn, and a small file many records.
      await nextTurn();
      this.#stop.signal.throwIfAborted();
    }
  }

  #whenPublished(run: () => void): void {
    const { publisher } = this.#options;
    if (publisher?.isPublishing === true) publisher.onceFinished(run);
    else run();
  }

  /** Decodes what the turn needs before any of it is played: a turn is played at once. */
  async #decodeSnapshots(turn: readonly TimedCall[]): Promise<AccountSnapshot[]> {
    const snapshots: AccountSnapshot[] = [];
    for (const { call } of turn) {
      if (call.name !== 'beginSnapshot') continue;
      if (snapshots.length >= REPLAY_TURN_SNAPSHOTS_MAX) throw tooManySnapshotsError();
      snapshots.push(await this.#options.engine.decodeSnapshot(call.body).catch(throwRefused));
    }
    this.#stop.signal.throwIfAborted();
    return snapshots;
  }

  #playTurn(turn: readonly TimedCall[], snapshots: AccountSnapshot[]): void {
    try {
      for (const { call } of turn) this.#makeCall(call, snapshots);
    } catch (error) {
      throwRefused(error);
    }
    this.#calls += turn.length;
  }

  /** Makes one call; takes the snapshot that it begins from the front. */
  #makeCall(call: RecordedCall, snapshots: AccountSnapshot[]): void {
    const { engine } = this.#options;
    switch (call.name) {
      case 'open':
        throw malformedError('the recording says twice what it is of');
      case 'push':
        engine.push(call.account);
        break;
      case 'close':
        engine.close(call.pubkey, call.slot);
        break;
      case 'setClock':
        this.#setClock(call.slot, call.unixSeconds);
        break;
      case 'setState':
        this.#state = call.state;
        engine.setState(call.state);
        break;
      case 'setEpoch':
        engine.setEpoch(call.epoch);
        break;
      case 'endTurn':
        this.#endTurn(call.tsMs);
        break;
      case 'beginSnapshot':
        this.#snapshot = snapshots.shift() ?? null;
        engine.beginSnapshot(this.#openSnapshot());
        break;
      case 'applySnapshot':
        engine.applySnapshot(this.#openSnapshot(), call.from, call.count);
        break;
      case 'endSnapshot':
        this.#openSnapshot();
        engine.endSnapshot();
        this.#snapshot = null;
        break;
      case 'setIndicativePolicy':
        engine.setIndicativePolicy(call.policy);
        break;
      case 'setIndicative':
        engine.setIndicative(call.quotes);
    }
  }

  #openSnapshot(): AccountSnapshot {
    if (this.#snapshot === null) throw malformedError('a snapshot was applied that had not begun');
    return this.#snapshot;
  }

  #setClock(slot: number, unixSeconds: number): void {
    if (slot !== this.#slot) this.#slotAtMs = this.#timers.nowMs();
    this.#slot = slot;
    this.#options.engine.setClock(slot, unixSeconds);
  }

  #endTurn(tsMs: number): void {
    const turn = this.#marked.endTurn(tsMs);
    this.#turns += 1;
    this.#problemLog.logProblems(turn.problems);
    if (this.#everLive || this.#state !== 'live') return;
    this.#everLive = true;
    this.#options.onFirstLive?.();
  }

  /** After the end a live book grows old as that of a feed without slots does. */
  #updateFreshness(): void {
    if (this.#state !== 'live' && this.#state !== 'lagging') return;
    const state = freshnessOf(this.slotAgeMs(), this.#options.timing);
    if (state !== 'live' && state !== this.#state) {
      this.#state = state;
      this.#options.engine.setState(state);
      this.#endTurn((this.#options.wallMs ?? Date.now)());
    }
    this.#checkTimer = this.#timers.after(WATCH_INTERVAL_MS, () => this.#updateFreshness());
  }
}

/** What the engine does not take was never given to it: no engine was behind this recording. */
function throwRefused(error: unknown): never {
  if (!(error instanceof Error) || error instanceof FeedError || !('code' in error)) throw error;
  throw malformedError(`the engine refused what was recorded: ${failureText(error)}`);
}

function malformedError(message: string): FeedError {
  return new FeedError('MALFORMED_RECORDING', message);
}

function tooManySnapshotsError(): FeedError {
  return malformedError(`one turn had more than ${REPLAY_TURN_SNAPSHOTS_MAX} snapshots`);
}

function tooManyCallsError(): FeedError {
  return malformedError(`one turn had more than ${REPLAY_TURN_CALLS_MAX} calls`);
}

function turnExceededError(bytes: number): FeedError {
  const message = `one turn had ${bytes} bytes, must have at most ${REPLAY_TURN_BYTES_MAX}`;
  return new FeedError('RECORDING_BYTES_EXCEEDED', message);
}

/** Says when a turn is due; whatever the speed, the loop turns between two of them. */
export class RecordingClock {
  readonly #speed: number;
  readonly #timers: Timers;
  readonly #signal: AbortSignal;
  /** When the first turn was played, and when it was recorded. */
  #origin: { readonly nowMs: number; readonly atMs: number } | null = null;

  constructor(options: {
    readonly speed: number;
    readonly timers: Timers;
    readonly signal: AbortSignal;
  }) {
    this.#speed = options.speed;
    this.#timers = options.timers;
    this.#signal = options.signal;
  }

  /** Waits until a turn that was recorded then is due. Rejects once the replay is stopped. */
  async waitUntil(atMs: number): Promise<void> {
    this.#origin ??= { nowMs: this.#timers.nowMs(), atMs };
    const { nowMs, atMs: firstAtMs } = this.#origin;
    const dueMs = this.#speed === 0 ? 0 : nowMs + (atMs - firstAtMs) / this.#speed;
    for (;;) {
      const waitMs = Math.min(dueMs - this.#timers.nowMs(), REPLAY_WAIT_MS_MAX);
      if (waitMs < REPLAY_WAIT_MS_MIN) break;
      await sleep(this.#timers, waitMs, this.#signal);
    }
    await nextTurn();
    this.#signal.throwIfAborted();
  }
}
