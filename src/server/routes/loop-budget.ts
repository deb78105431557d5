/**
 * The share of the event loop that large answers get. The feed, the WebSockets and small answers go on
 * between their steps, however many clients ask for them at once.
 */
import { LIMITS } from '../../config/limits.js';
import { ServerError } from '../transport/errors.js';

/** Work in steps of well below a millisecond, of which the last answers the result. */
export type Steps<T> = Iterator<undefined, T>;

/** Work that cannot be parted. */
export function oneStep<T>(work: () => T): Steps<T> {
  return { next: () => ({ done: true, value: work() }) };
}

interface Job {
  /** Whether the client has left, so that nobody waits for the result. */
  readonly isGone: () => boolean;
  /** Goes on until the work is done or the share used up; answers whether it is done. */
  readonly advance: () => boolean;
}

/** Does one piece of work after the other, some milliseconds in each turn of the event loop. */
export class LoopBudget {
  readonly #waiting: Job[] = [];
  #usedMs = 0;
  #isTurnAwaited = false;

  /** `sliceMs` is what a turn may be used for; the step that reaches it is the last of the turn. */
  constructor(
    private readonly sliceMs: number = LIMITS.largeAnswerSliceMs,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Whether work may be done at once: this turn has some share left, and nobody waits for it. */
  get isOpen(): boolean {
    return this.#waiting.length === 0 && this.#usedMs < this.sliceMs;
  }

  /** Does the work at once, and counts its time. */
  runNow<T>(work: () => T): T {
    const beganMs = this.nowMs();
    try {
      return work();
    } finally {
      this.#usedMs += this.nowMs() - beganMs;
      this.#awaitTurn();
    }
  }

  /**
   * Does the work behind all that waits: at once where it can be, and else over the next turns. Work
   * whose client has left by then is never done, and its promise never settles.
   *
   * # Errors
   * LIMIT_EXCEEDED when too much waits already.
   */
  runSteps<T>(steps: Steps<T>, isGone: () => boolean = neverGone): T | Promise<T> {
    if (this.isOpen) {
      const result = this.#advance(steps);
      if (result !== undefined) return result.value;
    }
    if (this.#waiting.length >= LIMITS.largeAnswersWaitingMax) {
      const message = 'too many large answers are being made; ask again, or for less';
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
      this.#waiting.push({ isGone, advance: advanceSteps });
      this.#awaitTurn();
    });
  }

  #advance<T>(steps: Steps<T>): IteratorReturnResult<T> | undefined {
    while (this.#usedMs < this.sliceMs) {
      const result = this.runNow(() => steps.next());
      if (result.done === true) return result;
    }
    return undefined;
  }

  #awaitTurn(): void {
    if (this.#isTurnAwaited) return;
    this.#isTurnAwaited = true;
    setImmediate(() => this.#takeTurn());
  }

  /** One answer is finished in a turn at most, because sending it takes its time as well. */
  #takeTurn(): void {
    this.#isTurnAwaited = false;
    this.#usedMs = 0;
    while (this.#waiting[0]?.isGone() === true) this.#waiting.shift();
    if (this.#waiting[0]?.advance() === true) this.#waiting.shift();
    if (this.#waiting.length > 0) this.#awaitTurn();
  }
}

function neverGone(): boolean {
  return false;
}
