import type { FeedState, Readiness } from '../contract/feed-status.js';
import type { JournalMoment } from '../contract/journal-source.js';
import type { Timer, Timers } from '../contract/timers.js';
import { EngineError } from '../engine/errors.js';
import { type JournalUntil, lostEndError } from '../engine/journal-reader.js';
import { nextTurn, sleep } from '../rpc/timers.js';
import { BookPublisher, type PublishedBook } from './book-publisher.js';
import { PLAYER_SLICE_TURNS, REPLAY_WATCH_MS } from './model/limits.js';
import { holeOf, isUnreadable, type ReplayHole } from './replay-hole.js';
import { ReplayClock } from './replays/replay-clock.js';
import { JournalPlayer } from './store/journal-player.js';
import { isNextFile, type SegmentInfo } from './store/segment-info.js';

/** The error of a file that the index skips, because its head is unreadable. */
const NO_HEAD = new EngineError('MALFORMED_JOURNAL', 'its head cannot be read (at byte 0)');

/** The input of a replay, and its listeners. */
export interface JournalReplayerOptions extends PublishedBook {
  readonly folder: string;
  /** Segments of one process in order; a file that is missing among them has an unreadable head. */
  readonly segments: readonly SegmentInfo[];
  /** Speed factor; 0 for the engine's maximum. */
  readonly speed: number;
  /** The moment at which the book stops; undefined plays all segments. */
  readonly until?: JournalUntil | undefined;
  /**
   * Whether the segment must have a later moment; when it has none, the end of its file is lost.
   */
  readonly isBeforeEnd?: boolean;
  /** Returns the freshness of a live book by the milliseconds since its last slot. */
  readonly freshness: (ageMs: number) => FeedState;
  /**
   * Called once: when the book is live for the first time, or at the end of a book that never was
   * live.
   */
  readonly onFirstLive?: (() => void) | undefined;
  readonly onEnd?: () => void;
  /** Called for a damaged file; the replay continues at the next checkpoint. */
  readonly onHole?: (hole: ReplayHole) => void;
}

/** Statistics of a replay, for metrics. */
interface JournalReplayerStats {
  readonly replayedTurns: number;
  readonly replayedBytes: number;
  readonly replayedHoles: number;
}

/**
 * Replays a journal into an engine turn by turn, at the recorded times; for the service it is a
 * feed like any other. Bodies are byte-equal to the recorded ones.
 *
 * At the end the last book stays. A live book becomes `lagging` and `stale` after the usual times,
 * because no more slots arrive; a book that was requested by its moment, or was never live, keeps
 * its state.
 */
export class JournalReplayer {
  readonly #options: JournalReplayerOptions;
  readonly #timers: Timers;
  readonly #stop = new AbortController();
  readonly #clock: ReplayClock;
  readonly #publisher: BookPublisher;
  #player: JournalPlayer | null = null;
  #everLive = false;
  #ended = false;
  /** Whether the book stays at its requested moment. */
  #standsStill = false;
  #slot = 0;
  #slotAtMs = 0;
  #turns = 0;
  #holes = 0;
  #isBehindHole = false;
  #watch: Timer | null = null;

  constructor(options: JournalReplayerOptions) {
    this.#options = options;
    this.#timers = options.timers;
    this.#clock = new ReplayClock(options.speed);
    this.#publisher = new BookPublisher(options);
  }

  /**
   * Plays to the end; resolves at the end or after a stop. A damaged file leaves a hole, after
   * which the book restarts from the next checkpoint. Rejects with an EngineError when the last
   * file is damaged, or the book differs from the written one; the turns before were played.
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

  /** Time since the journal's last slot. */
  slotAgeMs(): number {
    return this.#timers.nowMs() - this.#slotAtMs;
  }

  stats(): JournalReplayerStats {
    return {
      replayedTurns: this.#turns,
      replayedBytes: this.#player?.bytesRead ?? 0,
      replayedHoles: this.#holes,
    };
  }

  async #playSegments(): Promise<void> {
    const { folder, engine, segments } = this.#options;
    const [first] = segments;
    if (first === undefined) return;
    const player = new JournalPlayer({ folder, segment: first, engine });
    this.#player = player;
    try {
      for (const [index, segment] of segments.entries()) {
        // The book is already at the checkpoint, and its readers keep their topics.
        if (index > 0) this.#isBehindHole ? player.goTo(segment) : player.continueWith(segment);
        const after = segments[index + 1];
        const isNext = after === undefined || isNextFile(segment, after);
        const damage = await this.#playSegment(player, isNext ? after : undefined);
        if (damage !== null && after === undefined) throw damage;
        if (after === undefined) continue;
        if (damage !== null) this.#noteHole(segment.number, after, damage);
        else if (!isNext) this.#noteHole(segment.number + 1, after, NO_HEAD);
      }
    } finally {
      player.close();
    }
  }

  /**
   * Plays a segment. Returns the reason when its file could not be played up to the start of the
   * next file; otherwise null.
   */
  async #playSegment(
    player: JournalPlayer,
    next: SegmentInfo | undefined,
  ): Promise<EngineError | null> {
    const { until, isBeforeEnd = false } = this.#options;
    try {
      if (until === undefined) await this.#playTurns(player);
      else if (await this.#playUntil(player, until)) return null;
      const isLost = until !== undefined && isBeforeEnd;
      return isLost ? lostEndError(player.reader) : player.findLostEnd(next);
    } catch (error) {
      if (isUnreadable(error)) return error;
      throw error;
    }
  }

  #noteHole(number: number, next: SegmentInfo, damage: EngineError): void {
    this.#holes += 1;
    this.#isBehindHole = true;
    this.#clock.begin();
    this.#options.onHole?.(holeOf(damage, { number, next, fromSlot: this.#slot }));
  }

  /**
   * Applies all turns up to the requested moment, in slices; returns true when the moment is
   * reached.
   */
  async #playUntil(player: JournalPlayer, until: JournalUntil): Promise<boolean> {
    for (;;) {
      const played = player.at({ ...until, turnsMax: PLAYER_SLICE_TURNS });
      this.#noteMoment(player);
      if (played !== 'paused') return played === 'reached';
      await this.#yieldLoop();
    }
  }

  /** Plays a file to its end, each turn at its time. */
  async #playTurns(player: JournalPlayer): Promise<void> {
    for (;;) {
      const moment = player.nextMoment();
      if (moment !== null) await this.#waitFor(moment);
      await this.#publisher.whenPublished();
      const step = player.next();
      if (step.kind === 'moreBytes') return;
      this.#noteMoment(player);
      if (step.kind === 'checkpoint') this.#publishRestored();
      if (step.kind !== 'turn') continue;
      this.#turns += 1;
      this.#publisher.publishTurn({ changes: step.turn, mark: step.mark });
      if (this.#options.engine.state === 'live') this.#noteLive();
    }
  }

  /** Waits until a turn of this moment is due. Rejects when the replay is stopped. */
  async #waitFor(moment: JournalMoment): Promise<void> {
    this.#clock.expectTurn(moment, this.#timers.nowMs());
    const waitMs = this.#clock.dueMs - this.#timers.nowMs();
    if (waitMs >= 1) await sleep(this.#timers, waitMs, this.#stop.signal);
    await this.#yieldLoop();
  }

  /** Yields to the event loop. Rejects when the replay is stopped. */
  async #yieldLoop(): Promise<void> {
    await nextTurn(this.#timers);
    this.#stop.signal.throwIfAborted();
  }

  #noteMoment({ reader }: JournalPlayer): void {
    const { slot } = reader.position();
    if (slot !== this.#slot) this.#slotAtMs = this.#timers.nowMs();
    this.#slot = slot;
  }

  /** Ends the replay. The last book is served in any state, because no other book follows. */
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

  /** Publishes the book after a hole: the topics of all markets restart from the checkpoint. */
  #publishRestored(): void {
    if (!this.#isBehindHole) return;
    this.#isBehindHole = false;
    this.#publisher.publishWhole();
  }

  /**
   * Publishes a change that the journal does not mark: the topics of all markets show the last
   * book.
   */
  #publishAll(): void {
    const changes = this.#publisher.moveBook().endTurn(this.#timers.unixMs());
    this.#publisher.publishTurn({ changes, mark: this.#publisher.markOfAll() });
  }

  #noteLive(): void {
    if (this.#everLive) return;
    this.#everLive = true;
    this.#options.onFirstLive?.();
  }

  /**
   * Updates the freshness after the end: a live book ages like the book of a feed without slots.
   */
  #updateFreshness(): void {
    const { engine, freshness } = this.#options;
    if (engine.state !== 'live' && engine.state !== 'lagging') return;
    const state = freshness(this.slotAgeMs());
    if (state !== 'live' && state !== engine.state) {
      this.#publisher.moveBook().setState(state);
      this.#publishAll();
    }
    this.#watch = this.#timers.after(REPLAY_WATCH_MS, () => this.#updateFreshness());
  }
}
