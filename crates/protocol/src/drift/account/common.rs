//! Layouts of the structs that several accounts hold.

use crate::layout::FieldType::{I64, U8, U16, U64, U128};
use crate::layout::{Layout, many, one};

/// Layout of the struct `HistoricalOracleData`.
/// Source: programs/drift/src/state/oracle.rs `HistoricalOracleData`.
pub const HISTORICAL_ORACLE_DATA: Layout = Layout {
    name: "HistoricalOracleData",
    size: 48,
    fields: &[
        one("lastOraclePrice", I64, 0),
        one("lastOracleConf", U64, 8),
        one("lastOracleDelay", I64, 16),
        one("lastOraclePriceTwap", I64, 24),
        one("lastOraclePriceTwap5min", I64, 32),
        one("lastOraclePriceTwapTs", I64, 40),
    ],
};

/// Layout of the struct `PoolBalance`.
/// Source: programs/drift/src/state/perp_market.rs `PoolBalance`.
pub const POOL_BALANCE: Layout = Layout {
    name: "PoolBalance",
    size: 24,
    fields: &[
        one("scaledBalance", U128, 0),
        one("marketIndex", U16, 16),
        many("padding", U8, 18, 6),
    ],
};
