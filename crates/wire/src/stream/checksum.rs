//! The checksum by which a reader knows that its book is ours.

use super::diff::Row;
use crate::writer::JsonWriter;

/// Rows of each side that the checksum covers.
pub(super) const CHECKSUM_ROWS: usize = 10;

/// zlib's CRC-32 of price and size of bid 1, ask 1, bid 2 and so on, joined by `:`; a row that is
/// missing adds nothing. `text` is for use again.
pub(super) fn checksum<R: Row>(bids: &[R], asks: &[R], text: &mut Vec<u8>) -> u32 {
    text.clear();
    let rows = bids.len().max(asks.len()).min(CHECKSUM_ROWS);
    for index in 0..rows {
        for row in [bids.get(index), asks.get(index)].into_iter().flatten() {
            let mut json = JsonWriter::new(text);
            json.u64(row.price().0);
            json.raw(b":");
            json.u128(row.size());
            json.raw(b":");
        }
    }
    text.pop();
    crc32fast::hash(text)
}
