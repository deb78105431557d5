//! The published and the new rows of one side.

use std::cmp::Ordering;

use slotbook_book::Side;
use slotbook_protocol::model::units::Price;

use crate::l3::OrderLine;
use crate::level::SourcedLevel;

/// A row of a side, in book order.
pub(super) trait Row: Copy + PartialEq {
    /// Compares two rows by book order.
    fn place(&self, other: &Self, side: Side) -> Ordering;
    /// 1e6.
    fn price(&self) -> Price;
    /// At 1e9.
    fn size(&self) -> u128;
}

impl Row for SourcedLevel {
    #[inline]
    fn place(&self, other: &Self, side: Side) -> Ordering {
        by_price(self.price, other.price, side)
    }

    #[inline]
    fn price(&self) -> Price {
        self.price
    }

    #[inline]
    fn size(&self) -> u128 {
        self.size()
    }
}

impl Row for OrderLine {
    fn place(&self, other: &Self, side: Side) -> Ordering {
        let queue = |line: &Self| (line.slot, line.order_id, line.maker);
        by_price(self.price, other.price, side).then_with(|| queue(self).cmp(&queue(other)))
    }

    fn price(&self) -> Price {
        self.price
    }

    fn size(&self) -> u128 {
        self.size
    }
}

#[inline]
fn by_price(a: Price, b: Price, side: Side) -> Ordering {
    match side {
        Side::Bid => b.cmp(&a),
        Side::Ask => a.cmp(&b),
    }
}

/// A changed row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference<'a, R> {
    /// A new row.
    Came(&'a R),
    /// A row at the same position whose data changed.
    Became(&'a R),
    /// A removed row.
    Went(&'a R),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Came,
    Became,
    Went,
}

#[derive(Clone, Copy, Debug)]
struct Edit {
    kind: Kind,
    /// The index of the published row that the edit replaces or removes, or before which it
    /// inserts.
    at: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Now<'a, R> {
    /// A row equal to the published row of this index.
    Same(usize, &'a R),
    /// A new or changed row.
    Other(&'a R),
}

impl<'a, R> Now<'a, R> {
    pub(super) fn row(self) -> &'a R {
        match self {
            Self::Same(_, row) | Self::Other(row) => row,
        }
    }
}

/// The new rows, stored as differences from the published rows. Rows are compared once, while they
/// are read, because most changes affect one or two rows, and equal rows are not copied.
#[derive(Debug)]
pub(super) struct Fresh<R> {
    /// The number of published rows compared so far.
    passed: usize,
    /// Best first.
    edits: Vec<Edit>,
    /// The row of each edit; for a removal, the published row.
    rows: Vec<R>,
    /// A reused buffer.
    moved: Vec<R>,
}

impl<R> Default for Fresh<R> {
    fn default() -> Self {
        Self { passed: 0, edits: Vec::new(), rows: Vec::new(), moved: Vec::new() }
    }
}

impl<R: Row> Fresh<R> {
    /// Resets to no differences.
    pub(super) fn clear(&mut self) {
        self.passed = 0;
        self.edits.clear();
        self.rows.clear();
    }

    /// Adds the next new row; `shown` are the published rows of the side, the same in each call.
    #[inline]
    pub(super) fn push(&mut self, (shown, side): (&[R], Side), row: R) {
        if shown.get(self.passed) == Some(&row) {
            self.passed += 1;
        } else {
            self.push_other((shown, side), &row);
        }
    }

    /// Adds a row that differs from the next published row, like [`Fresh::push`].
    fn push_other(&mut self, (shown, side): (&[R], Side), row: &R) {
        while let Some(was) = shown.get(self.passed) {
            match was.place(row, side) {
                Ordering::Less => self.edit(Kind::Went, was),
                Ordering::Equal => {
                    self.edit(Kind::Became, row);
                    self.passed += 1;
                    return;
                }
                Ordering::Greater => break,
            }
            self.passed += 1;
            if shown.get(self.passed) == Some(row) {
                self.passed += 1;
                return;
            }
        }
        self.edit(Kind::Came, row);
    }

    fn edit(&mut self, kind: Kind, row: &R) {
        self.edits.push(Edit { kind, at: self.passed });
        self.rows.push(*row);
    }

    pub(super) fn end(&mut self, shown: &[R]) {
        while let Some(was) = shown.get(self.passed) {
            self.edit(Kind::Went, was);
            self.passed += 1;
        }
    }

    pub(super) fn all(&self) -> &[R] {
        debug_assert!(self.passed == 0, "Invariant: nothing is published");
        &self.rows
    }

    /// Whether there are no differences.
    pub(super) fn is_all_same(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns a lower bound of the number of unchanged rows at the front.
    pub(super) fn same(&self) -> usize {
        self.edits.first().map_or(usize::MAX, |edit| edit.at)
    }

    /// The differences, best first.
    pub(super) fn differences(&self) -> impl Iterator<Item = Difference<'_, R>> + Clone {
        self.edits.iter().zip(&self.rows).map(|(edit, row)| match edit.kind {
            Kind::Came => Difference::Came(row),
            Kind::Became => Difference::Became(row),
            Kind::Went => Difference::Went(row),
        })
    }

    /// The new rows, best first.
    #[inline]
    pub(super) fn rows<'a>(&'a self, shown: &'a [R]) -> impl Iterator<Item = Now<'a, R>> {
        let (mut edits, mut at) = (self.edits.iter().zip(&self.rows).peekable(), 0);
        std::iter::from_fn(move || {
            while let Some((edit, row)) = edits.next_if(|(edit, _)| edit.at == at) {
                at += usize::from(edit.kind != Kind::Came);
                if edit.kind != Kind::Went {
                    return Some(Now::Other(row));
                }
            }
            let row = shown.get(at)?;
            at += 1;
            Some(Now::Same(at - 1, row))
        })
    }

    /// The first of [`Self::rows`]; `None` without rows.
    pub(super) fn first<'a>(&'a self, shown: &'a [R]) -> Option<&'a R> {
        self.rows(shown).next().map(Now::row)
    }

    /// Replaces the published rows by the new ones.
    pub(super) fn publish(&mut self, shown: &mut Vec<R>) {
        let mut edits = self.edits.iter().zip(&self.rows).peekable();
        while let Some((edit, row)) = edits.next_if(|(edit, _)| edit.kind == Kind::Became) {
            shown[edit.at] = *row;
        }
        // Rows after an insertion or removal shift.
        let Some((first, _)) = edits.peek() else { return };
        let (start, mut at) = (first.at, first.at);
        self.moved.clear();
        for (edit, row) in edits {
            self.moved.extend_from_slice(&shown[at..edit.at]);
            at = edit.at + usize::from(edit.kind != Kind::Came);
            if edit.kind != Kind::Went {
                self.moved.push(*row);
            }
        }
        self.moved.extend_from_slice(&shown[at..]);
        shown.truncate(start);
        shown.extend_from_slice(&self.moved);
    }
}
