/**
 * What a bot or a web page needs to read the service: amounts, keys and errors.
 *
 * Decoding accounts and their read models is `@slotbook/client/accounts`; what follows the chain
 * itself is `@slotbook/client/chain`.
 */
export type { Amount, Base, Price, Quote, Tokens } from './amounts.js';
export {
  BASE_DECIMALS,
  formatBase,
  formatDecimal,
  formatPrice,
  formatQuote,
  PRICE_DECIMALS,
  parseBase,
  parseDecimal,
  parsePrice,
  parseQuote,
  parseRaw,
  QUOTE_DECIMALS,
  rawBase,
  rawPrice,
  rawQuote,
  rawTokens,
} from './amounts.js';
export { decodeAddress, encodeAddress, isAddress } from './base58.js';
export type { ClientErrorCode, ClientErrorContext } from './error.js';
export { ClientError } from './error.js';
export type { AccountId, AccountKey, MarketId, MarketKey, MarketType } from './keys.js';
export {
  accountIdOfKey,
  accountKey,
  isSameMarket,
  marketId,
  marketIdOfKey,
  marketKey,
  perpMarket,
  spotMarket,
} from './keys.js';
