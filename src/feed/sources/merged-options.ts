import type { Timers } from '../../contract/timers.js';
import type { Log } from '../../rpc/log.js';
import type { FeedSource } from '../model/feed-source.js';
import type { Witness } from './repeated-readings.js';

/** What a merge is made of, and what a test may replace. */
export interface MergedSourcesOptions {
  readonly sources: readonly FeedSource[];
  /** Who reads accounts about which sources disagree. */
  readonly witnesses?: readonly Witness[];
  readonly timers: Timers;
  readonly random?: () => number;
  readonly log?: Log;
}
