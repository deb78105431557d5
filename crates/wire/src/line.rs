//! A short JSON text of bounded length, written in place.

use crate::digits::{DIGITS_MAX, Digits};

/// A line of a body: literals, like those of [`crate::writer::JsonWriter`], and digits.
///
/// # Panics
/// Its methods panic when a line, with the padding of its last number, exceeds `MAX` bytes.
#[derive(Debug)]
pub(crate) struct Line<'a, const MAX: usize, const NESTED: bool> {
    text: &'a mut [u8; MAX],
    end: usize,
}

impl<'a, const MAX: usize, const NESTED: bool> Line<'a, MAX, NESTED> {
    /// Writes a line at the start of `text` and returns its length.
    #[inline(always)]
    pub(crate) fn fill(text: &'a mut [u8; MAX], write: impl FnOnce(&mut Self)) -> usize {
        let mut line = Self { text, end: 0 };
        write(&mut line);
        line.end
    }

    /// Appends the plain or the escaped form of a text, whichever this line needs. See `literal!`.
    #[inline(always)]
    pub(crate) fn either(&mut self, plain: &[u8], nested: &[u8]) {
        let piece = if NESTED { nested } else { plain };
        self.text[self.end..][..piece.len()].copy_from_slice(piece);
        self.end += piece.len();
    }

    /// Appends a number. Copies a fixed length; later text overwrites the bytes after the number.
    #[inline(always)]
    pub(crate) fn digits(&mut self, digits: &Digits) {
        self.text[self.end..][..DIGITS_MAX].copy_from_slice(&digits.text);
        self.end += digits.count;
    }
}
