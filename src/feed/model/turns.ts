import type { FeedEngine, TurnChanges } from '../../contract/feed-engine.js';
import type { FeedState } from '../../contract/feed-status.js';
import type { ChainClock } from './chain-clock.js';

/** What a turn needs, and the callbacks after it. */
export interface TurnsOptions {
  readonly engine: FeedEngine;
  readonly clock: ChainClock;
  readonly wallMs: () => number;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
  readonly onTurn: (turn: TurnChanges) => void;
  /** After a turn that was requested: the seconds since the request, the first one of the turn. */
  readonly onApplied?: ((seconds: number) => void) | undefined;
}

/**
 * Ends one engine turn per turn of the event loop: the first request plans it, and everything that
 * arrives until the loop has read its sockets is part of it.
 */
export class Turns {
  readonly #options: TurnsOptions;
  #planned: NodeJS.Immediate | null = null;
  #requestedAtMs = 0;
  #slot = -1;
  #unixSeconds = -1;
  #state: FeedState | null = null;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  get state(): FeedState | null {
    return this.#state;
  }

  /** Ends a turn as soon as the loop has read its sockets. */
  requestTurn(): void {
    if (this.#planned !== null) return;
    this.#requestedAtMs = this.#options.nowMs();
    this.#planned = setImmediate(() => this.runTurn());
  }

  /** Ends a turn now. */
  runTurn(): void {
    const { engine, clock, wallMs, nowMs, onTurn, onApplied } = this.#options;
    const requested = this.#planned !== null;
    this.cancelRequest();
    const slot = clock.slot;
    const unixSeconds = clock.unixSeconds();
    if (slot !== this.#slot || unixSeconds !== this.#unixSeconds) {
      this.#slot = slot;
      this.#unixSeconds = unixSeconds;
      engine.setClock(slot, unixSeconds);
    }
    const turn = engine.endTurn(wallMs());
    if (requested) onApplied?.((nowMs() - this.#requestedAtMs) / 1_000);
    onTurn(turn);
  }

  /** Ends a turn now if one was requested: the engine then has all that was notified. */
  runRequested(): void {
    if (this.#planned !== null) this.runTurn();
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
    if (this.#planned !== null) clearImmediate(this.#planned);
    this.#planned = null;
  }
}
