//! The terms of a book's markets.

use slotbook_book::{Book, MarketInfo, OracleState};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::{MarketStatus, MarketType};
use slotbook_protocol::model::oracle::OracleReading;
use slotbook_protocol::model::units::Pubkey;

use super::{PerpTerms, SpotTerms, Terms};

impl Terms for Book {
    fn perp(&self, index: i128) -> Option<PerpTerms> {
        let (program, info, data, oracle) = facts(self, MarketType::Perp, index)?;
        let amounts = program.perp_amounts(data).ok()?;
        let is_in_settlement = info.status == MarketStatus::Settlement;
        let price = price_of(oracle.exchange)
            .or_else(|| is_in_settlement.then_some(amounts.expiry_price))?;
        Some(PerpTerms {
            amounts,
            quote: self.spot(amounts.quote_index)?,
            oracle: info.oracle,
            oracle_source: info.oracle_source,
            price,
            mm_price: price_of(oracle.mm).unwrap_or(price),
            is_prediction: info.is_prediction,
            is_in_settlement,
        })
    }

    fn spot(&self, index: i128) -> Option<SpotTerms> {
        let (program, info, data, oracle) = facts(self, MarketType::Spot, index)?;
        let amounts = program.spot_amounts(data).ok()?;
        let market = (index, info.oracle, info.oracle_source);
        SpotTerms::of(
            program,
            market,
            amounts,
            price_of(oracle.exchange)?,
            self.unix_seconds().0.into(),
        )
    }

    fn first_of_oracle(&self, market_type: MarketType, oracle: &Pubkey) -> Option<i128> {
        let of_oracle =
            |info: &&MarketInfo| info.market_type == market_type && info.oracle == *oracle;
        self.markets().filter(of_oracle).map(|info| info.market_index.into()).min()
    }
}

/// A market with the program by whose table its bytes are read.
fn facts(
    book: &Book,
    market_type: MarketType,
    index: i128,
) -> Option<(Program, &MarketInfo, &[u8], OracleState)> {
    let id = book.find_market(market_type, u16::try_from(index).ok()?)?;
    let (data, oracle) = book.market_account(id)?;
    Some((book.config().rules, book.market(id)?, data, oracle))
}

fn price_of(reading: Option<OracleReading>) -> Option<i128> {
    reading.map(|reading| reading.price.0.into()).filter(|price| *price > 0)
}
