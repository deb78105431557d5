//! Recordings of the program's own matching: fees, rounding, spreads, maker order, the whole walk.

mod fees;
mod tiers;
mod walk;

use serde_json::Value;
use slotbook_matching::onchain::makers::{Ranked, insert};
use slotbook_protocol::model::amm::AmmInputs;
use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::fill::match_fill;
use slotbook_protocol::model::units::{BaseQty, Price};

use crate::amm::perp_amm;
use crate::order::direction;
use crate::value::{at, integer, integers, optional, same};

pub(crate) use fees::judge_fees;
pub(crate) use walk::judge_walk;

/// `onchain-match-fill`: base and quote of a match.
pub(crate) fn judge_match_fill(case: &Value) {
    let filled = match_fill(
        BaseQty(integer(case, "makerBase")),
        BaseQty(integer(case, "takerBase")),
        Price(integer(case, "makerPrice")),
        integer(case, "baseDecimals"),
        direction(case, "makerDirection"),
    );
    let (base, quote) = filled.expect("a fill");
    same(at(case, "expected"), "base", base.0);
    same(at(case, "expected"), "quote", quote.0);
}

/// `onchain-maker-order`: where the program's search puts makers of equal price, as the insert indexes in the
/// resulting order.
pub(crate) fn judge_maker_order(case: &Value) {
    let side = direction(case, "makerDirection");
    let mut ranked = Vec::new();
    for (index, price) in integers::<u64>(case, "pricesInInsertOrder").into_iter().enumerate() {
        insert(&mut ranked, Ranked { index, price: Price(price) }, side);
    }
    let ours: Vec<usize> = ranked.iter().map(|maker| maker.index).collect();
    assert_eq!(ours, integers::<usize>(case, "expectedInsertIndexOrder"));
}

/// `onchain-spreads`: the spreads, prices and reserves that the program stores.
pub(crate) fn judge_spreads(case: &Value) {
    let mut amm = perp_amm(&Value::Null, at(case, "amm"));
    // Drift v2 smooths by the slot, and reads no oracle here.
    let inputs = optional(case, "slot");
    let inputs =
        inputs.map(|slot| AmmInputs { slot, oracle_price: 0, oracle_confidence: 0, now: 0 });
    let price = amm.reserves().price().expect("a price");
    amm.update_spreads(price, inputs.as_ref()).expect("spreads");
    let price_for = |taker| amm.price_for(price, taker).expect("a price").0;
    let expected = at(case, "expected");
    same(expected, "reservePrice", price.0);
    same(expected, "longSpread", amm.long_spread);
    same(expected, "shortSpread", amm.short_spread);
    same(expected, "referencePriceOffset", amm.reference_price_offset);
    same(expected, "bidPrice", price_for(Direction::Short));
    same(expected, "askPrice", price_for(Direction::Long));
    same(expected, "bidBaseAssetReserve", amm.bid_base_asset_reserve);
    same(expected, "bidQuoteAssetReserve", amm.bid_quote_asset_reserve);
    same(expected, "askBaseAssetReserve", amm.ask_base_asset_reserve);
    same(expected, "askQuoteAssetReserve", amm.ask_quote_asset_reserve);
}
