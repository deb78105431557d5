//! The parts of a user account that an update changed, as ranges of its bytes.

use std::iter::{from_fn, once};
use std::ops::Range;

use slotbook_protocol::model::Program;
use slotbook_protocol::model::user::UserShape;

use super::order_store::bits;
use super::users::PIECE;

/// The parts of a user account that an update changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedParts {
    /// Bit mask of the order slots.
    pub(crate) orders: u32,
    /// Bit mask of the pieces before and after them.
    pub(crate) pieces: u64,
}

impl ChangedParts {
    /// Returns the ranges outside of which an account of this length has the bytes of before,
    /// ascending.
    pub fn ranges(self, program: Program, length: usize) -> impl Iterator<Item = Range<usize>> {
        let UserShape { orders, order_bytes, .. } = program.user_shape();
        let (start, end) = (orders.start, program.user_bytes());
        let before = start / PIECE + 1;
        let head = pieces_of(0..start, self.pieces & ((1 << before) - 1));
        let slots = bits(self.orders).map(move |slot| {
            let at = start + slot * order_bytes;
            at..at + order_bytes
        });
        let tail = pieces_of(orders.end..end, self.pieces >> before);
        let mut written = 0;
        head.chain(slots).chain(tail).chain(once(end..length)).filter_map(move |range| {
            let start = range.start.max(written);
            written = range.end;
            (start < range.end).then_some(start..range.end)
        })
    }
}

/// The ranges of the pieces of a part, which has at least one.
fn pieces_of(part: Range<usize>, mut mask: u64) -> impl Iterator<Item = Range<usize>> {
    from_fn(move || {
        let index = mask.trailing_zeros() as usize;
        mask &= mask.checked_sub(1)?;
        let start = (part.start + index * PIECE).min(part.end - PIECE);
        Some(start..start + PIECE)
    })
}
