/** External venues in /metrics and /status. */

import type { VenueStats } from '../../contract/venue-stats.js';
import { type MetricSeries, seriesOf } from './series.js';

/** A venue in the body of /status. */
export function venueStatus({ name, host, markets }: VenueStats): Record<string, unknown> {
  const rounded = (ageMs: number | null): number | null =>
    ageMs === null ? null : Math.max(0, Math.round(ageMs));
  return { name, host, markets: markets.map((row) => ({ ...row, ageMs: rounded(row.ageMs) })) };
}

/** The series of all venues. */
export function venueSeries(venues: () => readonly VenueStats[]): readonly MetricSeries[] {
  return seriesOf(venues, [
    [
      'venue_markets{state}',
      'Spot markets of external venues: those whose levels are used, and those left out.',
      (all) => {
        const markets = all.flatMap((venue) => venue.markets);
        const used = markets.filter((market) => market.used).length;
        return { used, leftOut: markets.length - used };
      },
    ],
    [
      'venue_events_total{event}',
      'Requests to external venues, polls of their markets, and markets left out.',
      (all) => sumCounts(all, ({ events }) => events),
    ],
    [
      'venue_failures_total{code}',
      'Markets of external venues left out, by code.',
      (all) => sumCounts(all, ({ failures }) => failures),
    ],
  ]);
}

function sumCounts(
  venues: readonly VenueStats[],
  countsOf: (venue: VenueStats) => Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const [name, count] of venues.flatMap((venue) => Object.entries(countsOf(venue)))) {
    sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}
