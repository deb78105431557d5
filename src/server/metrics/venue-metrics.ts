/** External venues in /metrics and /status. */

import type { VenueStats } from '../../contract/venue-stats.js';
import type { MetricSeries } from './series.js';

/** A venue in the body of /status. */
export function venueStatus({ name, host, markets }: VenueStats): Record<string, unknown> {
  const rounded = (ageMs: number | null): number | null =>
    ageMs === null ? null : Math.max(0, Math.round(ageMs));
  return { name, host, markets: markets.map((row) => ({ ...row, ageMs: rounded(row.ageMs) })) };
}

/** The series of all venues. */
export function venueSeries(venues: () => readonly VenueStats[]): readonly MetricSeries[] {
  return [
    {
      kind: 'gauge',
      name: 'slotbook_venue_markets',
      help: 'Spot markets of external venues: those whose levels are used, and those left out.',
      label: 'state',
      read: () => {
        const markets = venues().flatMap((venue) => venue.markets);
        const used = markets.filter((market) => market.used).length;
        return { used, leftOut: markets.length - used };
      },
    },
    {
      kind: 'counter',
      name: 'slotbook_venue_events_total',
      help: 'Requests to external venues, polls of their markets, and markets left out.',
      label: 'event',
      read: () => sumCounts(venues(), ({ events }) => events),
    },
    {
      kind: 'counter',
      name: 'slotbook_venue_failures_total',
      help: 'Markets of external venues left out, by code.',
      label: 'code',
      read: () => sumCounts(venues(), ({ failures }) => failures),
    },
  ];
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
