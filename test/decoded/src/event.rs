//! Writes any record as JSON text, field by field by its layout.

use slotbook_protocol::layout::FieldType;
use slotbook_protocol::model::error::ProtocolError;
use slotbook_protocol::model::event::field::{
    DISCRIMINATOR_BYTES, EventField, EventFieldType, EventLayout,
};

use crate::account::push_element;

/// The bytes that are read for a field that an old record lacks: more than the longest element has.
static ZEROS: [u8; 1_024] = [0; 1_024];

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
pub fn event_json(
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
        EventFieldType::Option(element) => match input.take(1)?[0] {
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
    let bytes = input.take(4)?.try_into().expect("Invariant: four bytes were taken");
    Ok(usize::try_from(u32::from_le_bytes(bytes)).unwrap_or(usize::MAX))
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

/// The rest of a record.
struct Input<'a> {
    data: &'a [u8],
    at: usize,
    /// Whether the record ended before the current field.
    is_over: bool,
}

impl<'a> Input<'a> {
    /// Returns a reader at the first field of a record, whose discriminator was checked.
    fn new(data: &'a [u8]) -> Self {
        Self { data, at: DISCRIMINATOR_BYTES.min(data.len()), is_over: false }
    }

    /// Begins the next field of the record. Do not call this for fields of a struct inside the
    /// record: a record that ends inside a struct is malformed.
    fn begin_field(&mut self) {
        self.is_over = self.at == self.data.len();
    }

    /// Returns whether the record ended before the current field.
    fn is_over(&self) -> bool {
        self.is_over
    }

    /// Bytes after the last field.
    fn rest(&self) -> usize {
        self.data.len() - self.at
    }

    /// Takes the next bytes of the record.
    ///
    /// # Errors
    /// [`ProtocolError::WrongLength`] when the record ends within these bytes.
    fn take(&mut self, bytes: usize) -> Result<&'a [u8], ProtocolError> {
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
