//! The checksum by which a reader knows that its book is ours.

use super::rows::{Fresh, Row};
use crate::writer::JsonWriter;

/// Rows of each side that the checksum covers.
pub(super) const CHECKSUM_ROWS: usize = 10;

/// zlib's CRC-32 of price and size of bid 1, ask 1, bid 2 and so on, joined by `:`; a row that is
/// missing adds nothing. `text` is for use again.
pub(super) fn checksum<R: Row>(shown: [&[R]; 2], fresh: &[Fresh<R>; 2], text: &mut Vec<u8>) -> u32 {
    text.clear();
    let mut json = JsonWriter::new(text);
    let [mut bids, mut asks] = [0, 1].map(|side| fresh[side].rows(shown[side]));
    for _ in 0..CHECKSUM_ROWS {
        for row in [bids.next(), asks.next()].into_iter().flatten() {
            json.u64(row.price().0);
            json.raw(b":");
            json.u128(row.size());
            json.raw(b":");
        }
    }
    text.pop();
    crc32fast::hash(text)
}

/// Whether the checksum of the fresh rows is that of the shown ones.
pub(super) fn is_covered_same<R: Row>(fresh: &[Fresh<R>; 2]) -> bool {
    fresh.iter().all(|fresh| fresh.same() >= CHECKSUM_ROWS)
}
