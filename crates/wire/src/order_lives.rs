//! The outcome of placed orders, by the actions on them.

use slotbook_protocol::model::event::values::{Value, Values};
use slotbook_protocol::model::units::Pubkey;
use std::collections::HashMap;

/// A value of an order's outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// What the last action made of it, as the Drift v2 data API names it.
    Status,
    /// The explanation of the last action.
    Explanation,
    /// The time of the last action, unix seconds; that of its placement without one.
    UpdatedTs,
    /// Base that is filled by now.
    Base,
    /// Quote that is filled by now.
    Quote,
    /// What its user paid for its fills, less rebates, in quote.
    Fee,
}

#[derive(Clone, Copy, Debug)]
struct Life {
    status: &'static str,
    explanation: &'static str,
    updated_ts: Option<i64>,
    base: u64,
    quote: u64,
    fee: i128,
}

const PLACED: Life =
    Life { status: "open", explanation: "None", updated_ts: None, base: 0, quote: 0, fee: 0 };

/// The names of the values of one side of an action.
struct Side {
    user: &'static str,
    order_id: &'static str,
    base: &'static str,
    base_filled: &'static str,
    quote_filled: &'static str,
    fee: &'static str,
}

const TAKER: Side = Side {
    user: "taker",
    order_id: "takerOrderId",
    base: "takerOrderBaseAssetAmount",
    base_filled: "takerOrderCumulativeBaseAssetAmountFilled",
    quote_filled: "takerOrderCumulativeQuoteAssetAmountFilled",
    fee: "takerFee",
};

const MAKER: Side = Side {
    user: "maker",
    order_id: "makerOrderId",
    base: "makerOrderBaseAssetAmount",
    base_filled: "makerOrderCumulativeBaseAssetAmountFilled",
    quote_filled: "makerOrderCumulativeQuoteAssetAmountFilled",
    fee: "makerFee",
};

/// Orders by their user account and their id.
#[derive(Debug, Default)]
pub(crate) struct OrderLives(HashMap<(Pubkey, u32), Life>);

impl OrderLives {
    /// Counts an action; the actions on an order come oldest first.
    pub(crate) fn add(&mut self, action: &Values<'_>) {
        for side in [&TAKER, &MAKER] {
            let order = (action.account(side.user), action.unsigned(side.order_id));
            let (Some(user), Some(order_id)) = order else { continue };
            let life = self.0.entry((user, order_id)).or_insert(PLACED);
            life.base = action.unsigned(side.base_filled).unwrap_or(life.base);
            life.quote = action.unsigned(side.quote_filled).unwrap_or(life.quote);
            life.status = status_of(action, action.unsigned(side.base), life.base);
            life.explanation = action.name("actionExplanation").unwrap_or("None");
            life.updated_ts = Some(action.signed("ts"));
            if action.name("action") == Some("Fill") {
                life.fee += fee_of(action, side.fee);
            }
        }
    }

    /// Returns a value of a placed order.
    pub(crate) fn value(&self, outcome: Outcome, key: (Pubkey, u32), placed_ts: i64) -> Value<'_> {
        let life = self.0.get(&key).unwrap_or(&PLACED);
        match outcome {
            Outcome::Status => Value::Bytes(life.status.as_bytes()),
            Outcome::Explanation => Value::Name(life.explanation),
            Outcome::UpdatedTs => Value::Signed(life.updated_ts.unwrap_or(placed_ts).into()),
            Outcome::Base => Value::Unsigned(life.base.into()),
            Outcome::Quote => Value::Unsigned(life.quote.into()),
            Outcome::Fee => Value::Signed(life.fee),
        }
    }
}

/// What a side paid for a fill; a maker's rebate is signed.
fn fee_of(action: &Values<'_>, name: &'static str) -> i128 {
    match action.own(name) {
        Some(Value::Unsigned(fee)) => i128::try_from(fee).unwrap_or(i128::MAX),
        Some(Value::Signed(fee)) => fee,
        _ => 0,
    }
}

/// The program logs an expiry as a cancellation.
fn status_of(action: &Values<'_>, base: Option<u64>, filled: u64) -> &'static str {
    let is_expired = action.name("actionExplanation") == Some("OrderExpired");
    match action.name("action") {
        Some("Trigger") => "trigger",
        Some("Fill") if base == Some(filled) => "filled",
        Some("Fill") => "partial_fill",
        Some("Expire") => "expired",
        Some("Cancel") if is_expired => "expired",
        Some("Cancel") if filled > 0 => "partial_fill_cancelled",
        Some("Cancel") => "cancelled",
        _ => "open",
    }
}
