import type { Timer, Timers } from '../../src/contract/timers.js';
import { systemTimers } from '../../src/rpc/timers.js';

/**
 * A pause of the process counts for at most this time, so that waiting input is read before more
 * time passes.
 */
const STEP_MS_MAX = 5;
const SPEED = 50;

interface Planned {
  readonly atMs: number;
  readonly run: () => void;
}

let passedMs = 0;
let seenMs = performance.now();
const planned = new Set<Planned>();
let tick: NodeJS.Timeout | null = null;

/**
 * Milliseconds in which this process ran: never faster than the clock, and a pause of a busy machine
 * counts as {@link STEP_MS_MAX}. It passes while a timer is planned, or while it is looked at.
 */
function steadyMs(): number {
  const nowMs = performance.now();
  passedMs += Math.min(nowMs - seenMs, STEP_MS_MAX);
  seenMs = nowMs;
  return passedMs;
}

/**
 * Accelerated time in which a second takes 20 ms, for waits on a real socket within this process: a
 * pause of the machine does not make replies late.
 */
export const fastTimers: Timers = {
  ...systemTimers,
  nowMs: () => steadyMs() * SPEED,
  after: (delayMs, run): Timer => {
    const one = { atMs: steadyMs() + delayMs / SPEED, run };
    planned.add(one);
    schedule();
    return { cancel: () => void planned.delete(one) };
  },
};

function schedule(): void {
  const next = earliest();
  if (next === null) return;
  clearTimeout(tick ?? undefined);
  tick = setTimeout(runDue, Math.min(next.atMs - steadyMs(), STEP_MS_MAX));
}

/** Runs due timers; timers set by them run after the next turn of the event loop. */
function runDue(): void {
  const nowMs = steadyMs();
  for (let next = earliest(); next !== null && next.atMs <= nowMs; next = earliest()) {
    planned.delete(next);
    next.run();
  }
  schedule();
}

function earliest(): Planned | null {
  let first: Planned | null = null;
  for (const one of planned) if (first === null || one.atMs < first.atMs) first = one;
  return first;
}
