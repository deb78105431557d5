//! Derives from a market's accounts, its oracle and the time: the rule that empties its book, the
//! one oracle reading that prices its offset orders, and the inputs of its AMM quote.

use slotbook_protocol::model::Program;
use slotbook_protocol::model::amm::AmmInputs;
use slotbook_protocol::model::amm::gate::{FillGate, GateInputs};
use slotbook_protocol::model::enums::{MarketStatus, MarketType, OracleSource};
use slotbook_protocol::model::oracle::{
    MmOracle, OracleReading, OracleValidity, mm_oracle_diverges, mm_oracle_reading,
    quote_asset_reading, usable_for_offset_orders, validity,
};
use slotbook_protocol::model::pauses::exchange_status;
use slotbook_protocol::model::pauses::{perp_operation, spot_operation};
use slotbook_protocol::model::units::{OraclePrice, PREDICTION_PRICE_MAX, Pubkey, Slot};

use super::amm::{QuoteInputs, VammExclusion};
use super::exchange::Exchange;
use super::market::Market;
use crate::Side;
use crate::ladder::offset::OffsetPricing;
use crate::limits::VAMM_ORACLE_AGE_MS_MAX;
use crate::model::market::{EmptyReason, MarketId, OffsetExclusion, OracleState};
use crate::model::update::{AccountUpdate, Version};

/// The newest bytes of an oracle account that a market names.
#[derive(Debug, Default)]
pub(crate) struct OracleAccount {
    owner: Pubkey,
    data: Vec<u8>,
    pub(crate) version: Version,
    pub(crate) markets: Vec<MarketId>,
}

impl OracleAccount {
    pub(crate) fn has_data(&self, update: &AccountUpdate<'_>) -> bool {
        self.data == update.data && (self.owner == update.owner || self.data.is_empty())
    }

    pub(crate) fn is_present(&self) -> bool {
        !self.data.is_empty()
    }

    /// Copies the bytes of an update; returns whether they differ.
    pub(crate) fn set_data(&mut self, update: &AccountUpdate<'_>) -> bool {
        if self.has_data(update) {
            return false;
        }
        self.owner = update.owner;
        self.data.clear();
        self.data.extend_from_slice(update.data);
        true
    }
}

impl Market {
    /// Reads the oracle and applies the rules again; returns whether the visible market differs.
    pub(crate) fn refresh(&mut self, account: Option<&OracleAccount>, exchange: &Exchange) -> bool {
        let empty = self.empty_reason_at(exchange);
        let oracle = self.oracle_state(account, exchange);
        let pricing = match (oracle.excluded, oracle.mm) {
            (None, Some(reading)) => Some(OffsetPricing {
                oracle: reading.price.0,
                price_max: self.info.is_prediction.then_some(PREDICTION_PRICE_MAX),
            }),
            _ => None,
        };
        let moves_best = (self.empty, self.pricing) != (empty, pricing);
        let changed = moves_best || self.oracle != oracle;
        if changed {
            self.empty = empty;
            self.oracle = oracle;
            self.pricing = pricing;
        }
        if moves_best {
            Side::BOTH.into_iter().for_each(|side| self.find_best(side));
        }
        changed
    }

    fn empty_reason_at(&self, exchange: &Exchange) -> Option<EmptyReason> {
        let is_traded = self.info.market_type == MarketType::Perp || exchange.rules.trades_spot();
        if self.unusable.is_some() || !is_traded {
            return self.unusable.or(Some(EmptyReason::SpotNotTraded));
        }
        if self.ladders.elsewhere > 0 {
            return Some(EmptyReason::OrdersOnClob);
        }
        if !matches!(self.info.status, MarketStatus::Active | MarketStatus::ReduceOnly) {
            return Some(EmptyReason::MarketStatus);
        }
        let fill_bit = match self.info.market_type {
            MarketType::Perp => perp_operation::FILL,
            MarketType::Spot => spot_operation::FILL,
        };
        if self.info.paused_operations & fill_bit != 0 {
            return Some(EmptyReason::MarketFillPaused);
        }
        if exchange.terms.status & exchange_status::FILL_PAUSED != 0 {
            return Some(EmptyReason::ExchangeFillPaused);
        }
        // Source: programs/drift/src/state/perp_market.rs `is_in_settlement`: at expiry_ts, not
        // after.
        if self.info.expiry_ts.0 != 0 && exchange.clock.now.0 >= self.info.expiry_ts.0 {
            return Some(EmptyReason::MarketExpired);
        }
        None
    }

    fn oracle_state(&self, account: Option<&OracleAccount>, exchange: &Exchange) -> OracleState {
        let reading = match self.exchange_reading(account, exchange) {
            Ok(reading) => reading,
            Err(reason) => return OracleState { excluded: Some(reason), ..OracleState::MISSING },
        };
        let mm = self.mm_reading(&reading, exchange);
        let validity = self.validity(&mm, exchange);
        let usable = usable_for_offset_orders(validity);
        let excluded = (!usable).then(|| OffsetExclusion::OracleInvalid(validity.name()));
        OracleState { exchange: Some(reading), mm: Some(mm), excluded }
    }

    fn validity(&self, reading: &OracleReading, exchange: &Exchange) -> OracleValidity {
        validity(
            reading,
            &exchange.terms.guard_rails,
            OraclePrice(self.oracle_fields.last_twap),
            self.oracle_fields.confidence_multiplier,
            exchange.clock.slots.units_since(self.published(reading, exchange)),
            self.info.oracle_source,
        )
    }

    fn exchange_reading(
        &self,
        account: Option<&OracleAccount>,
        exchange: &Exchange,
    ) -> Result<OracleReading, OffsetExclusion> {
        if self.info.oracle_source == OracleSource::QuoteAsset {
            return Ok(quote_asset_reading(exchange.clock.slot()));
        }
        let account = account.filter(|account| account.is_present());
        let account = account.ok_or(OffsetExclusion::OracleMissing)?;
        // The decoder knows the program by its usual id, but an exchange that is deployed under
        // another id owns its Lazer and prelaunch accounts, so the owner is translated.
        let owner =
            if account.owner == exchange.program { exchange.rules.id() } else { account.owner };
        exchange
            .rules
            .oracle(self.info.oracle_source, &owner, &account.data)
            .map_err(|_| OffsetExclusion::OracleMalformed)
    }

    /// Returns the reading that prices offset orders: in perp markets the MM oracle where it
    /// applies, in spot markets the exchange oracle.
    fn mm_reading(&self, reading: &OracleReading, exchange: &Exchange) -> OracleReading {
        if self.info.market_type == MarketType::Spot {
            return *reading;
        }
        let (mm, last_twap) = (self.mm_oracle(), OraclePrice(self.oracle_fields.last_twap));
        let published = self.published(reading, exchange);
        mm_oracle_reading(reading, &mm, &exchange.terms.guard_rails, last_twap, published)
    }

    const fn mm_oracle(&self) -> MmOracle {
        let fields = &self.oracle_fields;
        MmOracle {
            price: OraclePrice(fields.mm_price),
            slot: Slot(fields.mm_slot),
            sequence_id: fields.mm_sequence_id,
        }
    }

    /// What may fill by the rules of Velocity; `None` on Drift v2, in a spot market, and without a
    /// price.
    pub(crate) fn fill_gate(&self, exchange: &Exchange) -> Option<FillGate> {
        let amm = self.vamm.account().filter(|amm| amm.program == Program::Velocity)?;
        let (reading, safe) = (self.oracle.exchange?, self.oracle.mm?);
        let inputs = GateInputs {
            validity: self.validity(&safe, exchange),
            published: self.published(&safe, exchange),
            is_mm: safe != reading,
            mm_diverges: mm_oracle_diverges(
                &reading,
                &self.mm_oracle(),
                self.published(&reading, exchange),
            ),
            clock: exchange.clock.slots,
            is_immediate_paused: exchange.terms.status & exchange_status::AMM_IMMEDIATE_FILL_PAUSED
                != 0,
        };
        Some(FillGate::of(amm, &inputs))
    }

    fn published(&self, reading: &OracleReading, exchange: &Exchange) -> Slot {
        exchange.rules.published(reading, exchange.clock.slot(), self.info.oracle_source)
    }

    /// Returns the current inputs of the AMM quote. The reading that prices the AMM also prices the
    /// orders.
    pub(crate) fn vamm_inputs(&self, exchange: &Exchange) -> QuoteInputs {
        if let Some(reason) = self.empty {
            return Err(reason.into());
        }
        if exchange.terms.status & exchange_status::AMM_PAUSED != 0 {
            return Err(VammExclusion::ExchangeAmmPaused);
        }
        if self.info.paused_operations & perp_operation::AMM_FILL != 0 {
            return Err(VammExclusion::AmmFillPaused);
        }
        let oracle = self.oracle.mm.ok_or(VammExclusion::OracleMissing)?;
        let is_prelaunch = self.info.oracle_source == OracleSource::Prelaunch;
        let age_ms = exchange.clock.slots.ms_since(oracle.slot);
        if age_ms > VAMM_ORACLE_AGE_MS_MAX && !is_prelaunch {
            return Err(VammExclusion::OracleStale);
        }
        Ok(AmmInputs {
            oracle_price: oracle.price.0,
            oracle_confidence: oracle.confidence,
            now: exchange.clock.now.0,
            slot: exchange.clock.slot().0,
        })
    }
}
