// Generated from the layout tables of crates/protocol/layouts by its test client_layouts.

/** The names of `OrderStatus`. */
export type OrderStatus = 'init' | 'open' | 'filled' | 'canceled';

/** The names of `OrderStatus` in the order of their bytes. */
export const ORDER_STATUS: readonly OrderStatus[] = ['init', 'open', 'filled', 'canceled'];

/** The names of `OrderType`. */
export type OrderType = 'market' | 'limit' | 'triggerMarket' | 'triggerLimit' | 'oracle';

/** The names of `OrderType` in the order of their bytes. */
export const ORDER_TYPE: readonly OrderType[] = ['market', 'limit', 'triggerMarket', 'triggerLimit', 'oracle'];

/** The names of `MarketType`. */
export type MarketType = 'spot' | 'perp';

/** The names of `MarketType` in the order of their bytes. */
export const MARKET_TYPE: readonly MarketType[] = ['spot', 'perp'];

/** The names of `Direction`. */
export type Direction = 'long' | 'short';

/** The names of `Direction` in the order of their bytes. */
export const DIRECTION: readonly Direction[] = ['long', 'short'];

/** The names of `TriggerCondition`. */
export type TriggerCondition = 'above' | 'below' | 'triggeredAbove' | 'triggeredBelow';

/** The names of `TriggerCondition` in the order of their bytes. */
export const TRIGGER_CONDITION: readonly TriggerCondition[] = ['above', 'below', 'triggeredAbove', 'triggeredBelow'];

/** The names of `SpotBalanceType`. */
export type SpotBalanceType = 'deposit' | 'borrow';

/** The names of `SpotBalanceType` in the order of their bytes. */
export const SPOT_BALANCE_TYPE: readonly SpotBalanceType[] = ['deposit', 'borrow'];

/** The names of `MarginMode`. */
export type MarginMode = 'default' | 'highLeverage' | 'highLeverageMaintenance';

/** The names of `MarginMode` in the order of their bytes. */
export const MARGIN_MODE: readonly MarginMode[] = ['default', 'highLeverage', 'highLeverageMaintenance'];

/** The names of `MarketStatus`. */
export type MarketStatus = 'initialized' | 'active' | 'fundingPaused' | 'ammPaused' | 'fillPaused' | 'withdrawPaused' | 'reduceOnly' | 'settlement' | 'delisted';

/** The names of `MarketStatus` in the order of their bytes. */
export const MARKET_STATUS: readonly MarketStatus[] = ['initialized', 'active', 'fundingPaused', 'ammPaused', 'fillPaused', 'withdrawPaused', 'reduceOnly', 'settlement', 'delisted'];

/** The names of `ContractType`. */
export type ContractType = 'perpetual' | 'future' | 'prediction';

/** The names of `ContractType` in the order of their bytes. */
export const CONTRACT_TYPE: readonly ContractType[] = ['perpetual', 'future', 'prediction'];

/** The names of `ContractTier`. */
export type ContractTier = 'a' | 'b' | 'c' | 'speculative' | 'highlySpeculative' | 'isolated';

/** The names of `ContractTier` in the order of their bytes. */
export const CONTRACT_TIER: readonly ContractTier[] = ['a', 'b', 'c', 'speculative', 'highlySpeculative', 'isolated'];

/** The names of `AssetTier`. */
export type AssetTier = 'collateral' | 'protected' | 'cross' | 'isolated' | 'unlisted';

/** The names of `AssetTier` in the order of their bytes. */
export const ASSET_TIER: readonly AssetTier[] = ['collateral', 'protected', 'cross', 'isolated', 'unlisted'];

/** The names of `OracleSource`. */
export type OracleSource = 'pyth' | 'switchboard' | 'quoteAsset' | 'pyth1K' | 'pyth1M' | 'pythStableCoin' | 'prelaunch' | 'pythPull' | 'pyth1KPull' | 'pyth1MPull' | 'pythStableCoinPull' | 'switchboardOnDemand' | 'pythLazer' | 'pythLazer1K' | 'pythLazer1M' | 'pythLazerStableCoin';

/** The names of `OracleSource` in the order of their bytes. */
export const ORACLE_SOURCE: readonly OracleSource[] = ['pyth', 'switchboard', 'quoteAsset', 'pyth1K', 'pyth1M', 'pythStableCoin', 'prelaunch', 'pythPull', 'pyth1KPull', 'pyth1MPull', 'pythStableCoinPull', 'switchboardOnDemand', 'pythLazer', 'pythLazer1K', 'pythLazer1M', 'pythLazerStableCoin'];
