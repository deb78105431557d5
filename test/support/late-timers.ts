import type { Timer } from '../../src/contract/timers.js';
import { ManualTimers } from './manual-timers.js';

/** Manual time on a busy machine: timers fire late by this much. */
export class LateTimers extends ManualTimers {
  lateMs = 0;

  override after(delayMs: number, run: () => void): Timer {
    return super.after(Math.max(0, delayMs) + this.lateMs, run);
  }
}
