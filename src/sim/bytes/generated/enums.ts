// Generated from the layout tables of crates/protocol/layouts by its test client_layouts.

/** The bytes of `OrderStatus`. */
export const OrderStatus = { Init: 0, Open: 1, Filled: 2, Canceled: 3 } as const;
/** A value of {@link OrderStatus}. */
export type OrderStatus = (typeof OrderStatus)[keyof typeof OrderStatus];

/** The bytes of `OrderType`. */
export const OrderType = { Market: 0, Limit: 1, TriggerMarket: 2, TriggerLimit: 3, Oracle: 4 } as const;
/** A value of {@link OrderType}. */
export type OrderType = (typeof OrderType)[keyof typeof OrderType];

/** The bytes of `MarketType`. */
export const MarketType = { Spot: 0, Perp: 1 } as const;
/** A value of {@link MarketType}. */
export type MarketType = (typeof MarketType)[keyof typeof MarketType];

/** The bytes of `Direction`. */
export const Direction = { Long: 0, Short: 1 } as const;
/** A value of {@link Direction}. */
export type Direction = (typeof Direction)[keyof typeof Direction];

/** The bytes of `TriggerCondition`. */
export const TriggerCondition = { Above: 0, Below: 1, TriggeredAbove: 2, TriggeredBelow: 3 } as const;
/** A value of {@link TriggerCondition}. */
export type TriggerCondition = (typeof TriggerCondition)[keyof typeof TriggerCondition];

/** The bytes of `SpotBalanceType`. */
export const SpotBalanceType = { Deposit: 0, Borrow: 1 } as const;
/** A value of {@link SpotBalanceType}. */
export type SpotBalanceType = (typeof SpotBalanceType)[keyof typeof SpotBalanceType];

/** The bytes of `MarginMode`. */
export const MarginMode = { Default: 0, HighLeverage: 1, HighLeverageMaintenance: 2 } as const;
/** A value of {@link MarginMode}. */
export type MarginMode = (typeof MarginMode)[keyof typeof MarginMode];

/** The bytes of `MarketStatus`. */
export const MarketStatus = { Initialized: 0, Active: 1, FundingPaused: 2, AmmPaused: 3, FillPaused: 4, WithdrawPaused: 5, ReduceOnly: 6, Settlement: 7, Delisted: 8 } as const;
/** A value of {@link MarketStatus}. */
export type MarketStatus = (typeof MarketStatus)[keyof typeof MarketStatus];

/** The bytes of `ContractType`. */
export const ContractType = { Perpetual: 0, Future: 1, Prediction: 2 } as const;
/** A value of {@link ContractType}. */
export type ContractType = (typeof ContractType)[keyof typeof ContractType];

/** The bytes of `ContractTier`. */
export const ContractTier = { A: 0, B: 1, C: 2, Speculative: 3, HighlySpeculative: 4, Isolated: 5 } as const;
/** A value of {@link ContractTier}. */
export type ContractTier = (typeof ContractTier)[keyof typeof ContractTier];

/** The bytes of `AssetTier`. */
export const AssetTier = { Collateral: 0, Protected: 1, Cross: 2, Isolated: 3, Unlisted: 4 } as const;
/** A value of {@link AssetTier}. */
export type AssetTier = (typeof AssetTier)[keyof typeof AssetTier];

/** The bytes of `OracleSource`. */
export const OracleSource = { Pyth: 0, Switchboard: 1, QuoteAsset: 2, Pyth1K: 3, Pyth1M: 4, PythStableCoin: 5, Prelaunch: 6, PythPull: 7, Pyth1KPull: 8, Pyth1MPull: 9, PythStableCoinPull: 10, SwitchboardOnDemand: 11, PythLazer: 12, PythLazer1K: 13, PythLazer1M: 14, PythLazerStableCoin: 15 } as const;
/** A value of {@link OracleSource}. */
export type OracleSource = (typeof OracleSource)[keyof typeof OracleSource];

/** The bytes of `VelocityMarketStatus`. */
export const VelocityMarketStatus = { Initialized: 0, Active: 1, ReduceOnly: 2, Settlement: 3, Delisted: 4 } as const;
/** A value of {@link VelocityMarketStatus}. */
export type VelocityMarketStatus = (typeof VelocityMarketStatus)[keyof typeof VelocityMarketStatus];

/** The bytes of `OrderActionExplanation`. */
export const OrderActionExplanation = { None: 0, InsufficientFreeCollateral: 1, OraclePriceBreachedLimitPrice: 2, MarketOrderFilledToLimitPrice: 3, OrderExpired: 4, Liquidation: 5, OrderFilledWithAMM: 6, OrderFilledWithAMMJit: 7, OrderFilledWithMatch: 8, OrderFilledWithMatchJit: 9, MarketExpired: 10, RiskingIncreasingOrder: 11, ReduceOnlyOrderIncreasedPosition: 12, OrderFillWithSerum: 13, NoBorrowLiquidity: 14, OrderFillWithPhoenix: 15, OrderFilledWithAMMJitLPSplit: 16, OrderFilledWithLPJit: 17, DeriskLp: 18, OrderFilledWithOpenbookV2: 19, TransferPerpPosition: 20 } as const;
/** A value of {@link OrderActionExplanation}. */
export type OrderActionExplanation = (typeof OrderActionExplanation)[keyof typeof OrderActionExplanation];
