/**
 * The program's enumerations as the bytes that its accounts hold.
 *
 * Source: programs/drift/src/state/user.rs, oracle.rs, perp_market.rs, spot_market.rs (order of the
 * variants).
 */
export const OrderStatus = { Init: 0, Open: 1, Filled: 2, Canceled: 3 } as const;
export const OrderType = {
  Market: 0,
  Limit: 1,
  TriggerMarket: 2,
  TriggerLimit: 3,
  Oracle: 4,
} as const;
export const MarketType = { Spot: 0, Perp: 1 } as const;
export const Direction = { Long: 0, Short: 1 } as const;
export const TriggerCondition = {
  Above: 0,
  Below: 1,
  TriggeredAbove: 2,
  TriggeredBelow: 3,
} as const;
export const SpotBalanceType = { Deposit: 0, Borrow: 1 } as const;
export const OracleSource = { QuoteAsset: 2, PythLazer: 12 } as const;
export const MarketStatus = { Active: 1, ReduceOnly: 6 } as const;
export const ContractTier = { A: 0, B: 1 } as const;
export const AssetTier = { Collateral: 0 } as const;
/** Why an order was acted on, of the fills that the local chain has. */
export const OrderActionExplanation = {
  FilledWithAmm: 6,
  FilledWithAmmJit: 7,
  FilledWithMatch: 8,
  FilledWithMatchJit: 9,
} as const;
/** Bits of User.status. */
export const UserStatus = { BeingLiquidated: 1 } as const;

export type OrderStatus = (typeof OrderStatus)[keyof typeof OrderStatus];
export type OrderType = (typeof OrderType)[keyof typeof OrderType];
export type MarketType = (typeof MarketType)[keyof typeof MarketType];
export type Direction = (typeof Direction)[keyof typeof Direction];
export type TriggerCondition = (typeof TriggerCondition)[keyof typeof TriggerCondition];
export type OrderActionExplanation =
  (typeof OrderActionExplanation)[keyof typeof OrderActionExplanation];
export type SpotBalanceType = (typeof SpotBalanceType)[keyof typeof SpotBalanceType];
