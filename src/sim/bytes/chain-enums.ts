/**
 * The program's enumerations, with their byte values in accounts.
 *
 * Source: programs/drift/src/state/user.rs, oracle.rs, perp_market.rs, spot_market.rs (order of the
 * variants).
 */

/** Order.status. */
export const OrderStatus = { Init: 0, Open: 1, Filled: 2, Canceled: 3 } as const;
/** Order.order_type. */
export const OrderType = {
  Market: 0,
  Limit: 1,
  TriggerMarket: 2,
  TriggerLimit: 3,
  Oracle: 4,
} as const;
/** Order.market_type. */
export const MarketType = { Spot: 0, Perp: 1 } as const;
/** Order.direction. */
export const Direction = { Long: 0, Short: 1 } as const;
/** Order.trigger_condition. */
export const TriggerCondition = {
  Above: 0,
  Below: 1,
  TriggeredAbove: 2,
  TriggeredBelow: 3,
} as const;
/** SpotPosition.balance_type. */
export const SpotBalanceType = { Deposit: 0, Borrow: 1 } as const;
/** The oracle sources of the simulation. */
export const OracleSource = { QuoteAsset: 2, PythLazer: 12 } as const;
/** PerpMarket.status and SpotMarket.status. */
export const MarketStatus = { Active: 1, ReduceOnly: 6 } as const;
/** The same of Velocity, which numbers it anew. */
export const VelocityMarketStatus = { Active: 1, ReduceOnly: 2 } as const;
/** PerpMarket.contract_tier. */
export const ContractTier = { A: 0, B: 1 } as const;
/** SpotMarket.asset_tier. */
export const AssetTier = { Collateral: 0 } as const;
/** The explanations of fills on the local chain. */
export const OrderActionExplanation = {
  FilledWithAmm: 6,
  FilledWithAmmJit: 7,
  FilledWithMatch: 8,
  FilledWithMatchJit: 9,
} as const;
/** Bits of User.status. */
export const UserStatus = { BeingLiquidated: 1 } as const;

/** A value of {@link OrderStatus}. */
export type OrderStatus = (typeof OrderStatus)[keyof typeof OrderStatus];
/** A value of {@link OrderType}. */
export type OrderType = (typeof OrderType)[keyof typeof OrderType];
/** A value of {@link MarketType}. */
export type MarketType = (typeof MarketType)[keyof typeof MarketType];
/** A value of {@link Direction}. */
export type Direction = (typeof Direction)[keyof typeof Direction];
/** A value of {@link TriggerCondition}. */
export type TriggerCondition = (typeof TriggerCondition)[keyof typeof TriggerCondition];
/** A value of {@link OrderActionExplanation}. */
export type OrderActionExplanation =
  (typeof OrderActionExplanation)[keyof typeof OrderActionExplanation];
/** A value of {@link SpotBalanceType}. */
export type SpotBalanceType = (typeof SpotBalanceType)[keyof typeof SpotBalanceType];
