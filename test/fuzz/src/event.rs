//! Records of the program's events: every kind as JSON, and its head.

use serde_json::Value;
use slotbook_decoded::{Fit, event_json};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::event::field::{
    DISCRIMINATOR_BYTES, EventField, EventFieldType, EventLayout,
};
use slotbook_protocol::model::event::head::Head;

use crate::reencode::{push_element, push_length};

/// Characters of JSON that one byte of a record may become, beside the names of its fields.
const CHARACTERS_A_BYTE_MAX: usize = 32;

/// Characters of a record of zeros: names, and fields that an old record does not have.
const CHARACTERS_OF_NAMES_MAX: usize = 8 << 10;

/// A byte for the kind of record, then its fields; or, beyond all kinds, a record as it is.
pub(crate) fn run(input: &[u8]) {
    let (kind, fields) = input.split_first().unwrap_or((&0, &[]));
    let layouts = Program::Drift.events().iter().chain(Program::Velocity.events());
    match layouts.clone().nth(usize::from(*kind)) {
        Some(layout) => check(layout, &[&layout.discriminator, fields].concat()),
        None => layouts.for_each(|layout| check(layout, fields)),
    }
}

fn json(layout: &EventLayout, data: &[u8]) -> Option<(Fit, String)> {
    let mut text = String::from("before");
    let fit = event_json(layout, data, &mut text);
    assert_eq!(fit.is_ok(), text != "before", "nothing is left of a failure");
    fit.ok().map(|fit| (fit, text.split_off("before".len())))
}

fn check(layout: &EventLayout, data: &[u8]) {
    let decoded = json(layout, data);
    if layout.check(data).is_ok() {
        check_head(layout, data, decoded.as_ref().map(|(_, text)| text.as_str()));
    }
    let Some((fit, text)) = decoded else { return };
    let length_max = data.len() * CHARACTERS_A_BYTE_MAX + CHARACTERS_OF_NAMES_MAX;
    assert!(text.len() <= length_max, "text is bounded by its record");
    let value: Value = serde_json::from_str(&text).unwrap();
    let mut again = layout.discriminator.to_vec();
    let present = layout.fields.len() - fit.fields_missing;
    push_fields(&layout.fields[..present], &value, &mut again);
    let end = data.len() - fit.bytes_behind;
    assert!(again == data[..end], "the same bytes come back");
    for cut in [end.saturating_sub(1), end / 2, DISCRIMINATOR_BYTES - 1] {
        let Some((cut, _)) = json(layout, &data[..cut]) else { continue };
        assert!(cut.fields_missing > fit.fields_missing, "a cut record has fewer fields");
    }
}

/// A head is read where the text is written, but for one enum that may grow.
fn check_head(layout: &EventLayout, data: &[u8], text: Option<&str>) {
    let Ok(head) = Head::read(layout, data) else { return };
    let Some(text) = text else { return };
    let value: Value = serde_json::from_str(text).unwrap();
    if layout.fields.first().is_some_and(|field| field.name == "ts") {
        assert_eq!(value["ts"], head.ts.to_string(), "the time of the text");
    }
    if let Some(amounts) = head.amounts {
        assert_eq!(value["oraclePrice"], amounts.oracle.to_string(), "the price of the text");
    }
}

fn push_fields(fields: &[EventField], value: &Value, out: &mut Vec<u8>) {
    for field in fields {
        push_field(field, &value[field.name], out);
    }
}

fn push_field(field: &EventField, value: &Value, out: &mut Vec<u8>) {
    let elements = || value.as_array().unwrap();
    match field.field_type {
        EventFieldType::One(element) => push_element(element, value, out),
        EventFieldType::Option(_) if value.is_null() => out.push(0),
        EventFieldType::Option(element) => {
            out.push(1);
            push_element(element, value, out);
        }
        EventFieldType::Many(element, count) => {
            assert_eq!(elements().len(), count);
            elements().iter().for_each(|value| push_element(element, value, out));
        }
        EventFieldType::List(element) => {
            push_length(elements().len(), out);
            elements().iter().for_each(|value| push_element(element, value, out));
        }
        EventFieldType::Text => {
            let text = value.as_str().unwrap();
            push_length(text.len(), out);
            out.extend(text.as_bytes());
        }
        EventFieldType::Group(fields) => push_fields(fields, value, out),
    }
}
