/** Pages and spans of time. */

/** Records, newest first. */
export interface Page<T> {
  readonly records: readonly T[];
  /** Where the next page begins; null when this is the last. */
  readonly nextCursor: string | null;
}

/** The time up to now, or whole hours (unix seconds, the second exclusive): 1 to 24 of them. */
export type VolumeSpan =
  | '1h'
  | '24h'
  | '30d'
  | { readonly startTs: number; readonly endTs: number };
