//! Writes any record as JSON text, field by field by its layout.

use super::field::{EventField, EventFieldType, EventLayout};
use super::input::Input;
use crate::bytes::{u8_at, u32_at};
use crate::layout::FieldType;
use crate::layout::push_element;
use crate::model::error::ProtocolError;

/// How a record fitted its description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Number of fields of the layout that the record lacks at its end.
    pub fields_missing: usize,
    /// Number of bytes of the record after its last known field.
    pub bytes_behind: usize,
}

/// Appends a record as JSON: keys in camelCase in the record's order, integers of 64 bits and wider
/// as decimal text, addresses in base58, enums by the program's names, absent options as null.
/// Fields that the record lacks at its end are written as zero or null. On an error, nothing
/// remains appended.
///
/// # Errors
/// [`ProtocolError::WrongDiscriminator`], [`ProtocolError::WrongLength`] when the record ends
/// inside a field, [`ProtocolError::InvalidEnum`] or [`ProtocolError::MalformedText`].
pub fn decode_json(
    layout: &EventLayout,
    data: &[u8],
    out: &mut String,
) -> Result<Fit, ProtocolError> {
    layout.check(data)?;
    let start = out.len();
    let written = write_fields(layout.fields, data, out);
    if written.is_err() {
        out.truncate(start);
    }
    written
}

fn write_fields(
    fields: &[EventField],
    data: &[u8],
    out: &mut String,
) -> Result<Fit, ProtocolError> {
    let mut input = Input::new(data);
    let mut fields_missing = 0;
    out.push('{');
    for (index, field) in fields.iter().enumerate() {
        input.begin_field();
        fields_missing += usize::from(input.is_over());
        write_field(index, field, &mut input, out)?;
    }
    out.push('}');
    Ok(Fit { fields_missing, bytes_behind: input.rest() })
}

fn write_field(
    index: usize,
    field: &EventField,
    input: &mut Input<'_>,
    out: &mut String,
) -> Result<(), ProtocolError> {
    if index > 0 {
        out.push(',');
    }
    out.push('"');
    out.push_str(field.name);
    out.push_str("\":");
    match field.field_type {
        EventFieldType::One(element) => write_element(field.name, element, input, out),
        EventFieldType::Option(element) => match u8_at(input.take(1)?, 0) {
            0 => {
                out.push_str("null");
                Ok(())
            }
            1 => write_element(field.name, element, input, out),
            value => Err(ProtocolError::InvalidEnum { field: field.name, value }),
        },
        EventFieldType::Many(element, count) => {
            write_elements(field.name, element, count, input, out)
        }
        EventFieldType::List(element) => {
            let count = take_length(input)?;
            write_elements(field.name, element, count, input, out)
        }
        EventFieldType::Text => {
            let bytes = take_length(input)?;
            write_text(field.name, input.take(bytes)?, out)
        }
        EventFieldType::Group(fields) => {
            out.push('{');
            for (index, field) in fields.iter().enumerate() {
                write_field(index, field, input, out)?;
            }
            out.push('}');
            Ok(())
        }
    }
}

fn take_length(input: &mut Input<'_>) -> Result<usize, ProtocolError> {
    Ok(usize::try_from(u32_at(input.take(4)?, 0)).unwrap_or(usize::MAX))
}

/// Writes each element as soon as it is read, so that a wrong length causes no allocation.
fn write_elements(
    name: &'static str,
    element: FieldType,
    count: usize,
    input: &mut Input<'_>,
    out: &mut String,
) -> Result<(), ProtocolError> {
    out.push('[');
    for index in 0..count {
        if index > 0 {
            out.push(',');
        }
        write_element(name, element, input, out)?;
    }
    out.push(']');
    Ok(())
}

fn write_element(
    name: &'static str,
    element: FieldType,
    input: &mut Input<'_>,
    out: &mut String,
) -> Result<(), ProtocolError> {
    push_element(name, element, input.take(element.size())?, out)
}

fn write_text(name: &'static str, bytes: &[u8], out: &mut String) -> Result<(), ProtocolError> {
    let text = str::from_utf8(bytes).map_err(|_| ProtocolError::MalformedText { field: name })?;
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\0'..='\x1f' => push_escape(character, out),
            _ => out.push(character),
        }
    }
    out.push('"');
    Ok(())
}

fn push_escape(character: char, out: &mut String) {
    out.push_str("\\u00");
    for shift in [4, 0] {
        let digit = (u32::from(character) >> shift) & 0xf;
        out.extend(char::from_digit(digit, 16));
    }
}
