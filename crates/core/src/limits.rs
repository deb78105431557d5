//! Every maximum of this crate, with its reason.

/// Bytes of one account after decoding. No account on Solana may be larger.
pub(crate) const ACCOUNT_BYTES_MAX: usize = 10 << 20;

/// Characters of one account's base64 text: enough for the largest account.
pub(crate) const ACCOUNT_TEXT_BYTES_MAX: usize = ACCOUNT_BYTES_MAX.div_ceil(3) * 4;

/// Problems stored with their text until they are read; the rest are counted only. A feed that
/// sends nothing but damage must not fill the memory.
pub(crate) const PROBLEMS_STORED_MAX: usize = 64;

/// Accounts of one snapshot. The exchange has fewer than 400,000 user accounts in all.
pub(crate) const SNAPSHOT_ACCOUNTS_MAX: usize = 4_000_000;

/// Bytes of one account of a snapshot: users have 4,376, markets 1,216 and oracles less than 4,000,
/// and twice the largest leaves room for growth. A node whose frames unpack to 10 MiB each would
/// fill gigabytes with a body of a few kilobytes.
pub(crate) const SNAPSHOT_ACCOUNT_BYTES_MAX: usize = 8 << 10;

/// Bytes of one decoded snapshot, so that a small compressed response cannot fill the memory.
pub(crate) const SNAPSHOT_BYTES_MAX: usize = 4 << 30;

/// Decoded accounts are packed into blocks of this size: large enough to be few, small enough
/// that a snapshot of one account stays small. A larger account gets a block of its own.
pub(crate) const SNAPSHOT_BLOCK_BYTES: usize = 1 << 20;

/// Topics that may be open at once: more than a service may have with subscribers, the common ones of
/// 170 markets among them, so that it is the service that refuses one, with its reason.
pub(crate) const TOPICS_MAX: usize = 32_768;

/// Bytes of a turn log that wait to be taken: the snapshot of 200,000 users, which a writer takes within
/// seconds. Beyond it the journal has ended, and the book goes on.
pub(crate) const TURN_LOG_BYTES_MAX: usize = 1 << 30;

/// Bytes of complete turns between two places at which a take may end.
pub(crate) const TURN_LOG_CUT_BYTES: usize = 1 << 20;

/// Bytes that are logged of an account with an unknown discriminator or another length than its kind's: the
/// discriminator, which no account of the book is as short as. The journal holds the last bytes of each key.
pub(crate) const MALFORMED_BYTES_MAX: usize = 8;

/// Milliseconds between two turns whose log has a hash: a replay that departs stops within a second of it, and
/// the hashes of 150 markets cost 0.1 ms.
pub(crate) const HASH_INTERVAL_MS: u64 = 1_000;

/// Bytes that an empty turn log keeps for the next turns: those of a busy second.
pub(crate) const TURN_LOG_CAPACITY_MAX: usize = 4 << 20;

const _: () = assert!(ACCOUNT_TEXT_BYTES_MAX > ACCOUNT_BYTES_MAX, "text is longer than bytes");

/// Rows of a journal that are noted before they are handed over: enough for a row group of a column file, and some
/// megabytes.
pub(crate) const JOURNAL_ROWS_AT_ONCE: usize = 1 << 17;
