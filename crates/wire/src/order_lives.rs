//! The outcome of placed orders, by the actions on them.

use slotbook_protocol::model::enums::{OrderAction, OrderActionExplanation};
use slotbook_protocol::model::event::typed::OrderActionRecord;
use slotbook_protocol::model::event::values::Value;
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
    explanation: OrderActionExplanation,
    updated_ts: Option<i64>,
    base: u64,
    quote: u64,
    fee: i128,
}

const PLACED: Life = Life {
    status: "open",
    explanation: OrderActionExplanation::None,
    updated_ts: None,
    base: 0,
    quote: 0,
    fee: 0,
};

/// Orders by their user account and their id.
#[derive(Debug, Default)]
pub(crate) struct OrderLives(HashMap<(Pubkey, u32), Life>);

impl OrderLives {
    /// Counts an action; the actions on an order come oldest first.
    pub(crate) fn add(&mut self, action: &OrderActionRecord) {
        let taker_fee = i128::from(action.taker_fee.unwrap_or(0));
        let maker_fee = i128::from(action.maker_fee.unwrap_or(0));
        let sides = [
            (action.taker, action.taker_order_id, action.taker_base, taker_fee),
            (action.maker, action.maker_order_id, action.maker_base, maker_fee),
        ];
        let filled = [
            (action.taker_base_filled, action.taker_quote_filled),
            (action.maker_base_filled, action.maker_quote_filled),
        ];
        for ((user, order_id, size, fee), (base, quote)) in sides.into_iter().zip(filled) {
            let (Some(user), Some(order_id)) = (user, order_id) else { continue };
            let life = self.0.entry((user, order_id)).or_insert(PLACED);
            (life.base, life.quote) = (base.unwrap_or(life.base), quote.unwrap_or(life.quote));
            life.status = status_of(action, size, life.base);
            life.explanation = action.action_explanation;
            life.updated_ts = Some(action.ts);
            life.fee += if action.action == OrderAction::Fill { fee } else { 0 };
        }
    }

    /// Returns a value of a placed order.
    pub(crate) fn value(&self, outcome: Outcome, key: (Pubkey, u32), placed_ts: i64) -> Value<'_> {
        let life = self.0.get(&key).unwrap_or(&PLACED);
        match outcome {
            Outcome::Status => Value::Bytes(life.status.as_bytes()),
            Outcome::Explanation => Value::Bytes(life.explanation.name().as_bytes()),
            Outcome::UpdatedTs => Value::Signed(life.updated_ts.unwrap_or(placed_ts).into()),
            Outcome::Base => Value::Unsigned(life.base.into()),
            Outcome::Quote => Value::Unsigned(life.quote.into()),
            Outcome::Fee => Value::Signed(life.fee),
        }
    }
}

/// The program logs an expiry as a cancellation.
fn status_of(action: &OrderActionRecord, base: Option<u64>, filled: u64) -> &'static str {
    match (action.action, action.action_explanation) {
        (OrderAction::Place, _) => "open",
        (OrderAction::Trigger, _) => "trigger",
        (OrderAction::Fill, _) if base == Some(filled) => "filled",
        (OrderAction::Fill, _) => "partial_fill",
        (OrderAction::Expire, _) | (_, OrderActionExplanation::OrderExpired) => "expired",
        (OrderAction::Cancel, _) if filled > 0 => "partial_fill_cancelled",
        (OrderAction::Cancel, _) => "cancelled",
    }
}
