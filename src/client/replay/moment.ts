/** Past moments, and the events of a replay between its books. */

/**
 * A past moment: a slot, a time in Unix milliseconds, or the market's sequence number in one epoch
 * of the book.
 */
export type PastMoment =
  | { readonly slot: number; readonly epoch?: string }
  | { readonly ts: number; readonly epoch?: string }
  | { readonly epoch: string; readonly seq: number };

/** The end of a turn of the book, which has a slot and a time. */
export interface TurnMoment {
  readonly slot: number;
  /** Unix milliseconds. */
  readonly ts: number;
}

/** Options of a replay. */
export interface ReplayOptions {
  readonly from: PastMoment;
  /** The speed relative to the recording, 1 to 1,000; 1 by default. */
  readonly speed?: number;
  /** The moment at which the replay ends; without it, the replay continues as the live book. */
  readonly until?: PastMoment;
  /** Ends it; loops throw ABORTED. */
  readonly signal?: AbortSignal;
}

/** An event between books, as in docs/streaming.md. */
export type ReplayEvent =
  /** The journal has nothing between the two moments; the next book is that of the later moment. */
  | {
      readonly type: 'hole';
      readonly from: TurnMoment;
      readonly to: TurnMoment;
      readonly reason: 'restart' | 'stopped' | 'damaged';
    }
  /** No other book follows, unless the replay seeks another moment. */
  | ({ readonly type: 'ended'; readonly reason: 'until' | 'end' } & TurnMoment)
  /** The books from here on are live. */
  | { readonly type: 'live'; readonly epoch: string; readonly seq: number };

/** Returns the moment as an end: without the epoch when the moment is a slot or a time. */
export function endOf(moment: PastMoment): PastMoment {
  if ('slot' in moment) return { slot: moment.slot };
  return 'ts' in moment ? { ts: moment.ts } : moment;
}
