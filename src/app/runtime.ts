import type { Logger } from 'pino';
import type { Timers } from '../contract/timers.js';

/** What every part of a service is passed. */
export interface Runtime {
  readonly log: Logger;
  readonly timers: Timers;
}
