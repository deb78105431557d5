/** The parameters that name a market. */
import type { MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo, MarketKey, MarketType } from '../../contract/markets.js';
import { quoteValue, ServerError } from '../transport/errors.js';
import { findNamed } from './market-directory.js';

/** The parameters of a market. */
interface MarketParams {
  readonly marketName?: string | undefined;
  readonly marketIndex?: number | undefined;
  readonly marketType?: MarketType | undefined;
}

/** Finds a market by its name, by type and index, or by all of them, which must be of one market. */
export function selectMarket(params: MarketParams, markets: MarketDirectory): MarketInfo {
  const { marketName, marketIndex, marketType } = params;
  if (marketName !== undefined) return selectNamed(marketName, params, markets);
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

function selectNamed(
  name: string,
  { marketIndex: index, marketType: type }: MarketParams,
  markets: MarketDirectory,
): MarketInfo {
  const found = findNamed(markets, { name, type, index });
  if (found !== undefined) return found;
  const named = markets.findMarket(name) ?? throwUnknownMarket(name, 'marketName');
  const param = index === undefined ? 'marketType' : 'marketIndex';
  const asked = [type, index].filter((part) => part !== undefined).join(' ');
  const message =
    `marketName was ${quoteValue(name)}, which is ${named.marketType} ${named.marketIndex}, ` +
    `must be the market of ${param}, which is ${asked}`;
  throw new ServerError('INVALID_PARAM', message, param);
}

/** The error of a parameter that the others need. */
export function missingParamError(param: string, message: string): ServerError {
  return new ServerError('MISSING_PARAM', message, param);
}

/** Throws the error for a parameter that names an unknown market. */
export function throwUnknownMarket(name: string, param: string): never {
  throw new ServerError('UNKNOWN_MARKET', `there is no market ${quoteValue(name)}`, param);
}

/** The key of a market. */
export function keyOf({ marketType, marketIndex }: Pick<MarketInfo, 'marketType' | 'marketIndex'>) {
  return `${marketType}_${marketIndex}` as MarketKey;
}

/** The key of the market of a name. Throws UNKNOWN_MARKET. */
export function marketOf(symbol: string, markets: MarketDirectory): MarketKey {
  return keyOf(markets.findMarket(symbol) ?? throwUnknownMarket(symbol, 'symbol'));
}
