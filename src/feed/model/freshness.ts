import type { FeedState } from '../../contract/feed-status.js';

/** After how many milliseconds without a slot the book is called what it is. */
export interface FeedTiming {
  readonly laggingAfterMs: number;
  readonly staleAfterMs: number;
}

/** The state of a complete book whose last slot arrived this long ago. */
export function freshnessOf(sinceSlotMs: number, timing: FeedTiming): FeedState {
  if (sinceSlotMs >= timing.staleAfterMs) return 'stale';
  return sinceSlotMs >= timing.laggingAfterMs ? 'lagging' : 'live';
}
