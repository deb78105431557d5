import type { Timer, Timers } from '../../contract/timers.js';
import { JournalWriter, type TurnDigest } from '../../engine/journal-writer.js';
import { JournalError, textOfError } from '../model/error.js';
import {
  DIGESTS_MAX,
  FLUSH_MS,
  SEGMENT_BYTES_MAX,
  SEGMENT_BYTES_MIN,
  SEGMENT_MS_MAX,
  SEGMENT_UPDATES_MIN,
  SEGMENT_UPDATES_PER_ACCOUNT,
  SEGMENTS_IN_LIMIT,
  STATS_MS,
  TAILS_IN_LIMIT,
} from '../model/limits.js';
import type { FromJournal, JournalSetup, ToJournal } from '../model/messages.js';
import type { PieceSink, PieceSinkParts } from '../model/piece-sink.js';

/** The dependencies of the service. */
interface JournalServiceOptions {
  readonly setup: Pick<JournalSetup, 'programId' | 'bytesMax' | 'keepsDigests'>;
  readonly timers: Timers;
  readonly post: (message: FromJournal) => void;
  readonly createSink: (parts: PieceSinkParts) => PieceSink;
}

/**
 * The journal on its own thread: takes whole turns, encodes them and passes the pieces to the disk
 * or to a log. It decides when a segment is full; the core then writes the checkpoint that starts
 * the next segment.
 */
export class JournalService {
  readonly #options: JournalServiceOptions;
  readonly #writer: JournalWriter;
  readonly #sink: PieceSink;
  readonly #segmentBytesMax: number;
  /**
   * Maximum bytes of a log's tail, whatever the size of its checkpoint: the stored log must reach
   * back beyond the newest checkpoint.
   */
  readonly #tailBytesMax: number;
  /** Of turns that are not stored yet. */
  readonly #digests: TurnDigest[] = [];
  #flushTimer: Timer | null = null;
  #statsTimer: Timer | null = null;
  /** The segment for which a checkpoint was last requested. */
  #askedSegment = 0;
  #segment = 0;
  #segmentAtMs = 0;
  #isBroken = false;

  constructor(options: JournalServiceOptions) {
    const { setup, timers, post, createSink } = options;
    this.#options = options;
    this.#writer = new JournalWriter(setup.programId);
    const log = (level: 'info' | 'warn') => (fields: object, message: string) =>
      post({ kind: 'log', level, fields, message });
    this.#sink = createSink({
      timers,
      log: { info: log('info'), warn: log('warn') },
      onHealed: () => post({ kind: 'checkpointDue' }),
      onStored: () => this.#postStored(),
      onChanged: () => this.#postState(),
      onRefused: ({ code, message }) => post({ kind: 'refused', code, message }),
    });
    if (this.#sink.isLog) this.#writer.separateTails();
    if (setup.keepsDigests === true) this.#writer.keepDigests();
    this.#segmentBytesMax = segmentBytesMax(setup.bytesMax);
    this.#tailBytesMax = this.#sink.isLog
      ? setup.bytesMax / TAILS_IN_LIMIT
      : Number.POSITIVE_INFINITY;
  }

  /** Opens the folder, or the log, and reports the result. */
  async start(): Promise<void> {
    const { post } = this.#options;
    try {
      await this.#sink.open();
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      post({ kind: 'refused', code: error.code, message: error.message });
      return;
    }
    post({ kind: 'opened' });
    this.#planStats();
  }

  async receiveMessage(message: Exclude<ToJournal, { kind: 'stop' }>): Promise<void> {
    switch (message.kind) {
      case 'turns':
        this.#addTurns(message.log);
        this.#digests.push(...this.#writer.takeDigests());
        this.#digests.splice(0, this.#digests.length - DIGESTS_MAX);
        this.#postTaken(message.log.length, this.#sink.isLog ? 0 : Number.POSITIVE_INFINITY);
        return;
      case 'alive':
        this.#sink.noteAlive?.();
        return;
      case 'takeOver':
        this.#sink.takeOver?.(message.taken);
        return;
      case 'flush':
        await this.#flush(message.id);
        return;
      case 'lost':
        await this.#stopForGood(message.reason);
    }
  }

  /** Writes all received turns, and releases the folder. */
  async stop(): Promise<void> {
    this.#flushTimer?.cancel();
    this.#statsTimer?.cancel();
    if (!this.#isBroken) this.#sealTurns();
    await this.#sink.end(null);
    this.#postState();
  }

  #addTurns(log: Uint8Array): void {
    if (this.#isBroken) return;
    try {
      this.#writer.append(log, this.#options.timers.unixMs());
    } catch (error) {
      void this.#stopForGood(`turns cannot be encoded: ${textOfError(error)}`);
      return;
    }
    this.#takePieces();
    this.#endFullSegment();
    if (this.#sink.isLog) this.#sealTurns();
    else this.#flushTimer ??= this.#options.timers.after(FLUSH_MS, () => this.#sealTurns());
  }

  #postStored(): void {
    if (this.#digests.length === 0) return;
    const { waitingBytes, newest } = this.#sink;
    // The clock of turns may have been set back since.
    this.#postTaken(0, waitingBytes === 0 ? Number.POSITIVE_INFINITY : (newest?.ts ?? 0));
  }

  /** Posts that bytes were taken, with the digests of turns up to a time, unix milliseconds. */
  #postTaken(bytes: number, untilMs: number): void {
    const later = this.#digests.findIndex(({ tsMs }) => tsMs > untilMs);
    const digests = this.#digests.splice(0, later < 0 ? this.#digests.length : later);
    this.#options.post({ kind: 'taken', bytes, digests });
  }

  /** Passes on all appended turns. */
  #sealTurns(): void {
    this.#flushTimer?.cancel();
    this.#flushTimer = null;
    this.#writer.flush();
    this.#takePieces();
  }

  #takePieces(): void {
    for (const piece of this.#writer.takePieces()) this.#sink.pushPiece(piece);
  }

  async #flush(id: number): Promise<void> {
    if (!this.#isBroken) this.#sealTurns();
    await this.#sink.settle();
    this.#postState();
    const isWhole = !this.#isBroken && this.#sink.state === 'writing';
    this.#options.post({ kind: 'flushed', id, isWhole });
  }

  #endFullSegment(): void {
    const { segment, updates, accounts, bytes, checkpointBytes } = this.#writer.status();
    const tailBytesMax = Math.min(
      Math.max(this.#segmentBytesMax, checkpointBytes),
      this.#tailBytesMax,
    );
    const nowMs = this.#options.timers.nowMs();
    if (segment !== this.#segment) {
      this.#segment = segment;
      this.#segmentAtMs = nowMs;
    }
    const isFull =
      updates >= segmentUpdatesMax(accounts) ||
      bytes - checkpointBytes >= tailBytesMax ||
      nowMs - this.#segmentAtMs >= SEGMENT_MS_MAX;
    if (!isFull || this.#askedSegment === segment) return;
    this.#askedSegment = segment;
    this.#options.post({ kind: 'checkpointDue' });
  }

  async #stopForGood(reason: string): Promise<void> {
    if (!this.#isBroken) {
      this.#isBroken = true;
      this.#flushTimer?.cancel();
      await this.#sink.end(reason);
      this.#options.post({ kind: 'refused', code: 'JOURNAL_FAILED', message: reason });
    }
  }

  #planStats(): void {
    this.#statsTimer = this.#options.timers.after(STATS_MS, () => {
      this.#postState();
      this.#planStats();
    });
  }

  #postState(): void {
    const { post } = this.#options;
    const sink = this.#sink;
    const { state, reason, newest, bytes, waitingBytes = 0 } = sink;
    const events = { ...sink.counts };
    const stats = { state, reason, newest, bytes, waitingBytes, events };
    post({ kind: 'state', stats, listing: sink.listing() });
  }
}

/**
 * Returns the maximum number of account updates of a segment, by the number of accounts in its
 * checkpoint.
 */
export function segmentUpdatesMax(accounts: number): number {
  return Math.max(SEGMENT_UPDATES_MIN, SEGMENT_UPDATES_PER_ACCOUNT * accounts);
}

/** A small total limit makes small segments. */
function segmentBytesMax(bytesMax: number): number {
  if (bytesMax === 0) return SEGMENT_BYTES_MAX;
  const share = Math.floor(bytesMax / SEGMENTS_IN_LIMIT);
  return Math.min(SEGMENT_BYTES_MAX, Math.max(SEGMENT_BYTES_MIN, share));
}
