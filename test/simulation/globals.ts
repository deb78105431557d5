/**
 * Puts virtual time in the place of the process's own: timers, clocks and random numbers of every module
 * that is loaded. A process that simulates does nothing else, so nothing is ever put back.
 */
import { setMaxListeners } from 'node:events';
import { PerformanceObserver } from 'node:perf_hooks';
import type { Random } from '../../src/sim/random.js';
import { type PlannedEvent, type VirtualTime, WORLD } from './virtual-time.js';

/** The wall clock at the start of every run, unix milliseconds: the chain's time as well. */
export const START_UNIX_MS = 1_795_000_000_000;

/** What the process reads now; each run sets it. */
export interface Machine {
  readonly time: VirtualTime;
  readonly random: Random;
  /** By how much the wall clock of the service is wrong, in milliseconds. */
  wallErrorMs: number;
}

let machine: Machine | null = null;

/** The machine of the present run. */
export function currentMachine(): Machine {
  if (machine === null) throw new Error('Invariant: a run has begun');
  return machine;
}

/** Begins a run: the process reads these from now on. */
export function useMachine(next: Machine): void {
  machine = next;
}

/** A handle as setTimeout and its like return it. */
class TimerHandle {
  planned: PlannedEvent | null = null;
  readonly #plan: () => void;

  /** `plan` plans the call, now and at each refresh. */
  constructor(plan: (handle: TimerHandle) => void) {
    this.#plan = () => plan(this);
    this.#plan();
  }

  refresh(): this {
    this.planned?.cancel();
    this.#plan();
    return this;
  }

  unref(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

type Run = (...values: never[]) => void;

/** The timers of the process, by their names: they are those of the present run's time. */
export const virtualTimers = {
  setTimeout: (run: Run, delayMs = 1, ...values: never[]) =>
    new TimerHandle((handle) => {
      const atMs = Math.max(1, delayMs || 0);
      handle.planned = currentMachine().time.plan(atMs, () => run(...values));
    }),
  setInterval: (run: Run, everyMs = 1, ...values: never[]) => {
    const { time } = currentMachine();
    return new TimerHandle((handle) => {
      handle.planned = time.plan(Math.max(1, everyMs || 0), () => {
        handle.refresh();
        run(...values);
      });
    });
  },
  setImmediate: (run: Run, ...values: never[]) =>
    new TimerHandle((handle) => {
      handle.planned = currentMachine().time.planImmediate(() => run(...values));
    }),
  clearTimeout: cancelHandle,
  clearInterval: cancelHandle,
  clearImmediate: cancelHandle,
};

function cancelHandle(handle: unknown): void {
  if (handle instanceof TimerHandle) handle.planned?.cancel();
}

/** A number from 0 to below 1, of the present run's chance. */
export function chance(): number {
  return currentMachine().random.nextBelow(2 ** 32) / 2 ** 32;
}

/** Replaces the process's time and chance. */
export function installGlobals(): void {
  Object.assign(globalThis, virtualTimers, { Date: VirtualDate });
  Object.defineProperty(performance, 'now', { value: () => currentMachine().time.readMs() });
  Object.assign(Math, { random: chance });
  setMaxListeners(0);
  Object.assign(AbortSignal, { timeout: abortAfter, any: abortWithAny });
  // The observers of a killed service would keep all of it.
  Object.assign(PerformanceObserver.prototype, { observe: () => undefined });
}

/** A signal that aborts by the present run's time. */
export function abortAfter(delayMs: number): AbortSignal {
  const controller = new AbortController();
  currentMachine().time.plan(delayMs, () => {
    controller.abort(new DOMException('The operation timed out', 'TimeoutError'));
  });
  return controller.signal;
}

/**
 * Node keeps its own for ever while somebody listens, and with it all of a killed service that waits. Here
 * the signals keep it, and one that lives long has many.
 */
export function abortWithAny(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => {
    for (const signal of signals) signal.removeEventListener('abort', abort);
    controller.abort(signals.find(({ aborted }) => aborted)?.reason);
  };
  if (signals.some(({ aborted }) => aborted)) abort();
  else {
    setMaxListeners(0, ...signals);
    for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
  }
  return controller.signal;
}

const RealDate = globalThis.Date;

/** The world knows the time; the service reads the wall clock of its machine, which may be wrong. */
function wallMs(): number {
  const { time, wallErrorMs } = currentMachine();
  const errorMs = time.owner === WORLD ? 0 : wallErrorMs;
  return Math.floor(START_UNIX_MS + time.nowMs + errorMs);
}

/** The wall clock of the present run. */
export class VirtualDate extends RealDate {
  constructor(...parts: [] | ConstructorParameters<typeof RealDate>) {
    if (parts.length === 0) super(wallMs());
    else super(...(parts as ConstructorParameters<typeof RealDate>));
  }

  static override now(): number {
    return wallMs();
  }
}
