import type { FeedEngine, TurnChanges } from '../../contract/feed-engine.js';
import type { FeedState } from '../../contract/feed-status.js';
import type { MarkPublisher, PublishMark } from '../../contract/publish-mark.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { nextTurn } from '../../rpc/timers.js';
import type { ChainClock } from './chain-clock.js';
import { MarkedTurns } from './marked-turns.js';

/** Dependencies of turns, and the callbacks after them. */
export interface TurnsOptions {
  readonly engine: FeedEngine;
  readonly clock: ChainClock;
  readonly timers: Timers;
  /** The service's interval between two frames of a topic. */
  readonly streamIntervalMs: number;
  /** Renders the frames: input waits for it, in the engine's batch. */
  readonly publisher?: MarkPublisher | undefined;
  readonly onTurn: (turn: TurnChanges, mark: PublishMark) => void;
  /** Called after a requested turn: the seconds since the turn's first request. */
  readonly onApplied?: ((seconds: number) => void) | undefined;
}

/**
 * Ends one engine turn per turn of the event loop: the first request schedules it, and it includes
 * everything that arrives until the loop has read its sockets. A turn waits until the previous
 * turn's frames are rendered, unless it must end immediately: then they are rendered first.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #marked: MarkedTurns;
  /**
   * Waiters for the last turn's frames: the scheduled turn, delayed publications, a rebuild or an
   * audit, and a probe.
   */
  readonly #waiting: (() => void)[] = [];
  #planned: Timer | null = null;
  #requestedAtMs = 0;
  #slot = -1;
  #unixSeconds = -1;
  #state: FeedState | null = null;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#marked = new MarkedTurns({ ...options, onDue: () => this.#publishWaiting() });
  }

  get state(): FeedState | null {
    return this.#state;
  }

  /** Ends a turn as soon as the loop has read its sockets. */
  requestTurn(): void {
    if (this.#planned !== null) return;
    const { timers } = this.#options;
    this.#requestedAtMs = timers.nowMs();
    this.#planned = timers.soon(() => this.#whenPublished(() => this.runRequested()));
  }

  /** Ends a turn now. */
  runTurn(): void {
    const { engine, clock, timers, onApplied } = this.#options;
    const requested = this.#planned !== null;
    this.cancelRequest();
    const slot = clock.slot;
    const unixSeconds = clock.unixSeconds();
    if (slot !== this.#slot || unixSeconds !== this.#unixSeconds) {
      this.#slot = slot;
      this.#unixSeconds = unixSeconds;
      engine.setClock(slot, unixSeconds);
    }
    this.#marked.endTurn(timers.unixMs(), () => {
      if (requested) onApplied?.((timers.nowMs() - this.#requestedAtMs) / 1_000);
    });
  }

  /** Waits for the loop's next turn, and until the last turn's frames are rendered. */
  async nextTurn(): Promise<void> {
    await nextTurn(this.#options.timers);
    await new Promise<void>((resolve) => this.#whenPublished(resolve));
  }

  /** Ends a requested turn now: the engine then has all notifications. */
  runRequested(): void {
    if (this.#planned !== null) this.runTurn();
  }

  /** The same, but waits until the last turn's frames are rendered. */
  finishRequested(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenPublished(() => {
        this.runRequested();
        resolve();
      });
    });
  }

  /** Whether the chain's time has moved since the last turn. */
  clockMoved(): boolean {
    const { clock } = this.#options;
    return clock.slot !== this.#slot || clock.unixSeconds() !== this.#unixSeconds;
  }

  /** Sets the state of all bodies; a change ends a separate turn. True when it changed. */
  changeState(state: FeedState): boolean {
    if (state === this.#state) return false;
    this.#state = state;
    this.#options.engine.setState(state);
    this.runTurn();
    return true;
  }

  cancelRequest(): void {
    this.#planned?.cancel();
    this.#planned = null;
  }

  stop(): void {
    this.cancelRequest();
    this.#marked.stop();
  }

  /** Ends a turn for delayed publications, unless one is scheduled; the chain's time is left to the next. */
  #publishWaiting(): void {
    this.#whenPublished(() => {
      if (this.#planned === null) this.#marked.endTurn(this.#options.timers.unixMs());
    });
  }

  #whenPublished(run: () => void): void {
    if (this.#waiting.length === 0 && this.#options.publisher?.isPublishing !== true) {
      run();
      return;
    }
    this.#waiting.push(run);
    if (this.#waiting.length === 1) this.#awaitPublisher();
  }

  #awaitPublisher(): void {
    this.#options.publisher?.onceFinished(() => this.#resumeNext());
  }

  /** Each waiter may render frames, so that it gets its own turn of the loop. */
  #resumeNext(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length === 0) return;
    this.#options.timers.soon(() => this.#awaitPublisher());
  }
}
