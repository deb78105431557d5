/** The parameters that name a market. */
import type { MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo, MarketKey } from '../../contract/markets.js';
import { quoteValue, ServerError } from '../transport/errors.js';

/** Finds a market: a name wins over index and type, which have been checked all the same. */
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

/** The error of a parameter that the others need. */
export function missingParamError(param: string, message: string): ServerError {
  return new ServerError('MISSING_PARAM', message, param);
}

/** Refuses a market that does not exist, named by this parameter. */
export function throwUnknownMarket(name: string, param: string): never {
  throw new ServerError('UNKNOWN_MARKET', `there is no market ${quoteValue(name)}`, param);
}

/** The market of a name. Throws UNKNOWN_MARKET. */
export function marketOf(symbol: string, markets: MarketDirectory): MarketKey {
  const { marketType, marketIndex } =
    markets.findMarket(symbol) ?? throwUnknownMarket(symbol, 'symbol');
  return `${marketType}_${marketIndex}`;
}
