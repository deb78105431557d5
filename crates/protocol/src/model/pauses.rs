//! Bits of the paused operations, the same in all programs.

/// Bits of a perp market's `paused_operations`.
/// Source: programs/drift/src/state/paused_operations.rs `PerpOperation`.
pub mod perp_operation {
    /// The AMM does not fill.
    pub const AMM_FILL: u8 = 2;
    /// Nothing fills.
    pub const FILL: u8 = 4;
    /// The AMM does not fill orders that are newer than the oracle's price.
    pub const AMM_IMMEDIATE_FILL: u8 = 64;
}

/// Bits of a spot market's `paused_operations`.
/// Source: programs/drift/src/state/paused_operations.rs `SpotOperation`.
pub mod spot_operation {
    /// Nothing fills.
    pub const FILL: u8 = 2;
}

/// Bits of `exchange_status`. Source: programs/drift/src/state/state.rs `ExchangeStatus`.
pub mod exchange_status {
    /// The AMM does not fill.
    pub const AMM_PAUSED: u8 = 4;
    /// Nothing fills.
    pub const FILL_PAUSED: u8 = 8;
    /// AMMs do not fill orders that are newer than the oracle's price.
    pub const AMM_IMMEDIATE_FILL_PAUSED: u8 = 128;
}
