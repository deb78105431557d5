//! Every maximum of this crate, with its reason.

/// Order slots of one user account. Source: programs/drift/src/state/user.rs `User.orders`.
pub const ORDERS_PER_USER: usize = 32;

/// Bytes of one order slot. Source: programs/drift/src/state/user.rs `Order`.
pub const ORDER_BYTES: usize = 96;

/// User accounts held at once: a handle is `user * 32 + slot` and must fit in 32 bits with room to
/// spare; the exchange has fewer than 400,000 accounts in all.
pub const USERS_MAX: usize = 1 << 24;

/// Markets held at once: the exchange has about 150; a `MarketId` is 16 bits.
pub const MARKETS_MAX: usize = 4096;

/// Oracle accounts followed at once: at most one for each market.
pub const ORACLES_MAX: usize = MARKETS_MAX;

/// Quarantined accounts remembered by key. Further ones are still left out and counted.
pub const QUARANTINE_MAX: usize = 10_000;

/// Buckets of the auction wheel: auctions end at most 256 slots ahead, so 512 is exact.
/// Source: `Order.auction_duration` is a u8.
pub const AUCTION_WHEEL_BUCKETS: usize = 512;

/// Buckets of the expiry wheel, one a second: over an hour ahead; later ones wait in a map.
pub const EXPIRY_WHEEL_BUCKETS: usize = 4096;

/// A wheel is rebuilt when it holds more than this many stale timers for each order slot in use.
pub const STALE_TIMERS_PER_ORDER: usize = 4;

const _: () = assert!(ORDERS_PER_USER == 32, "a mask of order slots is a u32");
const _: () = assert!(USERS_MAX * ORDERS_PER_USER <= (u32::MAX as usize), "handles are 32 bits");
const _: () = assert!(MARKETS_MAX < u16::MAX as usize, "u16::MAX means no market");
const _: () = assert!(AUCTION_WHEEL_BUCKETS.is_power_of_two());
const _: () = assert!(EXPIRY_WHEEL_BUCKETS.is_power_of_two());
