//! The limits of this crate, each with its reason.

/// Bytes of one account. No account on Solana may be larger.
pub const ACCOUNT_BYTES_MAX: usize = 10 << 20;

/// Maximum accounts of one segment: the book's users and markets, with room for oracles and for
/// accounts that are closed during the segment.
pub const ACCOUNTS_MAX: usize = 1 << 21;

/// Maximum uncompressed bytes of all accounts of a segment, because a reader keeps accounts that
/// changed since the checkpoint uncompressed. The exchange has fewer than 400,000 users, which take
/// 1.75 GB. The limit also stops a small file of compressed zeros from filling the memory.
pub const ACCOUNTS_BYTES_MAX: usize = 2 << 30;

/// Maximum bytes of an epoch's name. The service's names have 17.
pub const EPOCH_BYTES_MAX: usize = 256;

/// Maximum markets in a head or a mark, the same as the maximum of a book.
pub const MARKETS_MAX: usize = 4096;

/// Maximum bytes of the core's state in a checkpoint: quotes, external levels and a few words for
/// each market and user; 60 bytes a user for a million users.
pub const STATE_BYTES_MAX: usize = 64 << 20;

/// Maximum bytes of a hash. The service's hashes have 8.
pub const HASH_BYTES_MAX: usize = 64;

/// Maximum bytes of a maker's quotes, or of one side of external levels. The book takes 32 quotes
/// of 33 bytes and keeps 64 levels of 16 bytes; more bytes are those of another version.
pub const FIELD_BYTES_MAX: usize = 1 << 20;

/// Uncompressed bytes after which a block is sealed: block heads and flushes then cost a
/// thousandth, and a block decompresses within a millisecond.
pub const BLOCK_TARGET_BYTES: usize = 64 << 10;

/// Maximum uncompressed bytes of a block: its last record may be the largest one, a checkpoint's
/// state.
pub const BLOCK_PLAIN_BYTES_MAX: usize = BLOCK_TARGET_BYTES + STATE_BYTES_MAX + (1 << 20);

/// Maximum compressed bytes of a block. Incompressible bytes grow by less than one in 128.
pub const BLOCK_PACKED_BYTES_MAX: usize = BLOCK_PLAIN_BYTES_MAX + BLOCK_PLAIN_BYTES_MAX / 128;

/// Maximum uncompressed bytes of one turn, and maximum bytes of its accounts. The service ends a
/// turn after 16 MiB of accounts.
pub const TURN_BYTES_MAX: usize = 256 << 20;

/// The compression window as a power of two: a reader buffers at most 8 MiB.
pub const WINDOW_LOG_MAX: u32 = 23;

/// Bytes after which a piece of a file is emitted: large enough to amortise a write call.
pub const PIECE_BYTES: usize = 1 << 20;

const _: () = assert!(ACCOUNT_BYTES_MAX < STATE_BYTES_MAX, "the largest record is a state");
