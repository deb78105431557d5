/**
 * The venues outside of the chain that spot takers may also trade at, built here for `start-service.ts`: none
 * unless one is configured. Their levels go to `/match` only, never into a book.
 */
import type { AggregatorConfig } from '../config/config.js';
import type { VenueStats } from '../contract/venue-stats.js';
import { Aggregator } from '../venues/aggregator.js';
import { type PricedMarket, type VenueLevels, venueMarkets } from '../venues/venue.js';
import { VenuePoller, type VenuePollerOptions } from '../venues/venue-poller.js';

/** Where the markets come from, and where their levels go. */
export interface VenueBook {
  markets(): readonly PricedMarket[];
  setExternalLevels(market: number, levels: VenueLevels): void;
}

/** What runs beside the feed. */
export interface ExternalVenues {
  start(): void;
  stop(): void;
  stats(): readonly VenueStats[];
}

/** The venues of a configuration; `served` are the names of the markets that clients may request. */
export function externalVenues(
  config: {
    readonly aggregator?: AggregatorConfig | undefined;
    readonly markets: readonly string[];
  },
  book: VenueBook,
  runtime: Pick<VenuePollerOptions, 'log' | 'timers'>,
): ExternalVenues {
  const { aggregator, markets: served } = config;
  if (aggregator === undefined) return { start: () => {}, stop: () => {}, stats: () => [] };
  const { intervalMs, maxAgeMs, markets: names } = aggregator;
  const isNamed = namedIn(served);
  const isAsked = namedIn(names);
  const poller = new VenuePoller({
    venue: new Aggregator({ ...aggregator, timers: runtime.timers }),
    markets: () => venueMarkets(book.markets(), (symbol) => isNamed(symbol) && isAsked(symbol)),
    onLevels: ({ id }, levels) => book.setExternalLevels(id, levels),
    ...{ intervalMs, maxAgeMs, ...runtime },
  });
  return {
    start: () => poller.start(),
    stop: () => poller.stop(),
    stats: () => [poller.stats()],
  };
}

/** Whether a market is in a list of names, in any case; an empty list has them all. */
function namedIn(names: readonly string[]): (symbol: string) => boolean {
  const known = new Set(names.map((name) => name.toUpperCase()));
  return (symbol) => known.size === 0 || known.has(symbol.toUpperCase());
}
