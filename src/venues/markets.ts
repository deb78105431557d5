/** Which markets a venue may be asked for, from what the book knows of them. */
import { TOKEN_DECIMALS_MAX, VENUE_MARKETS_MAX } from './limits.js';
import type { VenueMarket } from './venue.js';

/** A market as the book tells of it; more may be known of it. */
export interface ListedMarket {
  readonly id: number;
  readonly symbol: string;
  readonly marketType: 'perp' | 'spot';
  readonly marketIndex: number;
  readonly decimals: number;
  readonly mint: string | null;
  /** Why it is not traded; null when it is. */
  readonly emptyReason: string | null;
}

/** The index of the spot market whose token every other one is priced in. */
const QUOTE_MARKET_INDEX = 0;

/**
 * The spot markets that are traded and wanted by name, each with its two tokens. None while the
 * market of the quote asset has not been seen.
 */
export function venueMarkets(
  markets: readonly ListedMarket[],
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

function marketOf(row: ListedMarket, quoteRow: ListedMarket): readonly VenueMarket[] {
  const [base, quote] = [tokenOf(row), tokenOf(quoteRow)];
  if (base === null || quote === null || base.mint === quote.mint) return [];
  return [{ id: row.id, symbol: row.symbol, base, quote }];
}

function tokenOf({ mint, decimals }: ListedMarket): VenueMarket['base'] | null {
  return mint === null || decimals > TOKEN_DECIMALS_MAX ? null : { mint, decimals };
}
