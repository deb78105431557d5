//! Every maximum of this crate, with its reason.

/// Bytes of one account. No account on Solana may be larger.
pub const ACCOUNT_BYTES_MAX: usize = 10 << 20;

/// Accounts of one segment: the book's users and markets, and room for oracles and for accounts that
/// are closed while the segment is written.
pub const ACCOUNTS_MAX: usize = 1 << 21;

/// Bytes of all accounts of a segment together, unpacked: a reader has those in memory that have changed since
/// the checkpoint. The exchange has fewer than 400,000 users in all, which take 1.75 GB; packed zeros of a
/// few kilobytes could stand for any number.
pub const ACCOUNTS_BYTES_MAX: usize = 2 << 30;

/// Bytes of an epoch's name. Ours have 17.
pub const EPOCH_BYTES_MAX: usize = 256;

/// Markets of a head or of a mark: as many as a book can have.
pub const MARKETS_MAX: usize = 4096;

/// Bytes of the core's own state in a checkpoint: quotes, external levels and a few words of each
/// market and user, 60 bytes of a million users.
pub const STATE_BYTES_MAX: usize = 64 << 20;

/// Bytes of the hash of a moment. Ours have 8.
pub const HASH_BYTES_MAX: usize = 64;

/// Bytes of a maker's quotes or of one side of an external venue, as calls carry them. The book takes
/// 32 quotes of 33 bytes and keeps 64 levels of 16; more is data of another version.
pub const FIELD_BYTES_MAX: usize = 1 << 20;

/// Plain bytes from which on a block is sealed: long enough that the head and the flush of a block
/// are a thousandth of it, short enough that a block is unpacked within a millisecond.
pub const BLOCK_TARGET_BYTES: usize = 64 << 10;

/// Plain bytes of a block: its last record may be the largest there is, a checkpoint's state.
pub const BLOCK_PLAIN_BYTES_MAX: usize = BLOCK_TARGET_BYTES + STATE_BYTES_MAX + (1 << 20);

/// Packed bytes of a block. Bytes that cannot be compressed become longer by less than one in 128.
pub const BLOCK_PACKED_BYTES_MAX: usize = BLOCK_PLAIN_BYTES_MAX + BLOCK_PLAIN_BYTES_MAX / 128;

/// Plain bytes of one turn, and bytes of its accounts. The service ends a turn when 16 MiB of accounts
/// have arrived.
pub const TURN_BYTES_MAX: usize = 256 << 20;

/// The window of the compression as a power of two, so that a reader holds 8 MiB of it at most.
pub const WINDOW_LOG_MAX: u32 = 23;

/// Bytes from which on a piece of a file is handed out as it is: a write to a disk that is worth its call.
pub const PIECE_BYTES: usize = 1 << 20;

const _: () = assert!(ACCOUNT_BYTES_MAX < STATE_BYTES_MAX, "the largest record is a state");
