/** Past moments, and the events of a replay between its books. */

/** A slot, a time in Unix milliseconds, or the market's sequence number in one run of the book. */
export type PastMoment =
  | { readonly slot: number; readonly epoch?: string }
  | { readonly ts: number; readonly epoch?: string }
  | { readonly epoch: string; readonly seq: number };

/** The end of a turn of the book. */
export interface TurnMoment {
  readonly slot: number;
  /** Unix milliseconds. */
  readonly ts: number;
}

/** Options of a replay. */
export interface ReplayOptions {
  readonly from: PastMoment;
  /** How many times faster than it was, 1 to 1,000; 1 by default. */
  readonly speed?: number;
  /** Where it ends; without it, it becomes the live book. */
  readonly until?: PastMoment;
  /** Ends it; loops throw ABORTED. */
  readonly signal?: AbortSignal;
}

/** An event between books, as in docs/streaming.md. */
export type ReplayEvent =
  /** Nothing is stored between the two moments; the next book is the later one's. */
  | {
      readonly type: 'hole';
      readonly from: TurnMoment;
      readonly to: TurnMoment;
      readonly reason: 'restart' | 'stopped' | 'damaged';
    }
  /** No other book follows, unless it is sent elsewhere. */
  | ({ readonly type: 'ended'; readonly reason: 'until' | 'end' } & TurnMoment)
  /** The books from here on are live. */
  | { readonly type: 'live'; readonly epoch: string; readonly seq: number };

/** The end of a replay that is at its beginning: with a slot or a time an epoch is not sent. */
export function endOf(moment: PastMoment): PastMoment {
  if ('slot' in moment) return { slot: moment.slot };
  return 'ts' in moment ? { ts: moment.ts } : moment;
}
