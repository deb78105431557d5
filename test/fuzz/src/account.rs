//! Accounts of the program: every kind as JSON, and what the views say of the same bytes.

use serde_json::Value;
use slotbook_decoded::account_json;
use slotbook_protocol::layout::Layout;
use slotbook_protocol::model::Program;
use slotbook_protocol::model::account::{AccountKind, DISCRIMINATOR_BYTES, kind_of};
use slotbook_protocol::model::user::ORDERS;

use crate::input::Input;
use crate::reencode::push_layout;

/// Characters of JSON that one byte of an account may become: the longest names stand before the
/// shortest fields.
const CHARACTERS_A_BYTE_MAX: usize = 32;

/// What stands in the text before an account is written to it.
const BEFORE: &str = "before";

/// The first byte is the kind, or beyond all kinds: then the rest is the account as it is. Else
/// a signed byte of length follows, in eights beyond what the kind has at least, and the steps
/// that write the fields.
pub(crate) fn run(input: &[u8]) {
    let mut rest = Input::new(input);
    match AccountKind::ALL.get(usize::from(rest.byte())) {
        Some(kind) => check(&account(*kind, rest)),
        None => check(rest.rest()),
    }
}

/// The table of a kind.
pub(crate) fn layout_of(kind: AccountKind) -> &'static Layout {
    Program::Drift.layout(kind).unwrap()
}

/// The account of a kind that an input describes.
pub(crate) fn account(kind: AccountKind, mut input: Input<'_>) -> Vec<u8> {
    let more = i16::from(input.byte().cast_signed()) * 8;
    let bytes = layout_of(kind).size.saturating_add_signed(more.into());
    let mut data = vec![0; bytes.max(DISCRIMINATOR_BYTES)];
    data[..DISCRIMINATOR_BYTES].copy_from_slice(&kind.discriminator());
    input.write_over(&mut data[DISCRIMINATOR_BYTES..]);
    data
}

fn check(data: &[u8]) {
    for kind in AccountKind::ALL {
        let is_kind = kind_of(data) == Ok(*kind);
        assert!(is_kind || Program::Drift.check(*kind, data).is_err(), "an account is of one kind");
        let mut text = BEFORE.to_owned();
        let decoded = account_json(Program::Drift, *kind, data, &mut text);
        assert_eq!(decoded.is_ok(), text != BEFORE, "nothing is left of a failure");
        if decoded.is_ok() {
            check_text(*kind, data, &text[BEFORE.len()..]);
        }
    }
    check_views(data);
}

/// What was written is the account: it makes the same bytes, and needs all of them.
fn check_text(kind: AccountKind, data: &[u8], text: &str) {
    assert!(text.len() <= data.len() * CHARACTERS_A_BYTE_MAX, "text is bounded by its account");
    let value: Value = serde_json::from_str(text).unwrap();
    let mut again = kind.discriminator().to_vec();
    push_layout(layout_of(kind), &value, &mut again);
    assert!(data.starts_with(&again), "the same bytes come back");
    if layout_of(kind).has_fixed_length() {
        assert_eq!(data.len(), again.len(), "an account has the length of its kind");
        let longer = [data, &[0]].concat();
        assert!(
            account_json(Program::Drift, kind, &longer, &mut String::new()).is_err(),
            "one byte too many"
        );
    }
    for cut in [again.len() - 1, again.len() / 2, DISCRIMINATOR_BYTES, 0] {
        let cut = account_json(Program::Drift, kind, &data[..cut], &mut String::new());
        assert!(cut.is_err(), "a cut account is an error");
    }
}

/// A view reads what the text says, and refuses what the text cannot say.
fn check_views(data: &[u8]) {
    let text_of = |kind: AccountKind| {
        let mut text = String::new();
        account_json(Program::Drift, kind, data, &mut text).is_ok().then_some(text)
    };
    let is = |kind: AccountKind| Program::Drift.check(kind, data).is_ok();
    let user = Program::Drift.user(data);
    assert_eq!(user.is_ok(), is(AccountKind::User));
    if let Ok(view) = user {
        let orders = (0..ORDERS).all(|index| view.order(index).view().check().is_ok());
        let is_whole = orders && view.positions().is_ok();
        assert!(is_whole || text_of(AccountKind::User).is_none(), "views and text agree");
    }
    let perp = Program::Drift.perp_market(data);
    assert!(perp.is_err() || is(AccountKind::PerpMarket));
    let is_bounded = |name: &str| name.chars().count() <= 32;
    assert!(perp.is_ok() || text_of(AccountKind::PerpMarket).is_none(), "reading and text agree");
    assert!(perp.map_or(true, |perp| is_bounded(&perp.terms.name)), "a name is bounded");
    let spot = Program::Drift.spot_market(data);
    assert!(spot.is_err() || is(AccountKind::SpotMarket));
    assert!(spot.is_ok() || text_of(AccountKind::SpotMarket).is_none(), "reading and text agree");
    assert_eq!(Program::Drift.state(data).is_ok(), is(AccountKind::State));
}
