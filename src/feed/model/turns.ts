import type { FeedEngine } from '../../contract/feed-engine.js';
import type { FeedState } from '../../contract/feed-status.js';
import type { EndedTurn, MarkPublisher } from '../../contract/publish-mark.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { nextTurn } from '../../rpc/timers.js';
import type { ChainClock } from './chain-clock.js';
import { PublishMarks } from './publish-marks.js';

/** Dependencies of turns, and the callbacks after them. */
interface TurnsOptions {
  readonly engine: FeedEngine;
  readonly clock: ChainClock;
  readonly timers: Timers;
  /** The service's interval between two frames of a topic, milliseconds. */
  readonly streamIntervalMs: number;
  /** Whether a leaf of the signed log is due, for which all changes are published. */
  readonly isLeafDue?: (() => boolean) | undefined;
  /**
   * Renders the frames of publish marks; until they are rendered, input waits in the engine's
   * batch.
   */
  readonly publisher?: MarkPublisher | undefined;
  readonly onTurn: (turn: EndedTurn) => void;
  /** Called after a requested turn with the seconds since the turn's first request. */
  readonly onApplied?: ((seconds: number) => void) | undefined;
}

/**
 * Ends one turn of the engine in each turn of the event loop: the first request schedules it, and
 * it includes everything that arrives until the loop has read its sockets. A turn waits until the
 * previous turn's frames are rendered, unless it must end immediately: then they are rendered
 * first.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #marks: PublishMarks;
  #planned: Timer | null = null;
  #requestedAtMs = 0;
  #slot = -1;
  #unixSeconds = -1;
  #state: FeedState | null = null;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#marks = new PublishMarks({ ...options, onDue: () => this.#publishWaiting() });
  }

  get state(): FeedState | null {
    return this.#state;
  }

  /**
   * Returns the engine for a change of the book, after rendering the remaining frames of the last
   * turn.
   */
  moveBook(): FeedEngine {
    this.#options.publisher?.finishMark();
    return this.#options.engine;
  }

  /**
   * Ends a turn as soon as the event loop has read its sockets, or immediately when too many
   * updates wait.
   */
  requestTurn(): void {
    if (this.#options.engine.isFull) {
      this.runTurn();
      return;
    }
    if (this.#planned !== null) return;
    const { timers } = this.#options;
    this.#requestedAtMs = timers.nowMs();
    this.#planned = timers.soon(() => this.#whenPublished(() => this.runRequested()));
  }

  /** Ends a turn now. */
  runTurn(): void {
    const { clock } = this.#options;
    const isRequested = this.#planned !== null;
    this.cancelRequest();
    const engine = this.moveBook();
    const slot = clock.slot;
    const unixSeconds = clock.unixSeconds();
    if (slot !== this.#slot || unixSeconds !== this.#unixSeconds) {
      this.#slot = slot;
      this.#unixSeconds = unixSeconds;
      engine.setClock(slot, unixSeconds);
    }
    this.#endTurn(isRequested ? this.#requestedAtMs : null);
  }

  /** Waits for the event loop's next turn, and until the last turn's frames are rendered. */
  async nextTurn(): Promise<void> {
    await nextTurn(this.#options.timers);
    await new Promise<void>((resolve) => this.#whenPublished(resolve));
  }

  /** Ends a requested turn immediately; the engine then has all notifications. */
  runRequested(): void {
    if (this.#planned !== null) this.runTurn();
  }

  /** Ends a requested turn, but first waits until the last turn's frames are rendered. */
  finishRequested(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenPublished(() => {
        this.runRequested();
        resolve();
      });
    });
  }

  /** Returns whether the chain's time has advanced since the last turn. */
  clockMoved(): boolean {
    const { clock } = this.#options;
    return clock.slot !== this.#slot || clock.unixSeconds() !== this.#unixSeconds;
  }

  /**
   * Sets the state that all bodies contain; a change ends a turn of its own. Returns whether it
   * changed.
   */
  changeState(state: FeedState): boolean {
    if (state === this.#state) return false;
    this.#state = state;
    this.moveBook().setState(state);
    this.runTurn();
    return true;
  }

  cancelRequest(): void {
    this.#planned?.cancel();
    this.#planned = null;
  }

  stop(): void {
    this.cancelRequest();
    this.#marks.stop();
  }

  #endTurn(requestedAtMs: number | null): void {
    const { timers, onApplied, onTurn } = this.#options;
    const changes = this.moveBook().endTurn(timers.unixMs());
    const nowMs = timers.nowMs();
    if (requestedAtMs !== null) onApplied?.((nowMs - requestedAtMs) / 1_000);
    const mark = this.#marks.takeMark(changes);
    onTurn({ changes, mark, receivedAtMs: requestedAtMs ?? nowMs });
  }

  /**
   * Ends a turn for delayed publications, unless a turn is scheduled; the chain's time is updated
   * by the next turn.
   */
  #publishWaiting(): void {
    this.#whenPublished(() => {
      if (this.#planned === null) this.#endTurn(null);
    });
  }

  #whenPublished(run: () => void): void {
    const { publisher } = this.#options;
    if (publisher === undefined) run();
    else publisher.onceFinished(run);
  }
}
