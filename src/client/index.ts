/**
 * The entry point for bots and web pages: the paths of the service, its streams, candles, caches of
 * books and prices, amounts, keys and errors.
 *
 * Other entry points: `@slotbook/client/accounts` decodes accounts and builds read models,
 * `@slotbook/client/chain` has clients of the chain itself, and `@slotbook/client/replay` reads
 * past books.
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
export type { Lookup } from './caches/lookup.js';
export { type BookRequest, OrderBookCache } from './caches/order-book.js';
export { PriceFeed, type PriceFeedOptions } from './caches/price-feed.js';
export {
  MarkPriceCache,
  type MarkPriceData,
  OraclePriceCache,
  type OraclePriceData,
} from './caches/prices.js';
export {
  CandleClient,
  type CandleFetchParams,
  type CandleOptions,
  type CandleParams,
} from './candles/client.js';
export type { CandleEvents } from './candles/key.js';
export type { Clock, Environment, Fetch, SocketClass, SocketLike } from './environment.js';
export {
  ClientError,
  type ClientErrorCode,
  type ClientErrorContext,
  type ClientErrorOptions,
  type ErrorCode,
} from './error.js';
export type {
  AccountOrder,
  MarginSums,
  PerpHolding,
  TokenBalance,
} from './generated/accounts.js';
export type {
  AuctionsBook,
  L2Book,
  L3Book,
  MarketInfo,
  MatchAnswer,
  TopMakerAccount,
} from './generated/books.js';
export type { Candle } from './generated/candles.js';
export {
  RESOLUTION_SECONDS_MAX,
  type Resolution,
  type ServiceErrorCode,
} from './generated/lists.js';
export type {
  FundingRate,
  LiquidityHistory,
  MarketLiquidity,
  MarketStats,
  Trade,
} from './generated/market-data.js';
export type {
  BookOptions,
  CandlesQuery,
  L2Query,
  L3Query,
  LiquidityQuery,
  MarketName,
  MatchQuery,
  MomentQuery,
  PageQuery,
  RecordsQuery,
} from './generated/queries.js';
export type { FundingRateRecord, TradeRecord, Volumes } from './generated/records.js';
export type { BookState, Level, RestingOrder } from './generated/rows.js';
export type {
  HealthAnswer,
  JournalAnswer,
  ReadyAnswer,
  ServiceStatus,
  VersionAnswer,
} from './generated/service.js';
export { HttpClient } from './http/client.js';
export type { Page, VolumeSpan } from './http/queries.js';
export type { CallOptions, ServiceOptions } from './http/request.js';
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
export type {
  AccountFill,
  AccountWatch,
  ToldTrade,
  WatchedAccount,
} from './stream/account-watch.js';
export { watchAccount, watchAuthority } from './stream/account-watch.js';
export { StreamClient, type StreamOptions, type SubscribeOptions } from './stream/client.js';
export type { ConnectionState } from './stream/connection.js';
export type { FrameChecks } from './stream/followed-book.js';
export type { EncodingOptions, SocketOptions } from './stream/service-socket.js';
export { strictChecks } from './stream/strict-checks.js';
export type { Subscription } from './stream/subscription.js';
export type {
  Best,
  BestTopic,
  BookTopic,
  BookView,
  OrdersTopic,
  ProvenBook,
  StreamDepth,
  StreamInterval,
  Topic,
} from './stream/topic.js';
export type { TopicPhase } from './stream/topic-reader.js';
export type { ProtocolViolation, StreamRule } from './stream/violation.js';
export { TradesClient } from './trades/client.js';
export type { TradeOptions, TradeSubscription } from './trades/subscription.js';
export type { LiveTrade, TradeBatch } from './trades/trade.js';
