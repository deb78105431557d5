/** What external venues did, for /metrics and /status. */
export interface VenueStats {
  readonly name: string;
  /** Host and port, without any path or key. */
  readonly host: string;
  /** Counts since the start, by what happened. */
  readonly events: Readonly<Record<string, number>>;
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
  /** Why the market is left out; null when it is not, or was not read yet. */
  readonly reason: string | null;
}

/** A venue as /status shows it. */
export function venueStatus({ name, host, markets }: VenueStats): Record<string, unknown> {
  const rounded = (ageMs: number | null): number | null =>
    ageMs === null ? null : Math.max(0, Math.round(ageMs));
  return { name, host, markets: markets.map((row) => ({ ...row, ageMs: rounded(row.ageMs) })) };
}

/** Sums of a count over all venues, by its name. */
export function sumCounts(
  venues: readonly VenueStats[],
  countsOf: (venue: VenueStats) => Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const [name, count] of venues.flatMap((venue) => Object.entries(countsOf(venue)))) {
    sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}
