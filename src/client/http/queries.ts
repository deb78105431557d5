/** Pages and spans of time. */

/** Records, newest first. */
export interface Page<T> {
  readonly records: readonly T[];
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null;
}

/** A period up to now, or a range of 1 to 24 whole hours (unix seconds, end exclusive). */
export type VolumeSpan =
  | '1h'
  | '24h'
  | '30d'
  | { readonly startTs: number; readonly endTs: number };
