//! Every maximum of this crate, with its reason.

pub use slotbook_protocol::order::ORDER_BYTES;
pub use slotbook_protocol::user::ORDERS as ORDERS_PER_USER;

/// User accounts held at once, closed ones until the next snapshot among them. The exchange has
/// fewer than 400,000 in all; at 4.5 KiB each, this many are 4.6 GiB.
pub const USERS_MAX: usize = 1 << 20;

/// Markets held at once: the exchange has about 150; a `MarketId` is 16 bits.
pub const MARKETS_MAX: usize = 4096;

/// Oracle accounts followed at once: at most one for each market.
pub const ORACLES_MAX: usize = MARKETS_MAX;

/// Quarantined accounts remembered by key. Further ones are left out all the same, but not counted.
pub const QUARANTINE_MAX: usize = 10_000;

/// Buckets of the auction wheel: auctions end at most 256 slots ahead, so 512 is exact.
/// Source: `Order.auction_duration` is a u8.
pub const AUCTION_WHEEL_BUCKETS: usize = 512;

/// Buckets of the expiry wheel, one a second: over an hour ahead; later ones wait in a map.
pub const EXPIRY_WHEEL_BUCKETS: usize = 4096;

/// A wheel is rebuilt when it holds more timers than this for each open order: timers of orders
/// that are gone stay until they fire.
pub const TIMERS_PER_ORDER_MAX: usize = 4;

/// Timers a wheel may hold beyond that, so that small books are never rebuilt.
pub const TIMERS_SLACK: usize = 65_536;

/// Orders of a queue from which on it is cached for the next reader: a shorter one is sorted faster
/// than it is cached.
pub const CACHED_QUEUE_ORDERS_MIN: u32 = 64;

/// Sorted queues that are cached: the long ones of some books.
pub const CACHED_QUEUES_MAX: usize = 64;

/// Orders of all cached queues: 16 MiB.
pub const CACHED_QUEUE_ORDERS_MAX: usize = 1 << 19;

/// Elements of a chunk of a ladder: two kilobytes of levels, of which a change moves half at most.
pub const CHUNK_MAX: usize = 64;

/// Chunks into which an AMM's liquidity is cut a side, before equal prices are one: as many as the
/// incumbent publishes. Source: dlob-server `numVammOrders`.
pub const VAMM_LEVELS: usize = 100;

/// An AMM whose oracle's price is older than this is left out. Source: dlob-server
/// src/dlob-subscriber/DLOBSubscriberIO.ts, which takes prelaunch oracles at any age.
pub const VAMM_ORACLE_SLOTS_MAX: u64 = 160;

/// How long an indicative quote is shown after it was received: the incumbent's. Its senders repeat
/// their quotes every 500 ms.
pub const QUOTE_LIFE_MS: u64 = 1_000;

/// Quotes of one maker in one market: a side each of a ladder of 32 prices is more than makers send.
pub const INDICATIVE_QUOTES_MAX: usize = 32;

/// Makers that quote in one market. Its 2,048 quotes a side are put in order in 0.1 ms at most.
pub const INDICATIVE_MAKERS_MAX: usize = 64;

/// Pairs of a maker and a market with quotes, all markets together: 20 MiB of quotes.
pub const INDICATIVE_PAIRS_MAX: usize = 4096;

/// The greatest sequence number that a restored market may have: numbers above it are not exact in
/// JavaScript, and no market of a turn each microsecond reaches it in 200 years.
pub const SEQ_MAX: u64 = 1 << 53;

/// Users read for one page of those with orders: well under 1 ms, when few have any.
pub const USERS_WALKED_MAX: usize = 8192;

const _: () = assert!(ORDERS_PER_USER == 32, "a mask of order slots is a u32");
const _: () = assert!(USERS_MAX * ORDERS_PER_USER <= (u32::MAX as usize), "handles are 32 bits");
const _: () = assert!(MARKETS_MAX < u16::MAX as usize, "u16::MAX means no market");
const _: () = assert!(AUCTION_WHEEL_BUCKETS.is_power_of_two());
const _: () = assert!(EXPIRY_WHEEL_BUCKETS.is_power_of_two());
