/** The parameters that name a market. */
import type { MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo, MarketKey } from '../../contract/markets.js';
import { quoteValue, ServerError } from '../transport/errors.js';

/**
 * Finds a market by name, or by index and type. Index and type are checked even when the name
 * decides.
 */
export function selectMarket(
  named: {
    readonly marketName?: string;
    readonly marketIndex?: number;
    readonly marketType?: 'perp' | 'spot';
  },
  markets: MarketDirectory,
): MarketInfo {
  const { marketName, marketIndex, marketType } = named;
  if (marketName !== undefined) {
    return markets.findMarket(marketName) ?? throwUnknownMarket(marketName, 'marketName');
  }
  if (marketIndex === undefined && marketType === undefined) {
    throw missingParamError(
      'marketName',
      'marketName, or marketIndex and marketType, must be given',
    );
  }
  if (marketIndex === undefined)
    throw missingParamError('marketIndex', 'marketType needs a marketIndex');
  if (marketType === undefined)
    throw missingParamError('marketType', 'marketIndex needs a marketType');
  const found = markets
    .markets()
    .find((row) => row.marketIndex === marketIndex && row.marketType === marketType);
  return found ?? throwUnknownMarket(`${marketType} ${marketIndex}`, 'marketIndex');
}

/** Returns the error for a missing parameter that the given parameters require. */
export function missingParamError(param: string, message: string): ServerError {
  return new ServerError('MISSING_PARAM', message, param);
}

/** Throws the error for a parameter that names an unknown market. */
export function throwUnknownMarket(name: string, param: string): never {
  throw new ServerError('UNKNOWN_MARKET', `there is no market ${quoteValue(name)}`, param);
}

/** The market of a name. Throws UNKNOWN_MARKET. */
export function marketOf(symbol: string, markets: MarketDirectory): MarketKey {
  const { marketType, marketIndex } =
    markets.findMarket(symbol) ?? throwUnknownMarket(symbol, 'symbol');
  return `${marketType}_${marketIndex}`;
}
