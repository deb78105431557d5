/**
 * All replays of one thread. Due replays work in turn, each for a small slice, and the thread rests
 * in between, which leaves the machine to the live book and its readers.
 */
import type { ReplayRefusal } from '../../contract/replay-source.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { MomentFinder } from '../as-of/moment-finder.js';
import {
  REPLAY_BOOK_BYTES_MAX,
  REPLAY_HEARTBEAT_MS,
  REPLAY_SLICE_MS,
  REPLAY_STILL_MS_MAX,
  REPLAY_WORK_SHARE,
  WARM_USER_BYTES,
} from '../model/limits.js';
import type { FromReplays, JournalFiles, ToReplays } from '../model/messages.js';
import { Outbox } from './outbox.js';
import { ReplayFailure } from './replay-failure.js';
import { TopicReplay } from './topic-replay.js';

/** The dependencies of a {@link ReplayHost}. */
interface ReplayHostOptions {
  readonly files: JournalFiles;
  readonly timers: Timers;
  readonly post: (message: FromReplays) => void;
}

interface Hosted {
  readonly outbox: Outbox;
  readonly replay: TopicReplay;
  /** The time since which the replay is paused and has got no command; null while it plays. */
  stillSinceMs: number | null;
}

/** Expensive messages, which may open a moment. */
type WorkMessage = Extract<ToReplays, { readonly kind: 'open' | 'command' }>;

/** The replays of one thread, by the numbers that the main thread gave them. */
export class ReplayHost {
  readonly #options: ReplayHostOptions;
  readonly #finder: MomentFinder;
  /** Each makes a step in its turn. */
  readonly #hosted = new Map<number, Hosted>();
  /** Messages handled in slices, in order. */
  readonly #waiting: WorkMessage[] = [];
  #timer: Timer | null = null;
  #heartbeat: Timer | null = null;
  #restedAtMs = 0;

  constructor(options: ReplayHostOptions) {
    this.#options = options;
    this.#finder = new MomentFinder(options.files);
  }

  receiveMessage(message: ToReplays): void {
    const { id, kind } = message;
    // A failed one may still receive messages.
    const hosted = this.#hosted.get(id);
    if (kind === 'open' || kind === 'command') this.#waiting.push(message);
    else if (kind === 'taken') hosted?.outbox.noteTaken(message.bytes);
    else if (kind === 'finish') hosted?.replay.finishJournal(message);
    else this.#forgetReplay(id, hosted);
    this.#scheduleSlice();
  }

  #handleWaiting(message: WorkMessage): void {
    if (message.kind === 'open') {
      this.#openReplay(message);
      return;
    }
    const { id, command, flushedMs } = message;
    const hosted = this.#hosted.get(id);
    if (hosted === undefined) return;
    hosted.stillSinceMs = null;
    const nowMs = this.#options.timers.nowMs();
    this.#guardReplay(id, hosted, () => hosted.replay.handleCommand(command, flushedMs, nowMs));
  }

  /** Removes a replay whose reader has gone; its pending commands are dropped. */
  #forgetReplay(id: number, hosted: Hosted | undefined): void {
    const others = this.#waiting.filter((message) => message.id !== id);
    this.#waiting.splice(0, this.#waiting.length, ...others);
    if (hosted !== undefined) this.#closeReplay(id, hosted);
    this.#options.post({ id, kind: 'closed' });
  }

  #openReplay({ id, request, flushedMs }: Extract<ToReplays, { readonly kind: 'open' }>): void {
    const { post, timers } = this.#options;
    const outbox = new Outbox((items) => post({ id, kind: 'items', items }));
    const parts = {
      finder: this.#finder,
      outbox,
      timers,
      onRestored: () => this.#requireRoom(),
      onEnd: (end: number) => {
        outbox.flush();
        post({ id, kind: 'atEnd', end });
      },
    };
    try {
      const replay = new TopicReplay(request, flushedMs, parts);
      this.#hosted.set(id, { outbox, replay, stillSinceMs: null });
    } catch (error) {
      if (!(error instanceof ReplayFailure)) throw error;
      outbox.sendEvent({ kind: 'failed', refusal: error.refusal });
    }
    this.#heartbeat ??= this.#options.timers.after(REPLAY_HEARTBEAT_MS, () =>
      this.#sendHeartbeats(),
    );
  }

  /**
   * Throws a ReplayFailure when all books exceed the memory limit; a single book is always allowed.
   */
  #requireRoom(): void {
    if (this.#hosted.size < 2) return;
    const users = [...this.#hosted.values()].reduce((sum, { replay }) => sum + replay.users, 0);
    if (users * WARM_USER_BYTES <= REPLAY_BOOK_BYTES_MAX) return;
    const message = `the books of all replays take more than ${REPLAY_BOOK_BYTES_MAX} bytes`;
    throw new ReplayFailure({ kind: 'busy', message });
  }

  /** Works for one slice of time, and schedules the next slice. */
  #runSlice(): void {
    const { timers } = this.#options;
    this.#timer = null;
    const startMs = timers.nowMs();
    let nowMs = startMs;
    for (let isIdle = false; !isIdle && nowMs - startMs < REPLAY_SLICE_MS; ) {
      const message = this.#waiting.shift();
      isIdle = message === undefined;
      if (message !== undefined) this.#handleWaiting(message);
      nowMs = message === undefined ? nowMs : timers.nowMs();
      for (const [id, hosted] of [...this.#hosted]) {
        if (hosted.replay.dueMs > nowMs) continue;
        isIdle = false;
        this.#guardReplay(id, hosted, () => hosted.replay.makeStep(nowMs));
        nowMs = timers.nowMs();
      }
    }
    for (const { outbox } of this.#hosted.values()) outbox.flush();
    this.#restedAtMs = nowMs + (nowMs - startMs) * (1 / REPLAY_WORK_SHARE - 1);
    this.#scheduleSlice();
  }

  #scheduleSlice(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const dues = [...this.#hosted.values()].map(({ replay }) => replay.dueMs);
    const dueMs = this.#waiting.length > 0 ? 0 : Math.min(...dues);
    if (dueMs === Number.POSITIVE_INFINITY) return;
    const { timers } = this.#options;
    const waitMs = Math.max(dueMs, this.#restedAtMs) - timers.nowMs();
    this.#timer = timers.after(Math.max(0, Math.ceil(waitMs)), () => this.#runSlice());
  }

  /** A failing replay ends; the others continue. */
  #guardReplay(id: number, hosted: Hosted, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof ReplayFailure)) throw error;
      this.#failReplay(id, hosted, error.refusal);
    }
  }

  #failReplay(id: number, hosted: Hosted, refusal: ReplayRefusal): void {
    hosted.outbox.sendEvent({ kind: 'failed', refusal });
    this.#closeReplay(id, hosted);
  }

  #closeReplay(id: number, { replay }: Hosted): void {
    this.#hosted.delete(id);
    replay.close();
  }

  #sendHeartbeats(): void {
    const { timers } = this.#options;
    this.#heartbeat = null;
    if (this.#hosted.size === 0) return;
    const nowMs = timers.nowMs();
    for (const [id, hosted] of [...this.#hosted]) this.#watchReplay(id, hosted, nowMs);
    this.#heartbeat = timers.after(REPLAY_HEARTBEAT_MS / 2, () => this.#sendHeartbeats());
  }

  #watchReplay(id: number, hosted: Hosted, nowMs: number): void {
    const { replay, outbox } = hosted;
    replay.sendHeartbeat(nowMs);
    outbox.flush();
    hosted.stillSinceMs = replay.isStill ? (hosted.stillSinceMs ?? nowMs) : null;
    if (nowMs - (hosted.stillSinceMs ?? nowMs) <= REPLAY_STILL_MS_MAX) return;
    const message = `the replay stood still for ${REPLAY_STILL_MS_MAX / 1_000} seconds, which is the limit`;
    this.#failReplay(id, hosted, { kind: 'busy', message });
  }
}
