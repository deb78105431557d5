//! The checksum by which a reader verifies its book.

use super::rows::{Fresh, Now, Row};
use crate::digits::{DIGITS_MAX, Digits};
use crate::line::Line;
use crate::writer::{JsonWriter, literal};

/// Rows of each side that the checksum covers.
pub(super) const CHECKSUM_ROWS: usize = 10;

/// Maximum bytes of a row's text: two numbers, each followed by a colon.
const ROW_TEXT_BYTES_MAX: usize = 2 * (DIGITS_MAX + 1);

#[derive(Clone, Copy, Debug)]
struct RowText {
    text: [u8; ROW_TEXT_BYTES_MAX],
    /// The length of the text; 0 for a row whose numbers have too many digits.
    length: u8,
}

impl RowText {
    const NONE: Self = Self { text: [0; ROW_TEXT_BYTES_MAX], length: 0 };

    fn of<R: Row>(row: &R) -> Self {
        let size = u64::try_from(row.size()).ok().and_then(Digits::of);
        let Some((price, size)) = Digits::of(row.price().0).zip(size) else { return Self::NONE };
        let mut text = [0; ROW_TEXT_BYTES_MAX];
        let length = Line::<ROW_TEXT_BYTES_MAX, false>::fill(&mut text, |line| {
            line.digits(&price);
            literal!(line, b":");
            line.digits(&size);
            literal!(line, b":");
        });
        Self { text, length: u8::try_from(length).expect("Invariant: a text fits its room") }
    }
}

/// The texts of the covered rows, bids first; a change affects only few of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoveredTexts([[RowText; CHECKSUM_ROWS]; 2]);

impl Default for CoveredTexts {
    fn default() -> Self {
        Self::NONE
    }
}

impl CoveredTexts {
    pub(super) const NONE: Self = Self([[RowText::NONE; CHECKSUM_ROWS]; 2]);

    /// Returns zlib's CRC-32 of price and size of bid 1, ask 1, bid 2 and so on, joined by `:`;
    /// missing rows are skipped. Replaces these texts by the texts of the new rows; `known` has the
    /// texts of the published rows. `text` is a reused buffer.
    pub(super) fn replace<R: Row>(
        &mut self,
        (shown, fresh): ([&[R]; 2], &[Fresh<R>; 2]),
        known: &Self,
        text: &mut Vec<u8>,
    ) -> u32 {
        text.clear();
        let mut json = JsonWriter::new(text);
        let mut sides = [0, 1].map(|side| fresh[side].rows(shown[side]));
        for index in 0..CHECKSUM_ROWS {
            for (side, rows) in sides.iter_mut().enumerate() {
                let Some(now) = rows.next() else { continue };
                let row_text = &mut self.0[side][index];
                *row_text = match now {
                    Now::Same(was, _) if was < CHECKSUM_ROWS => known.0[side][was],
                    _ => RowText::of(now.row()),
                };
                match row_text.length {
                    0 => write_long(&mut json, now.row()),
                    length => json.padded(&row_text.text, length.into()),
                }
            }
        }
        text.pop();
        crc32fast::hash(text)
    }
}

/// Writes a row whose numbers have too many digits for the text, which is rare.
#[cold]
fn write_long<R: Row>(json: &mut JsonWriter<'_>, row: &R) {
    json.u64(row.price().0);
    json.raw(b":");
    json.u128(row.size());
    json.raw(b":");
}

/// Returns whether the checksums of the new and the published rows are equal.
pub(super) fn is_covered_same<R: Row>(fresh: &[Fresh<R>; 2]) -> bool {
    fresh.iter().all(|fresh| fresh.same() >= CHECKSUM_ROWS)
}
