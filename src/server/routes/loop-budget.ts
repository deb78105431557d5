/**
 * The time that large replies may use in one turn of the event loop. The feed, the WebSockets and
 * small replies run between the steps of large replies, however many clients request them.
 */
import { LIMITS } from '../../config/limits.js';
import { ClientTurns, FairShare, type QueuedClient } from '../../contract/fair-share.js';
import type { Timers } from '../../contract/timers.js';
import { ServerError } from '../transport/errors.js';

/** A job in steps of well below a millisecond; the last step returns the result. */
export type Steps<T> = Iterator<undefined, T>;

/** Work that cannot be divided. */
export function oneStep<T>(work: () => T): Steps<T> {
  return { next: () => ({ done: true, value: work() }) };
}

interface LoopJob extends QueuedClient {
  /** Runs steps until the job is done or the budget is used up; returns whether the job is done. */
  readonly runSome: () => boolean;
}

/**
 * Runs one job after the other, a few milliseconds in each turn of the event loop. Clients take
 * turns, and none has more jobs than may still come.
 */
export class LoopBudget {
  readonly #waiting = new Set<LoopJob>();
  readonly #share = new FairShare(LIMITS.largeBodiesWaitingMax);
  readonly #turns = new ClientTurns();
  /** The job that has begun. */
  #running: LoopJob | undefined;
  #usedMs = 0;
  #isTurnAwaited = false;

  /**
   * The budget of a turn, milliseconds; the step that exceeds the budget is the last of the turn.
   */
  readonly #sliceMs: number;
  readonly #timers: Timers;

  constructor(timers: Timers, sliceMs: number = LIMITS.largeBodySliceMs) {
    this.#sliceMs = sliceMs;
    this.#timers = timers;
  }

  /** Whether a job may run immediately: this turn has budget left and no job is waiting. */
  get isOpen(): boolean {
    return this.#waiting.size === 0 && this.#usedMs < this.#sliceMs;
  }

  /** Runs the job immediately and counts its time. */
  runNow<T>(work: () => T): T {
    const beganMs = this.#timers.nowMs();
    try {
      return work();
    } finally {
      this.#usedMs += this.#timers.nowMs() - beganMs;
      this.#awaitTurn();
    }
  }

  /**
   * Runs the job after the waiting jobs: immediately when the budget allows, otherwise in later
   * turns. A job whose client has disconnected by then never runs, and its promise never settles.
   *
   * # Errors
   * Throws LIMIT_EXCEEDED when too many jobs wait already, of all clients or of this one.
   */
  runSteps<T>(steps: Steps<T>, of: QueuedClient = ALL_CLIENTS): T | Promise<T> {
    if (this.isOpen) {
      const result = this.#advance(steps);
      if (result !== undefined) return result.value;
    }
    if (!this.#share.take(of.client)) {
      const message = 'too many large replies are being made; retry later, or request less';
      throw new ServerError('LIMIT_EXCEEDED', message);
    }
    return new Promise((resolve, reject) => {
      const advanceSteps = (): boolean => {
        try {
          const result = this.#advance(steps);
          if (result !== undefined) resolve(result.value);
          return result !== undefined;
        } catch (error) {
          reject(error);
          return true;
        }
      };
      this.#waiting.add({ ...of, runSome: advanceSteps });
      this.#awaitTurn();
    });
  }

  #advance<T>(steps: Steps<T>): IteratorReturnResult<T> | undefined {
    while (this.#usedMs < this.#sliceMs) {
      const result = this.runNow(() => steps.next());
      if (result.done === true) return result;
    }
    return undefined;
  }

  #awaitTurn(): void {
    if (this.#isTurnAwaited) return;
    this.#isTurnAwaited = true;
    this.#timers.soon(() => this.#takeTurn());
  }

  /** Finishes at most one job in a turn, because sending its reply takes time as well. */
  #takeTurn(): void {
    this.#isTurnAwaited = false;
    this.#usedMs = 0;
    for (const job of this.#waiting) if (job.isGone()) this.#removeJob(job);
    this.#running ??= this.#turns.takeNext(this.#waiting);
    if (this.#running?.runSome() === true) this.#removeJob(this.#running);
    if (this.#waiting.size > 0) this.#awaitTurn();
  }

  #removeJob(job: LoopJob): void {
    this.#waiting.delete(job);
    this.#share.give(job.client);
    if (this.#running === job) this.#running = undefined;
  }
}

/** For a result that all clients share. */
const ALL_CLIENTS: QueuedClient = { client: undefined, isGone: () => false };
