//! All limits of this crate, each with its reason.

/// Maximum bytes of one account after decoding: the maximum of Solana.
pub(crate) const ACCOUNT_BYTES_MAX: usize = 10 << 20;

/// Maximum characters of one account's base64 text: enough for the largest account.
pub(crate) const ACCOUNT_TEXT_BYTES_MAX: usize = ACCOUNT_BYTES_MAX.div_ceil(3) * 4;

/// Maximum number of problems stored with their text until they are read; others are only counted,
/// so that a feed that sends only invalid data does not fill the memory.
pub(crate) const PROBLEMS_STORED_MAX: usize = 64;

/// Maximum accounts of one snapshot. The exchange has fewer than 400,000 user accounts in total.
pub(crate) const SNAPSHOT_ACCOUNTS_MAX: usize = 4_000_000;

/// Maximum bytes of one account of a snapshot: users have 4,376 bytes, markets 1,216 and oracles
/// less than 4,000; twice the largest leaves room for growth. Without this limit, a body of a few
/// kilobytes whose frames unpack to 10 MiB each would fill gigabytes.
pub(crate) const SNAPSHOT_ACCOUNT_BYTES_MAX: usize = 8 << 10;

/// Bytes of one decoded snapshot, so that a small compressed response cannot fill the memory.
pub(crate) const SNAPSHOT_BYTES_MAX: usize = 4 << 30;

/// Largest block into which decoded accounts are packed, so that there are few blocks. A block is as
/// large as all blocks before it, so that few accounts take little memory. A larger account gets its
/// own block.
pub(crate) const SNAPSHOT_BLOCK_BYTES: usize = 1 << 20;

/// Maximum open topics: more than a service allows its subscribers, including the common topics of
/// 170 markets, so that the service refuses a topic first, with its reason.
pub(crate) const TOPICS_MAX: usize = 32_768;

/// Maximum bytes of a turn log that wait to be taken: the snapshot of 200,000 users, which a writer
/// takes within seconds. Beyond it the journal ends, and the book continues.
pub(crate) const TURN_LOG_BYTES_MAX: usize = 1 << 30;

/// Bytes of complete turns between two positions at which taking may stop.
pub(crate) const TURN_LOG_CUT_BYTES: usize = 1 << 20;

/// Bytes to log of an account with an unknown discriminator or with a wrong length: the
/// discriminator, which is shorter than any account of the book. The journal then holds the last
/// bytes of each key.
pub(crate) const MALFORMED_BYTES_MAX: usize = 8;

/// Minimum milliseconds between two turns with a hash: a replay that differs stops within a second,
/// and the hashes of 150 markets cost 0.1 ms.
pub(crate) const HASH_INTERVAL_MS: u64 = 1_000;

/// Capacity in bytes that an empty turn log keeps for the next turns: those of a busy second.
pub(crate) const TURN_LOG_CAPACITY_MAX: usize = 4 << 20;

/// Rows a side that a leaf proves: the largest depth of the streaming channels.
pub(crate) const PROVEN_ROWS_MAX: usize = 500;

const _: () = assert!(ACCOUNT_TEXT_BYTES_MAX > ACCOUNT_BYTES_MAX, "text is longer than bytes");

/// Rows of a journal that are collected before they are passed on: enough for a row group of a
/// column file, and some megabytes.
pub(crate) const JOURNAL_ROWS_AT_ONCE: usize = 1 << 17;
