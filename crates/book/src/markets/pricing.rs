//! Oracles: which accounts are followed, and the one reading that prices a market's offset orders.

use slotbook_protocol::account::PROGRAM_ID;
use slotbook_protocol::enums::{MarketType, OracleSource};
use slotbook_protocol::oracle::{
    MmOracle, OracleReading, decode_oracle, mm_oracle_reading, published, quote_asset_reading,
    usable_for_offset_orders, validity,
};
use slotbook_protocol::units::{OraclePrice, PREDICTION_PRICE_MAX, Pubkey, Slot};

use crate::book::Book;
use crate::ladder::offset::OffsetPricing;
use crate::limits::ORACLES_MAX;
use crate::markets::market::Market;
use crate::model::market::EmptyReason;
use crate::model::market::{MarketId, OffsetExclusion, OracleState};
use crate::model::update::Version;
use crate::model::update::{AccountUpdate, Applied};
use crate::orders::rules::{MarketGate, empty_reason};

/// The newest bytes of an oracle account that some market names.
#[derive(Debug, Default)]
pub(crate) struct OracleAccount {
    owner: Pubkey,
    data: Vec<u8>,
    version: Version,
    /// The markets that name it.
    markets: Vec<MarketId>,
}

impl Book {
    pub(crate) fn apply_oracle(&mut self, update: &AccountUpdate<'_>) -> Applied {
        let Some(account) = self.oracles.get_mut(&update.pubkey) else { return Applied::Ignored };
        if !account.version.admits(update, self.snapshot.replaces) {
            return Applied::Stale;
        }
        account.version.accept(update);
        if account.data == update.data && account.owner == update.owner {
            return Applied::Unchanged;
        }
        account.owner = update.owner;
        account.data.clear();
        account.data.extend_from_slice(update.data);
        let markets = std::mem::take(&mut account.markets);
        markets.iter().for_each(|id| self.refresh_market(*id));
        if let Some(account) = self.oracles.get_mut(&update.pubkey) {
            account.markets = markets;
        }
        Applied::Changed
    }

    /// Follows exactly the oracle accounts that the markets name now.
    pub(crate) fn follow_oracles(&mut self) {
        self.oracles.values_mut().for_each(|account| account.markets.clear());
        for market in &self.markets {
            if market.info.oracle_source == OracleSource::QuoteAsset {
                continue;
            }
            if self.oracles.len() < ORACLES_MAX || self.oracles.contains_key(&market.info.oracle) {
                self.oracles.entry(market.info.oracle).or_default().markets.push(market.info.id);
            }
        }
        self.oracles.retain(|_, account| !account.markets.is_empty());
    }

    /// Reads every market's oracle and rules again: the exchange's state or the time changed.
    pub(crate) fn refresh_markets(&mut self) {
        for id in 0..self.markets.len() {
            self.refresh_market(MarketId(u16::try_from(id).unwrap_or(u16::MAX)));
        }
    }

    /// Reads a market's oracle and rules again; a market that shows something else is touched.
    pub(crate) fn refresh_market(&mut self, id: MarketId) {
        let market = &self.markets[id.index()];
        let empty = self.empty_reason_of(market);
        let oracle = self.oracle_state(market);
        let pricing = match (oracle.excluded, oracle.mm) {
            (None, Some(reading)) => Some(OffsetPricing {
                oracle: reading.price.0,
                price_max: market.info.is_prediction.then_some(PREDICTION_PRICE_MAX),
            }),
            _ => None,
        };
        let market = &mut self.markets[id.index()];
        if (market.empty, market.oracle, market.pricing) != (empty, oracle, pricing) {
            market.empty = empty;
            market.oracle = oracle;
            market.pricing = pricing;
            self.touch(id);
        }
    }

    fn empty_reason_of(&self, market: &Market) -> Option<EmptyReason> {
        if market.unusable.is_some() {
            return market.unusable;
        }
        empty_reason(&MarketGate {
            market_type: market.info.market_type,
            status: market.info.status,
            paused_operations: market.info.paused_operations,
            exchange_status: self.exchange_status,
            expiry_ts: market.info.expiry_ts,
            now: self.now,
        })
    }

    fn oracle_state(&self, market: &Market) -> OracleState {
        let exchange = match self.exchange_reading(market) {
            Ok(reading) => reading,
            Err(reason) => return OracleState { excluded: Some(reason), ..OracleState::MISSING },
        };
        let mm = self.mm_reading(market, &exchange);
        let validity = validity(
            &mm,
            &self.guard_rails,
            OraclePrice(market.oracle_fields.last_twap),
            market.oracle_fields.confidence_multiplier,
            self.slot,
            market.info.oracle_source,
        );
        let usable = usable_for_offset_orders(validity);
        let excluded = (!usable).then(|| OffsetExclusion::OracleInvalid(validity.name()));
        OracleState { exchange: Some(exchange), mm: Some(mm), excluded }
    }

    fn exchange_reading(&self, market: &Market) -> Result<OracleReading, OffsetExclusion> {
        if market.info.oracle_source == OracleSource::QuoteAsset {
            return Ok(quote_asset_reading(self.slot));
        }
        let account = self.oracles.get(&market.info.oracle);
        let account = account.filter(|account| !account.data.is_empty());
        let account = account.ok_or(OffsetExclusion::OracleMissing)?;
        let owner = self.usual_owner(account.owner);
        decode_oracle(market.info.oracle_source, &owner, &account.data)
            .map_err(|_| OffsetExclusion::OracleMalformed)
    }

    /// Perps price their offset orders with the MM oracle where it applies, spot markets with the
    /// exchange oracle.
    fn mm_reading(&self, market: &Market, exchange: &OracleReading) -> OracleReading {
        if market.info.market_type == MarketType::Spot {
            return *exchange;
        }
        let fields = &market.oracle_fields;
        let mm = MmOracle {
            price: OraclePrice(fields.mm_price),
            slot: Slot(fields.mm_slot),
            sequence_id: fields.mm_sequence_id,
        };
        let last_twap = OraclePrice(fields.last_twap);
        let published = published(exchange, self.slot, market.info.oracle_source);
        mm_oracle_reading(exchange, &mm, &self.guard_rails, last_twap, published)
    }

    /// An exchange deployed elsewhere owns its Lazer and prelaunch accounts there: the decoder
    /// knows the exchange's program by its usual id.
    fn usual_owner(&self, owner: Pubkey) -> Pubkey {
        if owner == self.config.program { PROGRAM_ID } else { owner }
    }
}
