import type { Timers } from '../../contract/timers.js';
import { withTimeLimit } from '../../rpc/timers.js';
import { OTHER_CLOCK_MS_MAX } from '../model/limits.js';

/** Reads from a node other than the one in use; null when the node fails or hangs. */
export function readOther<Value>(
  timers: Timers,
  signal: AbortSignal,
  read: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | null> {
  return withTimeLimit({ timers, limitMs: OTHER_CLOCK_MS_MAX, signal }, read).catch(() => null);
}
