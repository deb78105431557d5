import type { Timer, Timers } from '../../contract/timers.js';

/**
 * Calls `run` periodically. Each call is scheduled from the due time of the previous call, so
 * delays do not accumulate. `run` gets the number of due calls: after a pause of the process,
 * several due calls become one call.
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
