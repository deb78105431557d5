/**
 * The external venues for spot takers; none by default. Only `/match` uses their levels; no book
 * contains them.
 */
import type { AggregatorConfig } from '../config/config.js';
import type { VenueStats } from '../contract/venue-stats.js';
import { Aggregator } from '../venues/aggregator.js';
import { type PricedMarket, type VenueLevels, venueMarkets } from '../venues/venue.js';
import { VenuePoller, type VenuePollerOptions } from '../venues/venue-poller.js';

/** The source of the markets, and the consumer of their levels. */
interface VenueBook {
  markets(): readonly PricedMarket[];
  setExternalLevels(market: number, levels: VenueLevels): void;
}

/** The running venues. */
export interface ExternalVenues {
  start(): void;
  stop(): void;
  stats(): readonly VenueStats[];
}

/**
 * Returns the configured venues; `served` are the names of the markets that clients may request.
 */
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
    intervalMs,
    maxAgeMs,
    ...runtime,
  });
  return {
    start: () => poller.start(),
    stop: () => poller.stop(),
    stats: () => [poller.stats()],
  };
}

/** Returns whether a market's name is in a list, in any case; an empty list contains all names. */
function namedIn(names: readonly string[]): (symbol: string) => boolean {
  const known = new Set(names.map((name) => name.toUpperCase()));
  return (symbol) => known.size === 0 || known.has(symbol.toUpperCase());
}
