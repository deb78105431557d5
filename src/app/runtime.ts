import type { Logger } from 'pino';
import type { Timers } from '../contract/timers.js';

/** Dependencies of every part of a service. */
export interface Runtime {
  readonly log: Logger;
  readonly timers: Timers;
}
