import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import type { TurnChanges } from '../contract/feed-engine.js';
import type { FeedState, Readiness } from '../contract/feed-status.js';
import type { MarkPublisher, PublishMark } from '../contract/publish-mark.js';
import type { Timer, Timers } from '../contract/timers.js';
import type { Engine } from '../engine/engine.js';
import { EngineError } from '../engine/errors.js';
import { JournalReader, type JournalUntil, lostEndError } from '../engine/journal-reader.js';
import { REPLAY_READ_BYTES, REPLAY_WATCH_MS } from './model/limits.js';
import { holeOf, isUnreadable, type ReplayHole } from './replay-hole.js';
import { ReplayPace } from './replay-pace.js';
import { findLostEnd } from './store/lost-end.js';
import { isNextFile, type SegmentInfo } from './store/segment-info.js';
import { segmentName } from './store/segment-name.js';

/** A mark for topics of all intervals. */
const ALL_CLASSES = 0xff;

/** Of a file without which the index goes on. */
const NO_HEAD = new EngineError('MALFORMED_JOURNAL', 'its head cannot be read (at byte 0)');

/** What a replay plays, and whom it tells. */
export interface JournalReplayerOptions {
  readonly folder: string;
  readonly programId: string;
  /** Segments of one process in their order: of files that are missing between them not even the head can be read. */
  readonly segments: readonly SegmentInfo[];
  /** A new one. */
  readonly engine: Engine;
  /** How many times faster than it was; 0 is as fast as the engine. */
  readonly speed: number;
  /** The moment at which the book is to stand still; undefined plays all. */
  readonly until?: JournalUntil | undefined;
  /** Whether the segment has a later moment, so that the end of its file is lost where it does not. */
  readonly isBeforeEnd?: boolean;
  /** How fresh a live book is without a slot for so many milliseconds. */
  readonly freshness: (ageMs: number) => FeedState;
  /** After each turn. */
  readonly onTurn?: ((turn: TurnChanges, mark: PublishMark) => void) | undefined;
  /** Makes the frames of a mark: the next turn waits for them. */
  readonly publisher?: MarkPublisher | undefined;
  /** Once, when the book is live for the first time, or is the last one without ever having been live. */
  readonly onFirstLive?: (() => void) | undefined;
  /** All is played. */
  readonly onEnd?: () => void;
  /** A file is damaged, and the replay goes on at the checkpoint of the next one. */
  readonly onHole?: (hole: ReplayHole) => void;
  readonly timers: Timers;
}

/** What a replay did, for metrics. */
export interface JournalReplayerStats {
  readonly replayedTurns: number;
  readonly replayedBytes: number;
  readonly replayedHoles: number;
}

/**
 * Plays a journal into an engine, as a feed like any other, a turn at a time, paced by when each turn ended. Bodies equal
 * those that were served byte for byte.
 *
 * After the end the last book stays. One that was live becomes `lagging` and `stale` after the usual times, because no slots
 * come any more; a book that was asked for by its moment, or that never was live, stays as it was.
 */
export class JournalReplayer {
  readonly #options: JournalReplayerOptions;
  readonly #timers: Timers;
  readonly #stop = new AbortController();
  readonly #pace: ReplayPace;
  #reader: JournalReader;
  #everLive = false;
  #ended = false;
  /** Whether the book is served as it was at its moment, and nothing comes any more. */
  #standsStill = false;
  #slot = 0;
  #slotAtMs = 0;
  #turns = 0;
  #bytes = 0;
  #holes = 0;
  #isBehindHole = false;
  #watch: Timer | null = null;

  constructor(options: JournalReplayerOptions) {
    this.#options = options;
    this.#timers = options.timers;
    this.#reader = new JournalReader(options.programId);
    this.#pace = new ReplayPace(options.speed, this.#timers, this.#stop.signal);
  }

  /**
   * Plays to the end. Resolves there, or after a stop. What a damaged file has lost is a hole, behind which the book is that of the
   * next checkpoint. Rejects with an EngineError of the place where the last file is damaged, or the book is not the one that was
   * written; what came before was played.
   */
  async start(): Promise<void> {
    try {
      await this.#playSegments();
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
      return;
    }
    this.#end();
  }

  /** Ends the replay; the engine keeps its book. */
  stop(): void {
    this.#watch?.cancel();
    this.#stop.abort();
  }

  status(): Readiness {
    const { state } = this.#options.engine;
    const hasEnded = this.#ended && !this.#standsStill;
    const reason = hasEnded ? 'the journal has ended' : `the book of the journal was ${state}`;
    return {
      everLive: this.#everLive,
      state: this.#everLive ? state : 'starting',
      reason: state === 'live' && this.#everLive ? null : reason,
      slot: this.#slot,
      standsStill: this.#standsStill,
    };
  }

  /** Time since a slot came out of the journal. */
  slotAgeMs(): number {
    return this.#timers.nowMs() - this.#slotAtMs;
  }

  stats(): JournalReplayerStats {
    return {
      replayedTurns: this.#turns,
      replayedBytes: this.#bytes,
      replayedHoles: this.#holes,
    };
  }

  async #playSegments(): Promise<void> {
    const { programId, segments } = this.#options;
    for (const [index, segment] of segments.entries()) {
      this.#reader = new JournalReader(programId);
      // The book stands where the checkpoint is, and its readers keep their topics.
      if (index > 0 && !this.#isBehindHole) this.#reader.goOn();
      const after = segments[index + 1];
      const isNext = after === undefined || isNextFile(segment, after);
      const damage = await this.#playSegment(segment, isNext ? after : undefined);
      if (damage !== null && after === undefined) throw damage;
      if (after === undefined) continue;
      if (damage !== null) this.#noteHole(segment.number, after, damage);
      else if (!isNext) this.#noteHole(segment.number + 1, after, NO_HEAD);
    }
  }

  /** Returns why a file could not be played to where the next one begins; null when it was. */
  async #playSegment(
    { number }: SegmentInfo,
    next: SegmentInfo | undefined,
  ): Promise<EngineError | null> {
    const { folder, engine, until, isBeforeEnd = false } = this.#options;
    const file = await open(path.join(folder, segmentName(number)), 'r');
    try {
      const isReached = await this.#playFile(file);
      if (isReached) return null;
      const isLost = until !== undefined && isBeforeEnd;
      const reader = this.#reader;
      return isLost ? lostEndError(reader) : findLostEnd({ engine, reader }, next);
    } catch (error) {
      if (isUnreadable(error)) return error;
      throw error;
    } finally {
      await file.close();
    }
  }

  #noteHole(number: number, next: SegmentInfo, damage: EngineError): void {
    this.#holes += 1;
    this.#isBehindHole = true;
    this.#pace.begin();
    this.#options.onHole?.(holeOf(damage, { number, next, fromSlot: this.#slot }));
  }

  /** Plays a file to its end; true when the moment that was asked for is reached. */
  async #playFile(file: FileHandle): Promise<boolean> {
    for (;;) {
      const bytes = Buffer.allocUnsafeSlow(REPLAY_READ_BYTES);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, null);
      this.#stop.signal.throwIfAborted();
      if (bytesRead === 0) return false;
      this.#bytes += bytesRead;
      this.#reader.pushBytes(bytes.subarray(0, bytesRead));
      if (this.#options.until === undefined) await this.#playTurns();
      else if (this.#playUntil(this.#options.until)) return true;
    }
  }

  /** Applies all up to the moment that was asked for; true when it is reached. */
  #playUntil(until: JournalUntil): boolean {
    const { engine } = this.#options;
    for (;;) {
      const { kind } = engine.readJournal(this.#reader, until);
      this.#noteMoment();
      if (kind === 'moreBytes') return false;
      if (kind === 'reached') return true;
    }
  }

  /** Plays what the reader has, each turn when it is due. */
  async #playTurns(): Promise<void> {
    const { engine } = this.#options;
    for (;;) {
      const moment = this.#reader.nextMoment();
      if (moment !== null) await this.#pace.waitFor(moment);
      await this.#whenPublished();
      const step = engine.readJournal(this.#reader);
      if (step.kind === 'moreBytes') return;
      this.#noteMoment();
      if (step.kind === 'checkpoint') this.#publishRestored();
      if (step.kind !== 'turn') continue;
      this.#turns += 1;
      this.#options.onTurn?.(step.turn, step.mark);
      if (engine.state === 'live') this.#noteLive();
    }
  }

  async #whenPublished(): Promise<void> {
    const { publisher } = this.#options;
    if (publisher?.isPublishing !== true) return;
    await new Promise<void>((resolve) => publisher.onceFinished(resolve));
  }

  #noteMoment(): void {
    const { slot } = this.#reader.position();
    if (slot !== this.#slot) this.#slotAtMs = this.#timers.nowMs();
    this.#slot = slot;
  }

  /** The last book is served whatever its state is: no other one comes. */
  #end(): void {
    const { until, onEnd } = this.#options;
    this.#ended = true;
    this.#slotAtMs = this.#timers.nowMs();
    this.#standsStill = until !== undefined || !this.#everLive;
    if (until === undefined) this.#publishAll();
    this.#noteLive();
    onEnd?.();
    if (!this.#standsStill) this.#updateFreshness();
  }

  /** Behind a hole the topics of all markets begin again with the book of the checkpoint. */
  #publishRestored(): void {
    if (!this.#isBehindHole) return;
    this.#isBehindHole = false;
    const dirty = this.#options.engine.markets().map(({ id }) => id);
    const changes = { dirty, requoted: [], indicated: [], allChanged: true };
    const turn = { ...changes, problems: [], marketsChanged: true };
    this.#options.onTurn?.(turn, this.#markOfAll());
  }

  /** Publishes what no mark of the journal has: the topics of all markets show the last book. */
  #publishAll(): void {
    const { engine, onTurn } = this.#options;
    onTurn?.(engine.endTurn(this.#timers.unixMs()), this.#markOfAll());
  }

  #markOfAll(): PublishMark {
    return this.#options.engine.markets().map(({ id }) => ({ market: id, classes: ALL_CLASSES }));
  }

  #noteLive(): void {
    if (this.#everLive) return;
    this.#everLive = true;
    this.#options.onFirstLive?.();
  }

  /** After the end a live book grows old as that of a feed without slots does. */
  #updateFreshness(): void {
    const { engine, freshness } = this.#options;
    if (engine.state !== 'live' && engine.state !== 'lagging') return;
    const state = freshness(this.slotAgeMs());
    if (state !== 'live' && state !== engine.state) {
      engine.setState(state);
      this.#publishAll();
    }
    this.#watch = this.#timers.after(REPLAY_WATCH_MS, () => this.#updateFreshness());
  }
}
