//! From JSON back to bytes, by the same tables: what a decoder wrote must hold all that it read.

use serde_json::Value;
use slotbook_protocol::layout::{Field, FieldType, Layout, Shape};
use slotbook_protocol::model::units::Pubkey;

/// Appends the fields of a struct. An account's discriminator is the caller's.
pub(crate) fn push_layout(layout: &Layout, value: &Value, out: &mut Vec<u8>) {
    let object = value.as_object().unwrap();
    assert_eq!(object.len(), layout.fields.len(), "every field is written once");
    for field in layout.fields {
        push_field(field, &object[field.name], out);
    }
}

fn push_field(field: &Field, value: &Value, out: &mut Vec<u8>) {
    match field.shape {
        Shape::One => return push_element(field.element, value, out),
        Shape::Many(count) => assert_eq!(value.as_array().unwrap().len(), count),
        Shape::List => push_length(value.as_array().unwrap().len(), out),
    }
    value.as_array().unwrap().iter().for_each(|value| push_element(field.element, value, out));
}

/// Appends the length of a list or a text.
pub(crate) fn push_length(length: usize, out: &mut Vec<u8>) {
    out.extend(u32::try_from(length).unwrap().to_le_bytes());
}

/// Appends one element.
pub(crate) fn push_element(element: FieldType, value: &Value, out: &mut Vec<u8>) {
    macro_rules! number {
        ($number:ty) => {{
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            out.extend(text.parse::<$number>().unwrap().to_le_bytes())
        }};
    }
    match element {
        FieldType::U8 => number!(u8),
        FieldType::I8 => number!(i8),
        FieldType::U16 => number!(u16),
        FieldType::I16 => number!(i16),
        FieldType::U32 => number!(u32),
        FieldType::I32 => number!(i32),
        FieldType::U64 => number!(u64),
        FieldType::I64 => number!(i64),
        FieldType::U128 => number!(u128),
        FieldType::I128 => number!(i128),
        FieldType::Bool => out.push(u8::from(value.as_bool().unwrap())),
        FieldType::Key => out.extend(value.as_str().unwrap().parse::<Pubkey>().unwrap().0),
        FieldType::Enum(names) => {
            let found = names.iter().position(|name| *name == value.as_str().unwrap());
            out.push(u8::try_from(found.unwrap()).unwrap());
        }
        FieldType::Struct(layout) => push_layout(layout, value, out),
    }
}
