/** Decodes accounts of the chain, and builds their read models for interfaces. */
export type {
  AccountCacheOptions,
  AccountUpdate,
  OraclePrices,
  PriceCache,
} from './account-cache.js';
export { AccountCache } from './account-cache.js';
export type { AccountMargin, Margin, Margins, MarginUser } from './account-margin.js';
export type { AccountKindName } from './decode.js';
export {
  accountKindOf,
  decodePerpMarket,
  decodeSignedMsgUserOrders,
  decodeSpotMarket,
  decodeState,
  decodeUserStats,
} from './decode.js';
export type {
  AssetTier,
  ContractTier,
  ContractType,
  Direction,
  MarginMode,
  MarketStatus,
  OracleSource,
  OrderStatus,
  OrderType,
  SpotBalanceType,
  TriggerCondition,
} from './generated/enums.js';
export type { Amm, PerpMarket } from './generated/perp-market.js';
export type { SignedMsgOrderId, SignedMsgUserOrders } from './generated/signed-msg-user-orders.js';
export type { SpotMarket } from './generated/spot-market.js';
export type { State } from './generated/state.js';
export type { Order, PerpPosition, SpotPosition } from './generated/user.js';
export type { UserStats } from './generated/user-stats.js';
export type { LiquidationInput, ProposedTrade } from './liquidation-price.js';
export {
  crossLiquidationPrice,
  liquidationPriceAfterTrade,
  perpLiquidationPrice,
  spotLiquidationPrice,
} from './liquidation-price.js';
export { accountMargin } from './margin.js';
export type { MarginInfo } from './margin-info.js';
export { marginInfo } from './margin-info.js';
export { type MarketPrices, MarketTerms } from './market-terms.js';
export type { PerpMarketFacts } from './math/perp.js';
export type { SpotMarketFacts } from './math/spot.js';
export type { UiOrderType } from './order-labels.js';
export { orderLabel, uiOrderType } from './order-labels.js';
export type { OpenOrder } from './orders.js';
export { isOpenOrder, isSignedMsgOrder, ORDER_FLAG, openOrder } from './orders.js';
export type { IsolatedMarginInfo, PerpPositionInfo, PositionPnl } from './perp-position-info.js';
export type { AccountData, AccountHead, ModelUser } from './read-models.js';
export { accountData, accountHead } from './read-models.js';
export type { AsNumbers } from './reading.js';
export type { SpotBalanceInfo } from './spot-balance-info.js';
export { decodeUser, POSITION_FLAG, USER_STATUS, UserAccount } from './user.js';
export { visitOrders, visitPerpPositions, visitSpotPositions } from './user-visits.js';
