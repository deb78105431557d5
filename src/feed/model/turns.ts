import type { FeedEngine, TurnChanges } from '../../contract/feed-engine.js';
import type { FeedState } from '../../contract/feed-status.js';
import type { MarkPublisher, PublishMark } from '../../contract/publish-mark.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { nextTurn } from '../../rpc/timers.js';
import type { ChainClock } from './chain-clock.js';
import { MarkedTurns } from './marked-turns.js';

/** What a turn needs, and the callbacks after it. */
export interface TurnsOptions {
  readonly engine: FeedEngine;
  readonly clock: ChainClock;
  readonly timers: Timers;
  /** The service's own interval between two frames of a topic. */
  readonly streamIntervalMs: number;
  /** Who makes the frames: input waits for it, in the batch of the engine. */
  readonly publisher?: MarkPublisher | undefined;
  readonly onTurn: (turn: TurnChanges, mark: PublishMark) => void;
  /** After a turn that was requested: the seconds since the request, the first one of the turn. */
  readonly onApplied?: ((seconds: number) => void) | undefined;
}

/**
 * Ends one engine turn per turn of the event loop: the first request plans it, and everything that
 * arrives until the loop has read its sockets is part of it. A turn waits until the frames of the one
 * before are made, unless it has to end at once: then they are made at once.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #marked: MarkedTurns;
  /** Who waits for the frames of the last turn: the turn that is planned, what had to wait, a rebuild or an audit, and a probe. */
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

  /** Waits for the loop's next turn, and until the frames of the last turn are made. */
  async nextTurn(): Promise<void> {
    await nextTurn(this.#options.timers);
    await new Promise<void>((resolve) => this.#whenPublished(resolve));
  }

  /** Ends a turn now if one was requested: the engine then has all that was notified. */
  runRequested(): void {
    if (this.#planned !== null) this.runTurn();
  }

  /** The same, once the frames of the last turn are made: they are not made at once. */
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

  /** Sets the state of all bodies; a change is a turn of its own. True when it changed. */
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

  /** Ends no turn any more by itself. */
  stop(): void {
    this.cancelRequest();
    this.#marked.stop();
  }

  /** Ends a turn for what had to wait, unless one is planned; the chain's time is left to the next. */
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

  /** Each may make frames, so that a turn of the loop is for one of them. */
  #resumeNext(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length === 0) return;
    this.#options.timers.soon(() => this.#awaitPublisher());
  }
}
