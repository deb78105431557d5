/** Counters of a venue, and the use of its levels. */
export interface VenueStats {
  readonly name: string;
  /** Host and port of the venue, without any path or key. */
  readonly host: string;
  /** Counts since the start, by event. */
  readonly events: Readonly<Record<'requests' | 'readings' | 'failures', number>>;
  /** Failures by their code. */
  readonly failures: Readonly<Record<string, number>>;
  readonly markets: readonly VenueMarketStats[];
}

/** One market of a venue. */
export interface VenueMarketStats {
  readonly symbol: string;
  /** Whether its levels are used. */
  readonly used: boolean;
  /** Levels of both sides together. */
  readonly levels: number;
  /** Age of the oldest of the levels, milliseconds; null while the market is excluded. */
  readonly ageMs: number | null;
  /** The reason why the market is excluded; null when it is not, or before the first poll. */
  readonly reason: string | null;
}
