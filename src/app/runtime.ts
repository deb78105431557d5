import type { Logger } from 'pino';
import type { Timers } from '../contract/timers.js';
import type { Log } from '../rpc/log.js';

/** Dependencies of a feed. */
export interface FeedRuntime {
  readonly log: Log;
  readonly timers: Timers;
}

/** Dependencies of every part of a service. */
export interface Runtime extends FeedRuntime {
  readonly log: Logger;
}
