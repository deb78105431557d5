//! Renders the stored records of a program as JSON and as CSV, from their bytes.
//!
//! A format of a kind of record is a table of members, each with the value that it shows and how it
//! is written; the layout of the record says where the value is.

use slotbook_protocol::model::error::ProtocolError;
use slotbook_protocol::model::event::field::EventLayout;
use slotbook_protocol::model::event::head::Head;
use slotbook_protocol::model::event::values::{
    Value, ValueName, Values, read_values, value_names, value_of,
};
use slotbook_protocol::model::units::Pubkey;

use crate::order_lives::OrderLives;
pub use crate::record_forms::Form;
use crate::record_forms::{From, How, Member};
use crate::record_members::members_of;
use crate::writer::JsonWriter;

/// Decimals to which base amounts are scaled.
const BASE_PLACES: u32 = 9;
/// Maximum decimals of a token.
const TOKEN_PLACES_MAX: u32 = 18;

/// The market of a record.
#[derive(Clone, Copy, Debug)]
pub struct RecordMarket<'a> {
    /// Its name.
    pub symbol: &'a str,
    /// The decimals of its base token: 9 for perp markets.
    pub decimals: u32,
}

/// A stored record.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The layout of its kind.
    pub layout: &'static EventLayout,
    /// Its bytes, discriminator first.
    pub data: &'a [u8],
    /// The signature of its transaction, base58.
    pub signature: &'a str,
    /// Of the transaction.
    pub slot: u64,
    /// Its index among the program's events of the transaction.
    pub index: u32,
    /// Its market; `None` for records of none.
    pub market: Option<RecordMarket<'a>>,
}

/// Renders records one after the other, and reuses its memory.
#[derive(Debug)]
pub struct RecordWriter<'a> {
    form: Form,
    /// Appended to each object as the member `user`.
    user: Option<&'a str>,
    plan: Vec<(&'static Member, Option<usize>)>,
    plan_of: &'static str,
    scratch: Vec<u8>,
    count: usize,
    lives: OrderLives,
    /// The account, the id and the time of the placed order that is written.
    placed: ((Pubkey, u32), i64),
}

/// How the text of a value is set in JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Setting {
    Bare,
    Quoted,
    /// A text that may need escapes.
    Text,
}

/// A number: its sign and its magnitude.
type Number = (bool, u128);

impl<'a> RecordWriter<'a> {
    /// A writer of one format. `user` is the account whose records these are, if they are of one.
    #[must_use]
    pub fn new(form: Form, user: Option<&'a str>) -> Self {
        Self {
            form,
            user,
            plan: Vec::new(),
            plan_of: "",
            scratch: Vec::new(),
            count: 0,
            lives: OrderLives::default(),
            placed: Default::default(),
        }
    }

    /// Appends a record: as JSON after a comma, except the first; in CSV as a line, the first one
    /// after the names of the members.
    ///
    /// # Errors
    /// The errors of [`read_values`]; then part of the record may be appended.
    pub fn push(&mut self, record: &Record<'_>, out: &mut Vec<u8>) -> Result<(), ProtocolError> {
        let is_action = record.layout.name == "OrderActionRecord";
        if self.form == Form::Orders {
            if is_action {
                self.lives.add(&Values::read(record.layout, record.data)?);
                return Ok(());
            }
            self.placed = placement_of(record)?;
        }
        if self.plan_of != record.layout.name {
            self.make_plan(record.layout);
        }
        let mut values = Vec::with_capacity(self.plan.len());
        read_values(record.layout, record.data, &mut values)?;
        let is_text = self.form == Form::Named && is_action;
        match self.form {
            Form::Csv => self.push_line(record, &values, out)?,
            _ if is_text => {
                let mut text = Vec::new();
                self.push_object(record, &values, &mut text)?;
                self.push_comma(out);
                JsonWriter::new(out).string(&String::from_utf8_lossy(&text));
            }
            _ => {
                self.push_comma(out);
                self.push_object(record, &values, out)?;
            }
        }
        self.count += 1;
        Ok(())
    }

    fn push_comma(&self, out: &mut Vec<u8>) {
        if self.count > 0 {
            out.push(b',');
        }
    }

    fn make_plan(&mut self, layout: &'static EventLayout) {
        let names = value_names(layout);
        self.plan_of = layout.name;
        self.plan = members_of(self.form, layout.name)
            .iter()
            .map(|member| match member.from {
                From::Value(group, name) => {
                    let wanted = ValueName { group, name };
                    (member, names.iter().position(|name| *name == wanted))
                }
                _ => (member, names.iter().position(|name| *name == ValueName::own("ts"))),
            })
            .collect();
    }

    fn push_object(
        &mut self,
        record: &Record<'_>,
        values: &[Value<'_>],
        out: &mut Vec<u8>,
    ) -> Result<(), ProtocolError> {
        let plan = core::mem::take(&mut self.plan);
        out.push(b'{');
        let mut group = "";
        for (at, (member, place)) in plan.iter().enumerate() {
            let separator: &[u8] = if at > 0 { b"," } else { b"" };
            push_name(member, (group, separator), out);
            group = member.group;
            let setting = self.write_member(member, *place, (record, values))?;
            self.set(setting, out);
        }
        if !group.is_empty() {
            out.push(b'}');
        }
        if let Some(user) = self.user {
            out.extend([b",\"user\":\"", user.as_bytes(), b"\""].concat());
        }
        out.push(b'}');
        self.plan = plan;
        Ok(())
    }

    fn push_line(
        &mut self,
        record: &Record<'_>,
        values: &[Value<'_>],
        out: &mut Vec<u8>,
    ) -> Result<(), ProtocolError> {
        let plan = core::mem::take(&mut self.plan);
        for (at, (member, place)) in plan.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            self.write_member(member, *place, (record, values))?;
            push_cell(&self.scratch, out);
        }
        out.extend(b"\r\n");
        self.plan = plan;
        Ok(())
    }

    /// Appends what was written last.
    fn set(&self, setting: Setting, out: &mut Vec<u8>) {
        match setting {
            Setting::Bare => out.extend(&self.scratch),
            Setting::Quoted => {
                out.push(b'"');
                out.extend(&self.scratch);
                out.push(b'"');
            }
            Setting::Text => JsonWriter::new(out).string(&String::from_utf8_lossy(&self.scratch)),
        }
    }

    /// Writes the text of a member into the scratch.
    fn write_member(
        &mut self,
        member: &Member,
        place: Option<usize>,
        (record, values): (&Record<'_>, &[Value<'_>]),
    ) -> Result<Setting, ProtocolError> {
        let text = &mut self.scratch;
        text.clear();
        let decimals = record.market.map(|market| market.decimals);
        match member.from {
            From::Signature => text.extend(record.signature.as_bytes()),
            From::Index => push_number((false, record.index.into()), text),
            From::Slot => push_number((false, record.slot.into()), text),
            From::Symbol => {
                text.extend(record.market.map_or("", |market| market.symbol).as_bytes())
            }
            From::Price => {
                let price = price_of(record).map_or(Value::Absent, Value::Unsigned);
                return write_value(member.how, price, None, text);
            }
            From::Fraction => {
                let fraction = fraction_of(record).map_or(Value::Absent, Value::Signed);
                return write_value(member.how, fraction, None, text);
            }
            From::Outcome(outcome) => {
                let (order, placed_ts) = self.placed;
                let value = self.lives.value(outcome, order, placed_ts);
                return write_value(member.how, value, decimals, text);
            }
            From::Value(..) => {
                let value = place.and_then(|place| values.get(place)).copied();
                return write_value(
                    member.how,
                    value.unwrap_or(Value::Unsigned(0)),
                    decimals,
                    text,
                );
            }
        }
        Ok(match member.from {
            From::Index | From::Slot => Setting::Bare,
            From::Symbol => Setting::Text,
            _ => Setting::Quoted,
        })
    }
}

/// Appends the first line of CSV: the names of the members of a kind.
pub fn push_names(record: &str, out: &mut Vec<u8>) {
    let names: Vec<_> = members_of(Form::Csv, record).iter().map(|member| member.name).collect();
    out.extend(names.join(",").as_bytes());
    out.extend(b"\r\n");
}

/// Appends the name of a member after another group's; closes and opens groups as they change.
fn push_name(member: &Member, (group, separator): (&str, &[u8]), out: &mut Vec<u8>) {
    let is_other = member.group != group;
    if is_other && !group.is_empty() {
        out.push(b'}');
    }
    out.extend(separator);
    if is_other && !member.group.is_empty() {
        out.extend([b"\"", member.group.as_bytes(), b"\":{"].concat());
    }
    out.extend([b"\"", member.name.as_bytes(), b"\":"].concat());
}

fn push_cell(text: &[u8], out: &mut Vec<u8>) {
    if !text.iter().any(|byte| matches!(byte, b'"' | b',' | b'\r' | b'\n')) {
        out.extend(text);
        return;
    }
    out.push(b'"');
    for byte in text {
        if *byte == b'"' {
            out.push(b'"');
        }
        out.push(*byte);
    }
    out.push(b'"');
}

fn write_value(
    how: How,
    value: Value<'_>,
    decimals: Option<u32>,
    text: &mut Vec<u8>,
) -> Result<Setting, ProtocolError> {
    if matches!(value, Value::Absent) {
        return Ok(match how {
            How::Whole | How::BaseWhole => bare(b"0", text),
            How::Plain | How::Text | How::Decimal(_) | How::BaseDecimal => bare(b"null", text),
            How::Word | How::Fixed(_) | How::BaseFixed | How::TokenFixed => Setting::Quoted,
        });
    }
    let base = |number| scaled_base(number, decimals.unwrap_or(BASE_PLACES));
    Ok(match (how, value) {
        (_, Value::Key(key)) => {
            JsonWriter::new(text).key_text(&key);
            Setting::Quoted
        }
        (_, Value::Name(name)) => {
            push_camel(name, text);
            Setting::Quoted
        }
        (_, Value::Bytes(bytes)) => {
            let end =
                bytes.iter().rposition(|byte| !matches!(byte, 0 | b' ')).map_or(0, |at| at + 1);
            text.extend(&bytes[..end]);
            Setting::Text
        }
        (_, Value::Bool(value)) => bare(if value { b"true" } else { b"false" }, text),
        (_, Value::List(element, bytes)) => {
            text.push(b'[');
            for (at, one) in bytes.chunks_exact(element.size()).enumerate() {
                if at > 0 {
                    text.push(b',');
                }
                push_number(number_of(value_of("", element, one)?), text);
            }
            text.push(b']');
            Setting::Bare
        }
        (How::Plain | How::Whole, value) => {
            push_number(number_of(value), text);
            Setting::Bare
        }
        (How::BaseWhole, value) => {
            push_number(base(number_of(value)), text);
            Setting::Bare
        }
        (How::Text | How::Word, value) => {
            push_number(number_of(value), text);
            Setting::Quoted
        }
        (How::Fixed(places), value) => {
            push_fixed(number_of(value), places, text);
            Setting::Quoted
        }
        (How::TokenFixed, value) => {
            push_fixed(number_of(value), decimals.unwrap_or(0).min(TOKEN_PLACES_MAX), text);
            Setting::Quoted
        }
        (How::BaseFixed, value) => {
            push_fixed(base(number_of(value)), BASE_PLACES, text);
            Setting::Quoted
        }
        (How::Decimal(places), value) => push_decimal(number_of(value), places, text),
        (How::BaseDecimal, value) => push_decimal(base(number_of(value)), BASE_PLACES, text),
    })
}

fn bare(word: &[u8], text: &mut Vec<u8>) -> Setting {
    text.extend(word);
    Setting::Bare
}

fn number_of(value: Value<'_>) -> Number {
    match value {
        Value::Unsigned(number) => (false, number),
        Value::Signed(number) => (number < 0, number.unsigned_abs()),
        _ => (false, 0),
    }
}

/// Scales a base amount from the token's decimals to 1e9, rounded down.
fn scaled_base((is_negative, amount): Number, decimals: u32) -> Number {
    let scaled = if decimals <= BASE_PLACES {
        amount.saturating_mul(10_u128.pow(BASE_PLACES - decimals))
    } else {
        10_u128.checked_pow(decimals - BASE_PLACES).map_or(0, |by| amount / by)
    };
    (is_negative, scaled)
}

/// Returns the account, the id and the time of a placed order.
fn placement_of(record: &Record<'_>) -> Result<((Pubkey, u32), i64), ProtocolError> {
    let head = Head::read(record.layout, record.data)?;
    let order = head.parties[0].and_then(|of| Some((of.key, of.order_id?)));
    Ok((order.unwrap_or_default(), head.ts))
}

/// Returns the quote per whole base of a fill at 1e6, rounded to the nearest, halves up; `None`
/// without base.
fn price_of(record: &Record<'_>) -> Option<u128> {
    let amounts = Head::read(record.layout, record.data).ok()?.amounts?;
    let decimals = record.market.map_or(BASE_PLACES, |market| market.decimals);
    let (_, base) = scaled_base((false, amounts.base.into()), decimals);
    (u128::from(amounts.quote) * 10_u128.pow(BASE_PLACES) * 2 + base).checked_div(base * 2)
}

fn fraction_of(record: &Record<'_>) -> Option<i128> {
    Head::read(record.layout, record.data).ok()?.fraction
}

/// Appends the name of a variant in camelCase: `OrderFilledWithAMMJit` as `orderFilledWithAmmJit`.
fn push_camel(name: &str, text: &mut Vec<u8>) {
    let bytes = name.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let is_after_upper = at == 0 || bytes[at - 1].is_ascii_uppercase();
        let is_before_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let is_lowered = at == 0 || (is_after_upper && !is_before_lower);
        text.push(if is_lowered { byte.to_ascii_lowercase() } else { *byte });
    }
}

fn push_number((is_negative, magnitude): Number, text: &mut Vec<u8>) {
    let mut json = JsonWriter::new(text);
    if is_negative {
        json.raw(b"-");
    }
    json.u128(magnitude);
}

/// Appends a number divided by ten to the power of `places`, with all places.
fn push_fixed((is_negative, magnitude): Number, places: u32, text: &mut Vec<u8>) {
    let one = 10_u128.pow(places);
    push_number((is_negative, magnitude / one), text);
    if places == 0 {
        return;
    }
    let start = text.len();
    push_number((false, one + magnitude % one), text);
    text[start] = b'.';
}

/// Appends the same without zeros at its end.
fn push_decimal(number: Number, places: u32, text: &mut Vec<u8>) -> Setting {
    push_fixed(number, places, text);
    if places > 0 {
        let end = text.iter().rposition(|byte| *byte != b'0').map_or(0, |at| at + 1);
        text.truncate(end);
        if text.last() == Some(&b'.') {
            text.pop();
        }
    }
    Setting::Bare
}
