import type { JournalListing, JournalMoment, JournalState } from '../../contract/journal-source.js';
import { readSegmentHead } from '../../engine/journal-reader.js';
import type { JournalPiece } from '../../engine/journal-writer.js';
import { loggedFailure, shownFailure } from '../../rpc/error.js';
import { sleep } from '../../rpc/timers.js';
import { JournalError } from '../model/error.js';
import {
  CHECKPOINT_WANTED_MS,
  LOG_HEARTBEAT_MS,
  LOG_QUEUE_BYTES_MAX,
  LOG_RETRY_MS,
} from '../model/limits.js';
import type { LogSetup, TakenLog } from '../model/log-place.js';
import { newJournalCounts } from '../model/messages.js';
import type { PieceSink, PieceSinkParts } from '../model/piece-sink.js';
import { CheckpointKeeper } from './checkpoint-keeper.js';
import { CheckpointStore } from './checkpoint-store.js';
import { connectLog, type LogConnection, wantedOf } from './connect.js';
import { LogAppender } from './log-appender.js';
import { LogClaim } from './log-claim.js';
import { type LogBytes, LogQueue } from './log-queue.js';
import { MessageNumbers, textOfId } from './message-id.js';

/** A message being appended, kept for retries. */
interface PendingMessage {
  readonly id: string;
  /** Whether it starts its segment. */
  readonly isFirst: boolean;
  readonly content: LogBytes;
}

interface OpenLog {
  readonly appender: LogAppender;
  readonly checkpoints: CheckpointStore;
}

/** Errors after which a log is not opened again. */
const REFUSALS: ReadonlySet<string> = new Set(['LOG_REFUSED', 'LOG_MISMATCH']);

const NOTHING_LISTED: JournalListing = { ranges: [], gaps: [], skipped: [] };

/**
 * Writes tails to a log on NATS, message by message, and stores each checkpoint in parallel once
 * the first message after it is stored. While NATS is unavailable, a bounded queue holds the
 * messages; a loss shows as a skipped number, followed by a new segment.
 */
export class LogWriter implements PieceSink {
  readonly isLog = true;
  /** Only the servers know the stream's size. */
  readonly bytes = 0;
  readonly counts = newJournalCounts();
  readonly #setup: LogSetup;
  readonly #parts: PieceSinkParts;
  readonly #queue = new LogQueue();
  readonly #numbers = new MessageNumbers();
  readonly #keeper: CheckpointKeeper;
  readonly #claim: LogClaim;
  readonly #end = new AbortController();
  #connection: LogConnection | null = null;
  #log: OpenLog | null = null;
  #pending: PendingMessage | null = null;
  /** The newest lost segment: pieces of it, and of earlier segments, are dropped. */
  #lostSegment = 0;
  #newestSegment = 0;
  #state: JournalState = 'starting';
  #reason: string | null = null;
  #newest: JournalMoment | null = null;
  #isHeartbeatDue = false;
  /** The core's last sign of life. */
  #aliveAtMs = Number.NEGATIVE_INFINITY;
  #wantedAtMs = Number.NEGATIVE_INFINITY;
  #onPiece: (() => void) | null = null;
  #settled: (() => void)[] = [];

  constructor(setup: LogSetup, parts: PieceSinkParts) {
    this.#setup = setup;
    this.#parts = parts;
    const { log, timers } = parts;
    const { signal } = this.#end;
    const onFailure = (): void => {
      this.counts.failures += 1;
    };
    const onMissing = (): void => parts.onHealed();
    this.#keeper = new CheckpointKeeper({ log, timers, signal, onFailure, onMissing });
    this.#claim = new LogClaim(setup, { timers, signal });
  }

  get state(): JournalState {
    return this.#state;
  }

  get reason(): string | null {
    return this.#reason ?? this.#keeper.problem;
  }

  get newest(): JournalMoment | null {
    return this.#newest;
  }

  get waitingBytes(): number {
    return this.#queue.waitingBytes + (this.#pending?.content.bytes.length ?? 0);
  }

  listing(): JournalListing {
    return NOTHING_LISTED;
  }

  /**
   * Opens the log. Rejects with `LOG_REFUSED` and `LOG_MISMATCH` only: other failures are retried.
   */
  async open(): Promise<void> {
    try {
      await this.#prepareStream();
    } catch (error) {
      if (error instanceof JournalError && REFUSALS.has(error.code)) throw error;
      this.#noteFailure(error);
    }
    void this.#appendAll();
  }

  pushPiece(piece: JournalPiece): void {
    this.#newestSegment = piece.segment;
    if (this.#end.signal.aborted || piece.segment <= this.#lostSegment) return;
    if (!piece.isTail) {
      if (this.#numbers.run === '') this.#numbers.run = readSegmentHead(piece.bytes).epoch;
      this.#keeper.pushPiece(piece);
      return;
    }
    if (this.#queue.waitingBytes + piece.bytes.length > LOG_QUEUE_BYTES_MAX) {
      this.#loseQueue(`${this.#queue.waitingBytes} bytes wait for NATS, which is the limit`);
      return;
    }
    this.#queue.pushPiece(piece, this.#parts.timers.nowMs());
    this.#onPiece?.();
  }

  takeOver(taken: TakenLog): void {
    this.#numbers.run = taken.run;
    this.#claim.takeOver(taken);
  }

  noteAlive(): void {
    this.#aliveAtMs = this.#parts.timers.nowMs();
  }

  /** Also resolves when NATS is unavailable. */
  async settle(): Promise<void> {
    if (this.#state !== 'writing' || this.waitingBytes === 0) return;
    await new Promise<void>((resolve) => this.#settled.push(resolve));
  }

  async end(reason: string | null): Promise<void> {
    await this.settle();
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    this.#onPiece?.();
    await this.#connection?.nats.close();
    if (reason === null) return;
    this.#parts.log.warn({ reason }, 'the log has stopped for good');
    this.#setState('stopped', reason);
  }

  async #prepareStream(): Promise<Omit<OpenLog, 'checkpoints'> & { connection: LogConnection }> {
    const connection = this.#connection ?? (await this.#connect());
    const appender = new LogAppender(connection, this.#setup, () => {
      this.counts.foreignMessages += 1;
      // Whoever may publish could fill the log of the process; metrics have the count.
      if (this.counts.foreignMessages > 1) return;
      this.#parts.log.warn({}, 'a message of the log that no core has written is passed');
    });
    await appender.prepareStream();
    return { connection, appender };
  }

  async #connect(): Promise<LogConnection> {
    const connection = await connectLog(this.#setup.log, 'slotbook core');
    this.#connection = connection;
    connection.nats.subscribe(wantedOf(this.#setup.log), { callback: () => this.#noteWanted() });
    return connection;
  }

  /**
   * Handles a reader's request for a checkpoint. A core that does not write ignores the request.
   */
  #noteWanted(): void {
    const nowMs = this.#parts.timers.nowMs();
    if (this.#state !== 'writing' || nowMs - this.#wantedAtMs < CHECKPOINT_WANTED_MS) return;
    this.#wantedAtMs = nowMs;
    this.#parts.onHealed();
  }

  /** Appends pieces until the writer ends or another core writes the log. */
  async #appendAll(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        this.#log ??= await this.#beginLog();
        await this.#appendWaiting(this.#log);
        this.#tellSettled();
        await this.#waitForPiece();
      } catch (error) {
        if (signal.aborted) return;
        this.#handleFailure(error);
        await sleep(this.#parts.timers, LOG_RETRY_MS, signal).catch(() => undefined);
      }
    }
  }

  async #beginLog(): Promise<OpenLog> {
    const { connection, appender } = await this.#prepareStream();
    const { log, replicas } = this.#setup;
    const checkpoints = await CheckpointStore.openStore(log, connection, { replicas });
    appender.goOnBehind(await this.#claim.whenOurs(appender));
    this.#setState('writing', null);
    this.#requestSegment();
    return { appender, checkpoints };
  }

  async #appendWaiting({ appender, checkpoints }: OpenLog): Promise<void> {
    for (let next = this.#takeMessage(); next !== null; next = this.#takeMessage()) {
      this.#pending = next;
      const behindMs = this.#queue.waitedMs(this.#parts.timers.nowMs());
      const { bytes: content } = next.content;
      const sequence = await appender.appendMessage({ id: next.id, bytes: content, behindMs });
      this.#pending = null;
      const { segment, bytes, last } = next.content;
      if (next.isFirst) {
        this.counts.segmentsBegun += 1;
        const { run } = this.#numbers;
        this.#keeper.storeBehind(segment, { next: sequence, run, store: checkpoints });
      }
      this.counts.bytesWritten += bytes.length;
      this.#newest = last ?? this.#newest;
      this.#parts.onStored();
      this.#setState('writing', null);
      this.#requestSegment();
    }
  }

  /**
   * Returns the message that failed, otherwise the queued bytes, otherwise an empty message when
   * one is due.
   */
  #takeMessage(): PendingMessage | null {
    if (this.#pending !== null) return this.#pending;
    const content = this.#queue.takeBytes() ?? this.#takeHeartbeat();
    if (content === null) return null;
    this.#isHeartbeatDue = false;
    const id = this.#numbers.takeNext(content.segment);
    return { id: textOfId(id), isFirst: id.index === 0, content };
  }

  #takeHeartbeat(): LogBytes | null {
    const { lastSegment: segment } = this.#numbers;
    const isAlive = this.#parts.timers.nowMs() - this.#aliveAtMs < LOG_HEARTBEAT_MS;
    if (!this.#isHeartbeatDue || !isAlive || segment === 0) return null;
    return { segment, bytes: new Uint8Array(0), last: null };
  }

  /** Resolves when a piece has arrived, or a heartbeat is due. */
  async #waitForPiece(): Promise<void> {
    if (this.#queue.waitingBytes > 0) return;
    await new Promise<void>((resolve) => {
      const due = this.#parts.timers.after(LOG_HEARTBEAT_MS, () => {
        this.#isHeartbeatDue = true;
        resolve();
      });
      this.#onPiece = () => {
        due.cancel();
        resolve();
      };
    });
    this.#onPiece = null;
  }

  #handleFailure(error: unknown): void {
    const code = error instanceof JournalError ? error.code : 'LOG_UNREACHABLE';
    const reason = shownFailure(error);
    this.#noteFailure(error);
    this.#tellSettled();
    if (this.#connection?.nats.isClosed() === true) {
      this.#connection = null;
      this.#log = null;
    }
    if (code === 'LOG_LOST') {
      this.#log = null;
      this.#loseQueue(reason);
    }
    if (code !== 'LOG_FENCED' && code !== 'LOG_MISMATCH') return;
    this.#end.abort();
    void this.#connection?.nats.close();
    this.#parts.onRefused(new JournalError(code, reason));
  }

  #noteFailure(error: unknown): void {
    this.counts.failures += 1;
    if (this.#state !== 'stopped') {
      this.#parts.log.warn(
        { reason: loggedFailure(error) },
        'the log has stopped: what comes waits in memory',
      );
    }
    this.#setState('stopped', shownFailure(error));
  }

  /** Drops the queue; the log continues with the next checkpoint. */
  #loseQueue(reason: string): void {
    if (this.#lostSegment < this.#newestSegment) this.#numbers.noteLoss();
    this.#lostSegment = this.#newestSegment;
    this.#queue.dropAll();
    this.#pending = null;
    this.#setState(this.#state === 'starting' ? 'starting' : 'stopped', reason);
  }

  #requestSegment(): void {
    if (this.#lostSegment > 0 && this.#lostSegment === this.#newestSegment) this.#parts.onHealed();
  }

  #tellSettled(): void {
    for (const resolve of this.#settled.splice(0)) resolve();
  }

  #setState(state: JournalState, reason: string | null): void {
    if (this.#state === state && this.#reason === reason) return;
    if (state === 'writing') this.#parts.log.info({}, 'the log is written');
    this.#state = state;
    this.#reason = reason;
    this.#parts.onChanged();
  }
}
