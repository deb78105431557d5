//! Fees by the exchange's state account: what a fill costs, and that its parts add up.

use slotbook_protocol::model::Program;
use slotbook_protocol::model::account::AccountKind;
use slotbook_protocol::model::fees::{Filler, TakerTerms, builder_fee, fill_fees};
use slotbook_protocol::model::units::QuoteQty;

use crate::account::account;
use crate::input::Input;

/// The fill, then the state's account in steps.
pub(crate) fn run(input: &[u8]) {
    let mut input = Input::new(input);
    let flags = input.byte();
    let amount = QuoteQty(input.word());
    let adjustment = i16::from_le_bytes(input.take());
    let tenth_bps = u16::from_le_bytes(input.take());
    let tier = usize::try_from(input.word()).unwrap_or(usize::MAX);
    // Kept inputs have another word here.
    let _ = input.word();
    let (age_slots, multiplier) = (input.word(), input.word());
    let data = account(AccountKind::State, input);
    let Ok(state) = Program::Drift.state(&data) else { return };
    let fees = if flags & 2 == 0 { state.perp_fees } else { state.spot_fees };
    let terms = TakerTerms {
        tier: fees.tier(tier),
        is_high_leverage: flags & 1 != 0,
        is_referred: flags & 4 != 0,
        builder_fee_tenth_bps: (flags & 8 != 0).then_some(tenth_bps),
        addon_tenth_bps: 0,
    };
    let filler =
        (flags & 16 != 0).then_some(Filler { age_slots, multiplier, structure: fees.filler });
    let maker = (flags & 32 != 0).then_some(fees.tiers[0]);
    let Ok(paid) = fill_fees(amount, &terms, maker.as_ref(), adjustment, filler.as_ref()) else {
        return;
    };
    let parts = [paid.fee_to_market, paid.maker_rebate, paid.filler_reward, paid.referrer_reward];
    let sum: u128 = parts.iter().map(|part| u128::from(part.0)).sum();
    assert_eq!(sum, u128::from(paid.taker_fee.0), "what is paid is what is received");
    assert!(maker.is_some() || paid.maker_rebate.0 == 0, "no maker, no rebate");
    assert!(filler.is_some() || paid.filler_reward.0 == 0, "no filler, no reward");
    let is_unreferred = paid.referrer_reward.0 == 0 && paid.referee_discount.0 == 0;
    assert!(terms.is_referred || is_unreferred, "no referrer, no discount");
    assert_eq!(paid.builder_fee, terms.builder_fee_tenth_bps.map(|t| builder_fee(amount, t)));
    assert!(amount.0 == 0 || paid.builder_fee.is_none_or(|fee| fee < amount));
}
