//! Writes an account as JSON text, field by field by its layout table.

use core::fmt::Write;

use slotbook_protocol::layout::{Field, FieldType, Layout, Shape};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::account::AccountKind;
use slotbook_protocol::model::error::ProtocolError;
use slotbook_protocol::model::units::Pubkey;

/// Bytes of a list's length.
const LIST_LENGTH_BYTES: usize = 4;

/// Appends an account as JSON: keys in camelCase in the account's order, integers of 64 bits and
/// wider as decimal text, addresses in base58, enums by the program's names, padding included. On an
/// error, nothing remains appended.
///
/// # Errors
/// The errors of [`Program::check`], or [`ProtocolError::InvalidEnum`].
pub fn account_json(
    program: Program,
    kind: AccountKind,
    data: &[u8],
    out: &mut String,
) -> Result<(), ProtocolError> {
    program.check(kind, data)?;
    let Some(layout) = program.layout(kind) else { return Ok(()) };
    let start = out.len();
    let written = Writer { data, shift: 0, out }.layout(layout, 0);
    if written.is_err() {
        out.truncate(start);
    }
    written
}

/// Appends one element, whose bytes are at the front of `data`, in the format of [`account_json`].
pub(crate) fn push_element(
    name: &'static str,
    element: FieldType,
    data: &[u8],
    out: &mut String,
) -> Result<(), ProtocolError> {
    let field = Field { name, element, offset: 0, shape: Shape::One };
    Writer { data, shift: 0, out }.element(&field, 0)
}

/// Returns the bytes at a place, whose length was checked.
fn bytes_at<const LEN: usize>(data: &[u8], at: usize) -> [u8; LEN] {
    *data[at..].first_chunk().expect("Invariant: the length was checked")
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
                let count = usize::try_from(u32::from_le_bytes(bytes_at(self.data, at)))
                    .unwrap_or(usize::MAX);
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
            FieldType::U8 => self.number(u8::from_le_bytes(bytes_at(data, at))),
            FieldType::I8 => self.number(i8::from_le_bytes(bytes_at(data, at))),
            FieldType::U16 => self.number(u16::from_le_bytes(bytes_at(data, at))),
            FieldType::I16 => self.number(i16::from_le_bytes(bytes_at(data, at))),
            FieldType::U32 => self.number(u32::from_le_bytes(bytes_at(data, at))),
            FieldType::I32 => self.number(i32::from_le_bytes(bytes_at(data, at))),
            FieldType::U64 => self.text(u64::from_le_bytes(bytes_at(data, at))),
            FieldType::I64 => self.text(i64::from_le_bytes(bytes_at(data, at))),
            FieldType::U128 => self.text(u128::from_le_bytes(bytes_at(data, at))),
            FieldType::I128 => self.text(i128::from_le_bytes(bytes_at(data, at))),
            FieldType::Key => self.text(Pubkey(bytes_at(data, at))),
            FieldType::Bool => match data[at] {
                0 => self.number(false),
                1 => self.number(true),
                value => return Err(ProtocolError::InvalidEnum { field: field.name, value }),
            },
            FieldType::Enum(names) => {
                let value = data[at];
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
