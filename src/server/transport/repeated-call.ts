import type { Timer, Timers } from '../../contract/timers.js';

/**
 * Calls again and again at a steady pace: each call is planned from when the one before was due, so that
 * delays do not add up. `run` is passed how many calls are due: more than one after a pause of the
 * process, which are one call.
 */
export function repeatCall(
  timers: Timers,
  intervalMs: number,
  run: (dueCount: number) => void,
): Timer {
  let dueMs = timers.nowMs() + intervalMs;
  const planNext = (): Timer => timers.after(Math.ceil(dueMs - timers.nowMs()), callDue);
  const callDue = (): void => {
    const lateMs = Math.max(0, timers.nowMs() - dueMs);
    const dueCount = 1 + Math.floor(lateMs / intervalMs);
    dueMs += dueCount * intervalMs;
    timer = planNext();
    run(dueCount);
  };
  let timer = planNext();
  return { cancel: () => timer.cancel() };
}
