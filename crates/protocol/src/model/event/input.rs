//! A reader of the bytes of a record, from the front, field by field.

use super::field::DISCRIMINATOR_BYTES;
use crate::model::error::ProtocolError;
use crate::velocity::layouts::ORDER;

/// The bytes that are read for a field that an old record lacks. The longest element is an order.
static ZEROS: [u8; ORDER.size] = [0; ORDER.size];

/// The rest of a record.
pub(super) struct Input<'a> {
    data: &'a [u8],
    at: usize,
    /// Whether the record ended before the current field.
    is_over: bool,
}

impl<'a> Input<'a> {
    /// Returns a reader at the first field of a record, whose discriminator was checked.
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self { data, at: DISCRIMINATOR_BYTES.min(data.len()), is_over: false }
    }

    /// Begins the next field of the record. Do not call this for fields of a struct inside the
    /// record: a record that ends inside a struct is malformed.
    #[inline]
    pub(super) fn begin_field(&mut self) {
        self.is_over = self.at == self.data.len();
    }

    /// Takes the next bytes of the record.
    ///
    /// # Errors
    /// [`ProtocolError::WrongLength`] when the record ends within these bytes.
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
