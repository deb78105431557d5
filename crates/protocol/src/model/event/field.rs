//! The types that describe the layout of an event record.

use crate::layout::FieldType;
use crate::model::error::ProtocolError;

/// Bytes of the discriminator, with which every record begins.
pub const DISCRIMINATOR_BYTES: usize = 8;

/// The type of a field of a record, in borsh encoding: no padding, lengths before contents.
#[derive(Clone, Copy, Debug)]
pub enum EventFieldType {
    /// One element.
    One(FieldType),
    /// A byte 0 for none, or a byte 1 and then one element.
    Option(FieldType),
    /// So many elements.
    Many(FieldType, usize),
    /// A length of 4 bytes, and then that number of elements.
    List(FieldType),
    /// A length of 4 bytes, and then that number of bytes of UTF-8.
    Text,
    /// A struct with fields of its own.
    Group(&'static [EventField]),
}

/// One field of a record.
#[derive(Clone, Copy, Debug)]
pub struct EventField {
    /// The field's name in interfaces: the name that the program uses, in camelCase.
    pub name: &'static str,
    /// Its type.
    pub field_type: EventFieldType,
}

/// The layout of a record: its fields follow the discriminator in order.
#[derive(Debug)]
pub struct EventLayout {
    /// The program's name of the record.
    pub name: &'static str,
    /// The bytes that it begins with.
    pub discriminator: [u8; DISCRIMINATOR_BYTES],
    /// The fields, in order.
    pub fields: &'static [EventField],
}

impl EventLayout {
    /// Checks that the bytes begin with the discriminator of this kind of record.
    ///
    /// # Errors
    /// [`ProtocolError::WrongLength`] when the bytes are shorter than a discriminator,
    /// [`ProtocolError::WrongDiscriminator`] when they begin with another discriminator.
    pub fn check(&self, data: &[u8]) -> Result<(), ProtocolError> {
        let Some(discriminator) = data.first_chunk() else {
            let expected = DISCRIMINATOR_BYTES;
            return Err(ProtocolError::WrongLength { expected, actual: data.len() });
        };
        if *discriminator == self.discriminator {
            return Ok(());
        }
        Err(ProtocolError::WrongDiscriminator { discriminator: *discriminator })
    }
}
