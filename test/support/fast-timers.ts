import { systemTimers, type Timers } from '../../src/rpc/timers.js';

/** Time in which a second is 20 ms: for waits of the feed beside a real socket. */
export const fastTimers: Timers = {
  nowMs: () => performance.now() * 50,
  after: (delayMs, run) => systemTimers.after(delayMs / 50, run),
};
