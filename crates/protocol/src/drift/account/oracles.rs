//! Layouts of the program's own oracles.

use crate::layout::FieldType::{I32, I64, U8, U16, U64};
use crate::layout::{Layout, many, one};

/// Layout of the account `PythLazerOracle`.
/// Source: programs/drift/src/state/pyth_lazer_oracle.rs `PythLazerOracle`.
pub const PYTH_LAZER_ORACLE: Layout = Layout {
    name: "PythLazerOracle",
    size: 48,
    fields: &[
        one("price", I64, 8),
        one("publishTime", U64, 16),
        one("postedSlot", U64, 24),
        one("exponent", I32, 32),
        many("padding", U8, 36, 4),
        one("conf", U64, 40),
    ],
};

/// Layout of the account `PrelaunchOracle`.
/// Source: programs/drift/src/state/oracle.rs `PrelaunchOracle`.
pub const PRELAUNCH_ORACLE: Layout = Layout {
    name: "PrelaunchOracle",
    size: 120,
    fields: &[
        one("price", I64, 8),
        one("maxPrice", I64, 16),
        one("confidence", U64, 24),
        one("lastUpdateSlot", U64, 32),
        one("ammLastUpdateSlot", U64, 40),
        one("perpMarketIndex", U16, 48),
        many("padding", U8, 50, 70),
    ],
};
