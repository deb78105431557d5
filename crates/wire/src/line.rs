//! A short piece of JSON text of bounded length, written in place.

use crate::digits::{DIGITS_MAX, Digits};

/// A line of a body: literals, as [`crate::writer::JsonWriter`] takes them, and digits.
///
/// # Panics
/// Its methods do when a line is longer than `MAX` bytes, or a number ends less than its unused
/// places before that.
#[derive(Debug)]
pub(crate) struct Line<'a, const MAX: usize, const NESTED: bool> {
    text: &'a mut [u8; MAX],
    end: usize,
}

impl<'a, const MAX: usize, const NESTED: bool> Line<'a, MAX, NESTED> {
    /// Writes a line to the beginning of a text and returns its length.
    #[inline(always)]
    pub(crate) fn fill(text: &'a mut [u8; MAX], write: impl FnOnce(&mut Self)) -> usize {
        let mut line = Self { text, end: 0 };
        write(&mut line);
        line.end
    }

    /// Appends the one of two forms of a text that this line has. See `literal!`.
    #[inline(always)]
    pub(crate) fn either(&mut self, plain: &[u8], nested: &[u8]) {
        let piece = if NESTED { nested } else { plain };
        self.text[self.end..][..piece.len()].copy_from_slice(piece);
        self.end += piece.len();
    }

    /// Appends a number. All of its text is copied, and what is too much is written over.
    #[inline(always)]
    pub(crate) fn digits(&mut self, digits: &Digits) {
        self.text[self.end..][..DIGITS_MAX].copy_from_slice(&digits.text);
        self.end += digits.count;
    }
}
