//! The levels of AMMs, quoted from the account, the oracle and the clock at each question.

use std::collections::BTreeMap;

use slotbook_protocol::model::amm::{
    AmmError, AmmInputs, AmmLevel, AmmQuote, AmmSide, PerpAmm, top_of_book_amounts,
};

use crate::account::PerpMarket;
use crate::book::NaiveBook;
use crate::oracle::Reading;
use crate::rules;
use crate::view::Level;

/// Chunks into which the incumbent cuts a side.
const CHUNKS_MAX: usize = 100;
/// An older price of the oracle quotes no AMM.
const ORACLE_AGE_MS_MAX: i128 = 64_000;
/// `PerpOperation::AmmFill`.
const AMM_FILL: u8 = 2;
/// `ExchangeStatus::AmmPaused`.
const EXCHANGE_AMM_PAUSED: u8 = 4;
/// `OracleSource::Prelaunch`, whose price is never late.
const PRELAUNCH: u8 = 6;

impl NaiveBook {
    /// The levels of a perp market's AMM, bids and asks, best first; none where it is left out.
    pub fn amm_levels(&self, index: u16) -> [Vec<Level>; 2] {
        let mut accounts = self.perp_accounts().filter(|(_, perp, _)| perp.index == index);
        let levels = accounts.next().and_then(|(data, perp, is_lost)| {
            let inputs = self.amm_inputs(perp).filter(|_| !is_lost)?;
            let amm = self.program().perp_market(data).ok()?.amm;
            let PerpAmm { base_asset_reserve, quote_asset_reserve, sqrt_k, peg_multiplier, .. } =
                amm;
            let has_curve =
                ![base_asset_reserve, quote_asset_reserve, sqrt_k, peg_multiplier].contains(&0);
            if !has_curve {
                return None;
            }
            amm_levels(&amm, &inputs, index).ok()
        });
        levels.unwrap_or_default()
    }

    fn amm_inputs(&self, perp: &PerpMarket) -> Option<AmmInputs> {
        let decoded = self.decoded();
        let state = decoded.state;
        let is_paused = perp.paused & AMM_FILL != 0
            || state.is_some_and(|state| state.exchange_status & EXCHANGE_AMM_PAUSED != 0);
        if is_paused || rules::perp_empty_reason(perp, state, self.now()).is_some() {
            return None;
        }
        let (Reading { price, confidence, slot, .. }, _) = self.perp_reading(perp, state)?;
        let is_late = self.moment().since(slot) > ORACLE_AGE_MS_MAX;
        if is_late && perp.oracle_source != PRELAUNCH {
            return None;
        }
        Some(AmmInputs {
            oracle_price: i64::try_from(price).ok()?,
            oracle_confidence: u64::try_from(confidence).ok()?,
            now: self.now(),
            slot: self.moment().slot,
        })
    }
}

fn amm_levels(amm: &PerpAmm, inputs: &AmmInputs, index: u16) -> Result<[Vec<Level>; 2], AmmError> {
    let quote = AmmQuote::of(amm, inputs)?;
    let side = |side| {
        let mut chunks: Vec<AmmLevel> = Vec::new();
        quote.levels(side, CHUNKS_MAX, &top_of_book_amounts(amm.program, index), &mut chunks)?;
        let mut sizes: BTreeMap<i128, i128> = BTreeMap::new();
        for AmmLevel { price, size } in chunks.iter().filter(|chunk| chunk.price.0 > 0) {
            *sizes.entry(i128::from(price.0)).or_default() += i128::from(*size);
        }
        let levels = sizes.into_iter().map(|(price, size)| Level { price, size, order_count: 0 });
        Ok(levels.collect::<Vec<_>>())
    };
    let (mut bids, asks) = (side(AmmSide::Bid)?, side(AmmSide::Ask)?);
    bids.reverse();
    Ok([bids, asks])
}
