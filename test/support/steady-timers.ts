import type { Timer, Timers } from '../../src/contract/timers.js';
import { systemTimers } from '../../src/rpc/timers.js';

/** What a pause of the process counts at most: what waits for it comes in before more time has passed. */
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
 * Time in which a second is 20 ms, for waits of code whose other side is in this process, on a real socket: a machine
 * that stands still does not make an answer late.
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

/** Runs what is due now; what that plans comes after the next turn of the loop. */
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
