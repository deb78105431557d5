//! What the description of a record is made of.

use crate::layout::FieldType;
use crate::model::error::ProtocolError;

/// Bytes of a discriminator, which every record begins with.
pub const DISCRIMINATOR_BYTES: usize = 8;

/// The type of a field of a record, as borsh lays it out: no holes, lengths before contents.
#[derive(Clone, Copy, Debug)]
pub enum EventFieldType {
    /// One element.
    One(FieldType),
    /// A byte 0, or a byte 1 and then one element.
    Option(FieldType),
    /// So many elements.
    Many(FieldType, usize),
    /// A length of 4 bytes, then so many elements.
    List(FieldType),
    /// A length of 4 bytes, then so many bytes of UTF-8.
    Text,
    /// A struct with fields of its own.
    Group(&'static [EventField]),
}

/// One field of a record.
#[derive(Clone, Copy, Debug)]
pub struct EventField {
    /// The field's name in interfaces: the program's name in camelCase.
    pub name: &'static str,
    /// Its type.
    pub field_type: EventFieldType,
}

/// The description of a record: its fields follow the discriminator in order.
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
    /// Checks that bytes are a record of this kind.
    ///
    /// # Errors
    /// [`ProtocolError::WrongLength`] when there are fewer bytes than a discriminator has,
    /// [`ProtocolError::WrongDiscriminator`] when they begin otherwise.
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
