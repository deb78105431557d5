//! The bytes of a record, taken from the front, field by field.

use super::field::DISCRIMINATOR_BYTES;
use crate::model::error::ProtocolError;
use crate::velocity::layouts::ORDER;

/// What fields read that an old record does not have yet. The longest element is an order.
static ZEROS: [u8; ORDER.size] = [0; ORDER.size];

/// The rest of a record.
pub(super) struct Input<'a> {
    data: &'a [u8],
    at: usize,
    /// The record ended before the field that is being read.
    is_over: bool,
}

impl<'a> Input<'a> {
    /// The fields of a record, whose discriminator has been checked.
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self { data, at: DISCRIMINATOR_BYTES.min(data.len()), is_over: false }
    }

    /// Begins the next field of the record. Fields of a struct in it do not count: a record that
    /// ends among those is cut.
    #[inline]
    pub(super) fn begin_field(&mut self) {
        self.is_over = self.at == self.data.len();
    }

    /// Begins a field that no record of the program has.
    #[inline]
    pub(super) fn begin_absent_field(&mut self) {
        self.is_over = true;
    }

    /// Whether the current field is after the end of the record.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Bytes after the last field.
    pub(super) fn rest(&self) -> usize {
        self.data.len() - self.at
    }

    /// The next bytes.
    ///
    /// # Errors
    /// [`ProtocolError::WrongLength`] when the record ends inside them.
    #[inline]
    pub(super) fn take(&mut self, bytes: usize) -> Result<&'a [u8], ProtocolError> {
        if self.is_over {
            return ZEROS.get(..bytes).ok_or_else(|| self.cut(bytes));
        }
        let end = self.at.saturating_add(bytes);
        let taken = self.data.get(self.at..end).ok_or_else(|| self.cut(bytes))?;
        self.at = end;
        Ok(taken)
    }

    fn cut(&self, bytes: usize) -> ProtocolError {
        let expected = self.at.saturating_add(bytes);
        ProtocolError::WrongLength { expected, actual: self.data.len() }
    }
}
