//! The limits of this crate, each with its reason.

use slotbook_protocol::model::clock::SLOT_UNIT_MS;
pub use slotbook_protocol::model::user::ORDERS as ORDERS_PER_USER;

/// Maximum user accounts in memory, including closed accounts until the next snapshot. The exchange
/// has fewer than 400,000 in total; at 6 KiB each, with all order slots used and no zeros outside
/// them, this maximum takes 6 GiB. An account of 8 orders takes 2 KiB.
pub const USERS_MAX: usize = 1 << 20;

/// Maximum markets in memory: the exchange has about 150; a `MarketId` has 16 bits.
pub const MARKETS_MAX: usize = 4096;

/// Maximum oracle accounts in memory: at most one for each market.
pub const ORACLES_MAX: usize = MARKETS_MAX;

/// Maximum quarantined accounts that are remembered by key. Further malformed accounts are also
/// excluded, but not counted.
pub const QUARANTINE_MAX: usize = 10_000;

/// Buckets of the auction wheel: auctions end at most 511 slots ahead, so 512 is exact.
/// Source: `Order.auction_duration` is a u8 of 400 ms, and slots have 200 ms or more.
pub const AUCTION_WHEEL_BUCKETS: usize = 512;

/// Buckets of the expiry wheel, one for each second: over an hour ahead; later expiries wait in a
/// map.
pub const EXPIRY_WHEEL_BUCKETS: usize = 4096;

/// Number of timers for each open order above which a wheel is rebuilt, because timers of removed
/// orders stay until they fire.
pub const TIMERS_PER_ORDER_MAX: usize = 4;

/// Number of timers that a wheel may hold in addition, so that small books are never rebuilt.
pub const TIMERS_SLACK: usize = 65_536;

/// Minimum length of a queue that is cached: sorting a shorter queue is faster than caching it.
pub const CACHED_QUEUE_ORDERS_MIN: u32 = 64;

/// Maximum cached sorted queues: the long queues of several books.
pub const CACHED_QUEUES_MAX: usize = 64;

/// Orders in all cached queues: 16 MiB.
pub const CACHED_QUEUE_ORDERS_MAX: usize = 1 << 19;

/// Minimum length of a list that is copied: a shorter list is read in less time than its copy is found.
pub const LISTED_ORDERS_MIN: u32 = 16;

/// Orders in copies of long lists, from which the places of single orders are read: 12 MiB.
pub const LISTED_ORDERS_MAX: usize = 1 << 18;

/// Reads of a copy before it is sorted: sorting costs as much as some ten passes over it.
pub const READS_BEFORE_SORT: u32 = 16;

/// Maximum elements of a ladder chunk: two kilobytes of levels, of which an insert moves at most
/// half.
pub const CHUNK_MAX: usize = 64;

/// Number of chunks a side into which an AMM's liquidity is split, before equal prices merge: the
/// Drift v2 dlob-server publishes as many. Source: dlob-server `numVammOrders`.
pub const VAMM_LEVELS: usize = 100;

/// Maximum age of the oracle price, in milliseconds, for which the book contains the AMM: 160 slots
/// of 400 ms. Source: dlob-server src/dlob-subscriber/DLOBSubscriberIO.ts, which accepts prelaunch
/// oracles at any age.
pub const VAMM_ORACLE_AGE_MS_MAX: u64 = 160 * SLOT_UNIT_MS;

/// Lifetime of an indicative quote after receipt, milliseconds, as in the Drift v2 dlob-server.
/// Makers repeat their quotes every 500 ms.
pub const QUOTE_LIFE_MS: u64 = 1_000;

/// Maximum quotes of one maker in one market: makers send fewer than 32 prices a side.
pub const INDICATIVE_QUOTES_MAX: usize = 32;

/// Maximum makers that quote in one market. Sorting their 2,048 quotes a side takes at most 0.1 ms.
pub const INDICATIVE_MAKERS_MAX: usize = 64;

/// Maximum pairs of a maker and a market with quotes, over all markets: 20 MiB of quotes.
pub const INDICATIVE_PAIRS_MAX: usize = 4096;

/// Maximum sequence number of a restored market: JavaScript represents larger numbers inexactly.
/// One turn each microsecond takes 200 years to reach it.
pub const SEQ_MAX: u64 = 1 << 53;

/// Maximum users scanned for one page of users in turn: well under 1 ms, even when few users
/// have orders.
pub const USERS_WALKED_MAX: usize = 8192;

const _: () = assert!(ORDERS_PER_USER == 32, "a mask of order slots is a u32");
const _: () = assert!(USERS_MAX * ORDERS_PER_USER <= (u32::MAX as usize), "handles are 32 bits");
const _: () = assert!(MARKETS_MAX < u16::MAX as usize, "u16::MAX means no market");
const _: () = assert!(AUCTION_WHEEL_BUCKETS.is_power_of_two());
const _: () = assert!(EXPIRY_WHEEL_BUCKETS.is_power_of_two());
