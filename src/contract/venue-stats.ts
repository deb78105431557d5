/** What a venue counts, and which of its levels are used. */
export interface VenueStats {
  readonly name: string;
  /** Host and port, without any path or key. */
  readonly host: string;
  /** Counts since the start, by what happened. */
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
  /** Age of the oldest of them; null while the market is left out. */
  readonly ageMs: number | null;
  /** Why the market is left out; null when it is not, or was not polled yet. */
  readonly reason: string | null;
}
