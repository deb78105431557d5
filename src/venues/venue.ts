/**
 * What a venue outside of the chain's program is to the service: levels for a spot market.
 */
import type { MarketInfo } from '../contract/markets.js';
import { TOKEN_DECIMALS_MAX, VENUE_MARKETS_MAX } from './limits.js';

/** A spot market as a venue sees it. */
export interface VenueMarket {
  /** The book's number of the market. */
  readonly id: number;
  readonly symbol: string;
  /** The mint of what is traded, and its decimals. */
  readonly base: Token;
  /** The mint of what it is priced in, and its decimals. */
  readonly quote: Token;
}

/** A token by its mint (base58). */
export interface Token {
  readonly mint: string;
  /** Decimals of an amount of it, 0 to 19. */
  readonly decimals: number;
}

/** So much at this price. */
export interface VenueLevel {
  /** Quote for one whole base, at 1e6, above 0. */
  readonly price: bigint;
  /** Base at 1e9, above 0. */
  readonly size: bigint;
}

/** Levels of both sides, best first. A taker buys at asks and sells at bids. */
export interface VenueLevels {
  readonly bids: readonly VenueLevel[];
  readonly asks: readonly VenueLevel[];
}

/** Levels as they were fetched. */
export interface VenueSnapshot extends VenueLevels {
  /** When the oldest part of them was requested, by the monotonic clock that the venue was given. */
  readonly askedMs: number;
}

/** A place where a spot taker may trade besides the exchange's own book. */
export interface Venue {
  /** For metrics and logs; it holds no key. */
  readonly name: string;
  /**
   * The levels of a market as of now.
   *
   * # Errors
   * VenueError, when any part of them cannot be had or makes no sense.
   */
  fetchLevels(market: VenueMarket, signal: AbortSignal): Promise<VenueSnapshot>;
}

/** A market as the book lists it; its object may hold more. */
export type PricedMarket = Pick<
  MarketInfo,
  'id' | 'symbol' | 'marketType' | 'marketIndex' | 'decimals' | 'mint' | 'emptyReason'
>;

/** The index of the spot market whose token every other one is priced in. */
const QUOTE_MARKET_INDEX = 0;

/**
 * The spot markets that are traded and wanted by name, each with its two tokens. None while the
 * market of the quote asset has not been seen.
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
  const [base, quote] = [tokenOf(row), tokenOf(quoteRow)];
  if (base === null || quote === null || base.mint === quote.mint) return [];
  return [{ id: row.id, symbol: row.symbol, base, quote }];
}

function tokenOf({ mint, decimals }: PricedMarket): VenueMarket['base'] | null {
  return mint === null || decimals > TOKEN_DECIMALS_MAX ? null : { mint, decimals };
}
