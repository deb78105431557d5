//! Writes an account as JSON text, field by field by its layout table.

use core::fmt::Write;

use super::{Field, FieldType, Layout, Shape, one};
use crate::bytes::{
    bool_at, i8_at, i16_at, i32_at, i64_at, i128_at, key_at, u8_at, u16_at, u32_at, u64_at, u128_at,
};
use crate::model::error::ProtocolError;

/// Bytes of a list's length.
const LIST_LENGTH_BYTES: usize = 4;

/// Writes the JSON that [`crate::model::Program::decode_json`] documents; the caller has checked
/// the kind of the account.
pub(crate) fn decode_json(
    layout: &Layout,
    data: &[u8],
    out: &mut String,
) -> Result<(), ProtocolError> {
    let start = out.len();
    let written = Writer { data, shift: 0, out }.layout(layout, 0);
    if written.is_err() {
        out.truncate(start);
    }
    written
}

/// Appends one element, whose bytes are at the front of `data`, in the format of [`decode_json`].
pub(crate) fn push_element(
    name: &'static str,
    element: FieldType,
    data: &[u8],
    out: &mut String,
) -> Result<(), ProtocolError> {
    Writer { data, shift: 0, out }.element(&one(name, element, 0), 0)
}

struct Writer<'a> {
    data: &'a [u8],
    /// Bytes by which the lists so far move the offsets of the later fields.
    shift: usize,
    out: &'a mut String,
}

impl Writer<'_> {
    fn layout(&mut self, layout: &Layout, base: usize) -> Result<(), ProtocolError> {
        // The base offset of an inner struct includes the shift by earlier lists already.
        let shifted_before = self.shift;
        self.out.push('{');
        for (index, field) in layout.fields.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.out.push('"');
            self.out.push_str(field.name);
            self.out.push_str("\":");
            self.field(field, base + field.offset + self.shift - shifted_before)?;
        }
        self.out.push('}');
        Ok(())
    }

    fn field(&mut self, field: &Field, at: usize) -> Result<(), ProtocolError> {
        match field.shape {
            Shape::One => self.element(field, at),
            // The account lacks the padding at its end.
            Shape::Many(_) if at >= self.data.len() => self.elements(field, at, 0),
            Shape::Many(count) => self.elements(field, at, count),
            Shape::List => {
                self.require(at, LIST_LENGTH_BYTES)?;
                let count = usize::try_from(u32_at(self.data, at)).unwrap_or(usize::MAX);
                let bytes = count.saturating_mul(field.element.size());
                self.require(at, bytes.saturating_add(LIST_LENGTH_BYTES))?;
                self.elements(field, at + LIST_LENGTH_BYTES, count)?;
                self.shift += bytes;
                Ok(())
            }
        }
    }

    fn elements(&mut self, field: &Field, at: usize, count: usize) -> Result<(), ProtocolError> {
        self.out.push('[');
        for index in 0..count {
            if index > 0 {
                self.out.push(',');
            }
            self.element(field, at + index * field.element.size())?;
        }
        self.out.push(']');
        Ok(())
    }

    fn element(&mut self, field: &Field, at: usize) -> Result<(), ProtocolError> {
        self.require(at, field.element.size())?;
        let data = self.data;
        match field.element {
            FieldType::U8 => self.number(u8_at(data, at)),
            FieldType::I8 => self.number(i8_at(data, at)),
            FieldType::U16 => self.number(u16_at(data, at)),
            FieldType::I16 => self.number(i16_at(data, at)),
            FieldType::U32 => self.number(u32_at(data, at)),
            FieldType::I32 => self.number(i32_at(data, at)),
            FieldType::U64 => self.text(u64_at(data, at)),
            FieldType::I64 => self.text(i64_at(data, at)),
            FieldType::U128 => self.text(u128_at(data, at)),
            FieldType::I128 => self.text(i128_at(data, at)),
            FieldType::Key => self.text(key_at(data, at)),
            FieldType::Bool => {
                self.number(bool_at(data, at, field.name)?);
            }
            FieldType::Enum(names) => {
                let value = u8_at(data, at);
                let name = names.get(usize::from(value));
                self.text(*name.ok_or(ProtocolError::InvalidEnum { field: field.name, value })?);
            }
            FieldType::Struct(layout) => return self.layout(layout, at),
        }
        Ok(())
    }

    /// Checks the length: lists can exceed the account's bytes; all other fields are within the
    /// length that was checked.
    fn require(&self, at: usize, bytes: usize) -> Result<(), ProtocolError> {
        let expected = at.saturating_add(bytes);
        if expected <= self.data.len() {
            return Ok(());
        }
        Err(ProtocolError::WrongLength { expected, actual: self.data.len() })
    }

    fn number(&mut self, value: impl core::fmt::Display) {
        let written = write!(self.out, "{value}");
        debug_assert!(written.is_ok(), "Invariant: writing to a String succeeds");
    }

    fn text(&mut self, value: impl core::fmt::Display) {
        let written = write!(self.out, "\"{value}\"");
        debug_assert!(written.is_ok(), "Invariant: writing to a String succeeds");
    }
}
