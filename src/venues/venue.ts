/** The interface of a venue outside of the Drift program: it provides levels for a spot market. */
import type { MarketInfo } from '../contract/markets.js';
import { TOKEN_DECIMALS_MAX, VENUE_MARKETS_MAX } from './limits.js';

/** A spot market for a venue. */
export interface VenueMarket {
  /** The market's id in the book. */
  readonly id: number;
  readonly symbol: string;
  readonly base: Token;
  readonly quote: Token;
}

/** A token by its mint (base58). */
export interface Token {
  readonly mint: string;
  /** The decimals of the token's amounts, 0 to 19. */
  readonly decimals: number;
}

/** A size at a price. */
export interface VenueLevel {
  /** Quote for one whole unit of base, at 1e6, above 0. */
  readonly price: bigint;
  /** Base at 1e9, above 0. */
  readonly size: bigint;
}

/** Levels of both sides, best first. A taker buys at asks and sells at bids. */
export interface VenueLevels {
  readonly bids: readonly VenueLevel[];
  readonly asks: readonly VenueLevel[];
}

/** Levels with the time of their request. */
export interface VenueSnapshot extends VenueLevels {
  /** The time of the request for the oldest part of the levels, on the venue's monotonic clock. */
  readonly askedMs: number;
}

/** A place where a spot taker may trade besides the exchange's own book. */
export interface Venue {
  /** For metrics and logs; contains no key. */
  readonly name: string;
  /**
   * Fetches the current levels of a market.
   *
   * # Errors
   * Rejects with a VenueError when any part of the levels is unavailable or implausible.
   */
  fetchLevels(market: VenueMarket, signal: AbortSignal): Promise<VenueSnapshot>;
}

/** A market as the book lists it; the object may have more members. */
export type PricedMarket = Pick<
  MarketInfo,
  'id' | 'symbol' | 'marketType' | 'marketIndex' | 'decimals' | 'mint' | 'emptyReason'
>;

/** The index of the quote asset's spot market. */
const QUOTE_MARKET_INDEX = 0;

/**
 * Returns the traded spot markets with requested names, each with its two tokens; empty until the
 * quote asset's market is known.
 */
export function venueMarkets(
  markets: readonly PricedMarket[],
  isWanted: (symbol: string) => boolean,
): readonly VenueMarket[] {
  const spot = markets.filter(({ marketType }) => marketType === 'spot');
  const quote = spot.find(({ marketIndex }) => marketIndex === QUOTE_MARKET_INDEX);
  if (quote === undefined) return [];
  return spot
    .filter((row) => row !== quote && row.emptyReason === null && isWanted(row.symbol))
    .flatMap((row) => marketOf(row, quote))
    .slice(0, VENUE_MARKETS_MAX);
}

function marketOf(row: PricedMarket, quoteRow: PricedMarket): readonly VenueMarket[] {
  const base = tokenOf(row);
  const quote = tokenOf(quoteRow);
  if (base === null || quote === null || base.mint === quote.mint) return [];
  return [{ id: row.id, symbol: row.symbol, base, quote }];
}

function tokenOf({ mint, decimals }: PricedMarket): VenueMarket['base'] | null {
  return mint === null || decimals > TOKEN_DECIMALS_MAX ? null : { mint, decimals };
}
