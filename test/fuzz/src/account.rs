//! Accounts of the program: every kind as JSON, and what the views say of the same bytes.

use serde_json::Value;
use slotbook_protocol::drift::account::{AccountKind, DISCRIMINATOR_BYTES, decode_json, kind_of};
use slotbook_protocol::drift::market::{PerpMarketView, SpotMarketView};
use slotbook_protocol::drift::state::StateView;
use slotbook_protocol::drift::user::{ORDERS, PERP_POSITIONS, SPOT_POSITIONS, UserView};

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

/// The account of a kind that an input describes.
pub(crate) fn account(kind: AccountKind, mut input: Input<'_>) -> Vec<u8> {
    let more = i16::from(input.byte().cast_signed()) * 8;
    let bytes = kind.layout().size.saturating_add_signed(more.into());
    let mut data = vec![0; bytes.max(DISCRIMINATOR_BYTES)];
    data[..DISCRIMINATOR_BYTES].copy_from_slice(&kind.discriminator());
    input.write_over(&mut data[DISCRIMINATOR_BYTES..]);
    data
}

fn check(data: &[u8]) {
    for kind in AccountKind::ALL {
        let is_kind = kind_of(data) == Ok(*kind);
        assert!(is_kind || kind.check(data).is_err(), "an account is of one kind");
        let mut text = BEFORE.to_owned();
        let decoded = decode_json(*kind, data, &mut text);
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
    push_layout(kind.layout(), &value, &mut again);
    assert!(data.starts_with(&again), "the same bytes come back");
    if kind.has_fixed_length() {
        assert_eq!(data.len(), again.len(), "an account has the length of its kind");
        let longer = [data, &[0]].concat();
        assert!(decode_json(kind, &longer, &mut String::new()).is_err(), "one byte too many");
    }
    for cut in [again.len() - 1, again.len() / 2, DISCRIMINATOR_BYTES, 0] {
        let cut = decode_json(kind, &data[..cut], &mut String::new());
        assert!(cut.is_err(), "a cut account is an error");
    }
}

/// A view reads what the text says, and refuses what the text cannot say.
fn check_views(data: &[u8]) {
    let text_of = |kind: AccountKind| {
        let mut text = String::new();
        decode_json(kind, data, &mut text).is_ok().then_some(text)
    };
    let is = |kind: AccountKind| kind.check(data).is_ok();
    let user = UserView::parse(data);
    assert_eq!(user.is_ok(), is(AccountKind::User));
    if let Ok(view) = user {
        let orders = (0..ORDERS).all(|index| view.order(index).check().is_ok());
        let spots = (0..SPOT_POSITIONS).all(|index| view.spot_position(index).is_ok());
        (0..PERP_POSITIONS).for_each(|index| _ = view.perp_position(index));
        let is_whole = orders && spots;
        assert!(is_whole || text_of(AccountKind::User).is_none(), "views and text agree");
    }
    let perp = PerpMarketView::parse(data);
    assert_eq!(perp.is_ok(), is(AccountKind::PerpMarket));
    if let Ok(view) = perp {
        let enums = (view.status(), view.contract_type(), view.contract_tier());
        let is_whole = enums.0.is_ok() && enums.1.is_ok() && enums.2.is_ok();
        let is_whole = is_whole && view.oracle_source().is_ok();
        assert!(is_whole || text_of(AccountKind::PerpMarket).is_none(), "views and text agree");
        assert!(view.name().chars().count() <= 32, "a name is bounded");
    }
    let spot = SpotMarketView::parse(data);
    assert_eq!(spot.is_ok(), is(AccountKind::SpotMarket));
    if let Ok(view) = spot {
        let is_whole = view.status().is_ok() && view.asset_tier().is_ok();
        let is_whole = is_whole && view.oracle_source().is_ok();
        assert!(is_whole || text_of(AccountKind::SpotMarket).is_none(), "views and text agree");
    }
    assert_eq!(StateView::parse(data).is_ok(), is(AccountKind::State));
}
