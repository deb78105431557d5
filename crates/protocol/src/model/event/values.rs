//! Reads the values of any record, by its layout.

use super::field::{EventField, EventFieldType, EventLayout};
use super::input::Input;
use crate::bytes::{
    bool_at, i8_at, i16_at, i32_at, i64_at, i128_at, key_at, u8_at, u16_at, u32_at, u64_at, u128_at,
};
use crate::layout::{FieldType, Shape};
use crate::model::error::ProtocolError;
use crate::model::units::Pubkey;

/// One value of a record.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// An option without a value.
    Absent,
    /// An unsigned number, of any width.
    Unsigned(u128),
    /// A signed number, of any width.
    Signed(i128),
    /// A truth value.
    Bool(bool),
    /// An address.
    Key(Pubkey),
    /// The name of an enum's variant.
    Name(&'static str),
    /// Bytes of a text or of an array of bytes.
    Bytes(&'a [u8]),
    /// The elements of a list.
    List(FieldType, &'a [u8]),
}

/// The name of a value: that of its field, and of the struct within the record that has the field,
/// which is empty for fields of the record itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueName {
    /// The field of the record that holds the struct.
    pub group: &'static str,
    /// The field.
    pub name: &'static str,
}

impl ValueName {
    /// The name of a field of the record itself.
    #[must_use]
    pub const fn own(name: &'static str) -> Self {
        Self { group: "", name }
    }
}

/// Returns the names of a record's values, in their order; it is the same for all records of a
/// layout.
#[must_use]
pub fn value_names(layout: &EventLayout) -> Vec<ValueName> {
    let mut names = Vec::with_capacity(layout.fields.len());
    push_names("", layout.fields, &mut names);
    names
}

fn push_names(group: &'static str, fields: &[EventField], names: &mut Vec<ValueName>) {
    for field in fields {
        match field.field_type {
            EventFieldType::Group(inner) => push_names(field.name, inner, names),
            EventFieldType::One(FieldType::Struct(inner)) => {
                let of_struct =
                    |one: &crate::layout::Field| ValueName { group: field.name, name: one.name };
                names.extend(inner.fields.iter().map(of_struct));
            }
            _ => names.push(ValueName { group, name: field.name }),
        }
    }
}

/// Appends the values of a record, in the order of [`value_names`]. Fields that the record lacks at
/// its end are zero or absent. An unknown `actionExplanation` is read as none, because programs add
/// some and no other field depends on them.
///
/// # Errors
/// [`ProtocolError::WrongLength`] when the record ends inside a field,
/// [`ProtocolError::WrongDiscriminator`] or [`ProtocolError::InvalidEnum`].
pub fn read_values<'a>(
    layout: &EventLayout,
    data: &'a [u8],
    values: &mut Vec<Value<'a>>,
) -> Result<(), ProtocolError> {
    layout.check(data)?;
    let mut input = Input::new(data);
    for field in layout.fields {
        input.begin_field();
        push_field(field, &mut input, values)?;
    }
    Ok(())
}

fn push_field<'a>(
    field: &EventField,
    input: &mut Input<'a>,
    values: &mut Vec<Value<'a>>,
) -> Result<(), ProtocolError> {
    match field.field_type {
        EventFieldType::One(FieldType::Struct(inner)) => {
            let bytes = input.take(inner.size)?;
            for one in inner.fields {
                let part = &bytes[one.offset..];
                values.push(match one.shape {
                    Shape::Many(count) => list_of(one.element, &part[..count * one.element.size()]),
                    _ => value_of(one.name, one.element, part)?,
                });
            }
        }
        EventFieldType::One(element) => {
            values.push(value_of(field.name, element, input.take(element.size())?)?);
        }
        EventFieldType::Option(element) => values.push(match u8_at(input.take(1)?, 0) {
            0 => Value::Absent,
            1 => value_of(field.name, element, input.take(element.size())?)?,
            value => return Err(ProtocolError::InvalidEnum { field: field.name, value }),
        }),
        EventFieldType::Many(element, count) => {
            values.push(list_of(element, input.take(element.size() * count)?));
        }
        EventFieldType::List(element) => {
            let bytes = element.size().saturating_mul(take_length(input)?);
            values.push(list_of(element, input.take(bytes)?));
        }
        EventFieldType::Text => {
            let bytes = take_length(input)?;
            values.push(Value::Bytes(input.take(bytes)?));
        }
        EventFieldType::Group(fields) => {
            for inner in fields {
                push_field(inner, input, values)?;
            }
        }
    }
    Ok(())
}

fn take_length(input: &mut Input<'_>) -> Result<usize, ProtocolError> {
    Ok(usize::try_from(u32_at(input.take(4)?, 0)).unwrap_or(usize::MAX))
}

fn list_of(element: FieldType, bytes: &[u8]) -> Value<'_> {
    if matches!(element, FieldType::U8) { Value::Bytes(bytes) } else { Value::List(element, bytes) }
}

/// Returns the value of an element at the front of `bytes`, whose length was checked.
///
/// # Errors
/// [`ProtocolError::InvalidEnum`].
pub fn value_of<'a>(
    name: &'static str,
    element: FieldType,
    bytes: &'a [u8],
) -> Result<Value<'a>, ProtocolError> {
    Ok(match element {
        FieldType::U8 => Value::Unsigned(u8_at(bytes, 0).into()),
        FieldType::I8 => Value::Signed(i8_at(bytes, 0).into()),
        FieldType::U16 => Value::Unsigned(u16_at(bytes, 0).into()),
        FieldType::I16 => Value::Signed(i16_at(bytes, 0).into()),
        FieldType::U32 => Value::Unsigned(u32_at(bytes, 0).into()),
        FieldType::I32 => Value::Signed(i32_at(bytes, 0).into()),
        FieldType::U64 => Value::Unsigned(u64_at(bytes, 0).into()),
        FieldType::I64 => Value::Signed(i64_at(bytes, 0).into()),
        FieldType::U128 => Value::Unsigned(u128_at(bytes, 0)),
        FieldType::I128 => Value::Signed(i128_at(bytes, 0)),
        FieldType::Bool => Value::Bool(bool_at(bytes, 0, name)?),
        FieldType::Key => Value::Key(key_at(bytes, 0)),
        FieldType::Enum(names) => Value::Name(variant_of(name, names, u8_at(bytes, 0))?),
        FieldType::Struct(_) => Value::Bytes(bytes),
    })
}

/// Returns the name of a variant; an unknown explanation is the first one.
fn variant_of(
    name: &'static str,
    names: &'static [&'static str],
    value: u8,
) -> Result<&'static str, ProtocolError> {
    match names.get(usize::from(value)) {
        Some(variant) => Ok(variant),
        None if name == "actionExplanation" => Ok(names[0]),
        None => Err(ProtocolError::InvalidEnum { field: name, value }),
    }
}

/// The values of a record by name.
#[derive(Debug)]
pub struct Values<'a> {
    names: Vec<ValueName>,
    values: Vec<Value<'a>>,
}

impl<'a> Values<'a> {
    /// Reads all values of a record.
    ///
    /// # Errors
    /// As [`read_values`].
    pub fn read(layout: &EventLayout, data: &'a [u8]) -> Result<Self, ProtocolError> {
        let names = value_names(layout);
        let mut values = Vec::with_capacity(names.len());
        read_values(layout, data, &mut values)?;
        Ok(Self { names, values })
    }

    /// Returns a value by its name and that of its struct.
    #[must_use]
    pub fn find(&self, name: ValueName) -> Option<Value<'a>> {
        let at = self.names.iter().position(|known| *known == name)?;
        self.values.get(at).copied()
    }

    /// Returns a value of the record itself.
    #[must_use]
    pub fn own(&self, name: &'static str) -> Option<Value<'a>> {
        self.find(ValueName::own(name))
    }

    /// An unsigned number that fits.
    #[must_use]
    pub fn unsigned<T: TryFrom<u128>>(&self, name: &'static str) -> Option<T> {
        unsigned(self.own(name))
    }

    /// A signed number; 0 when there is none.
    #[must_use]
    pub fn signed<T: TryFrom<i128> + Default>(&self, name: &'static str) -> T {
        match self.own(name) {
            Some(Value::Signed(number)) => T::try_from(number).unwrap_or_default(),
            _ => T::default(),
        }
    }

    /// The name of a variant.
    #[must_use]
    pub fn name(&self, name: &'static str) -> Option<&'static str> {
        match self.own(name) {
            Some(Value::Name(variant)) => Some(variant),
            _ => None,
        }
    }

    /// An address.
    #[must_use]
    pub fn account(&self, name: &'static str) -> Option<Pubkey> {
        match self.own(name) {
            Some(Value::Key(key)) => Some(key),
            _ => None,
        }
    }
}

/// An unsigned number that fits.
pub(super) fn unsigned<T: TryFrom<u128>>(value: Option<Value<'_>>) -> Option<T> {
    match value {
        Some(Value::Unsigned(number)) => T::try_from(number).ok(),
        _ => None,
    }
}
