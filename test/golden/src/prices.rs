//! Auction and limit prices: the naive model against the SDK's recording, to the unit, and the core
//! against the program's, to the unit or the error.

use serde_json::Value;
use slotbook_naive::{
    ProtectedParams, auction_price_sdk, protected_price_program, protected_price_sdk, round_to_tick,
};
use slotbook_protocol::model::clock::SlotClock;
use slotbook_protocol::model::order::Order;
use slotbook_protocol::model::price::{
    PriceError, ProtectedMakerParams, auction_price_program, limit_price_program,
};
use slotbook_protocol::model::units::{OraclePrice, Price, Slot};

use crate::order::{decoded, order_bytes};
use crate::report::{Case, case, equal};
use crate::value::{at, flag, integer, optional, text};

/// The rules by which the program's form departs from the SDK's recorded prices.
const WORSENING: &str = "worsening fixed auction";
const SLOT_BEFORE: &str = "slot before order.slot";
const OFFSET_FLOOR: &str = "offset floor is the tick";
const FLOAT_DIVISOR: &str = "float divisor";

/// An order and its moment, with what was recorded of them.
struct Priced<'a> {
    name: &'a str,
    order: Order,
    judged: slotbook_naive::Order,
    clock: SlotClock,
    oracle: Option<OraclePrice>,
    fallback: Option<Price>,
    protected: Option<ProtectedMakerParams>,
    is_prediction: bool,
    expected: &'a Value,
}

/// Checks a recording of the SDK's auction prices.
pub(crate) fn check_sdk_auction(value: &Value) -> Vec<Case> {
    let priced = Priced::parse(value);
    let tick = Price(integer(priced.expected, "tickSize"));
    let judge = Judge {
        case: &priced,
        question: Question::Auction,
        tick: i128::from(tick.0),
        recorded: Some(integer(priced.expected, "standardized")),
    };
    vec![
        priced.equal("sdk form", &priced.sdk_auction(), &integer(priced.expected, "price")),
        priced.predicates(),
        priced.departs(|| judge.program(priced.program_auction(tick))),
    ]
}

/// Checks a recording of the SDK's limit prices.
pub(crate) fn check_sdk_limit(value: &Value) -> Vec<Case> {
    let priced = Priced::parse(value);
    // The SDK throws where there is no price that a protected maker's offset could move.
    let recorded = optional(priced.expected, "price");
    let sdk = priced.equal("sdk form", &priced.sdk_limit(), &recorded);
    if priced.expected.get("throws").is_some() {
        return vec![sdk];
    }
    let tick = priced.protected.map_or(Price(1), |params| params.tick_size);
    let judge = Judge {
        case: &priced,
        question: Question::Limit,
        tick: i128::from(tick.0),
        recorded: recorded
            .map(|price| round_to_tick(price, i128::from(tick.0), priced.judged.is_bid())),
    };
    let program = priced.departs(|| judge.program(priced.program_limit(tick)));
    vec![sdk, priced.predicates(), program]
}

/// Checks a recording of the program's auction prices.
pub(crate) fn check_program_auction(value: &Value) -> Vec<Case> {
    let priced = Priced::parse(value);
    vec![priced.compare_program(priced.program_auction(Price(integer(value, "tickSize"))))]
}

/// Checks a recording of the program's limit prices.
pub(crate) fn check_program_limit(value: &Value) -> Vec<Case> {
    let priced = Priced::parse(value);
    let ours = priced.program_limit(Price(integer(value, "tickSize")));
    vec![priced.compare_program(ours), priced.predicates()]
}

impl<'a> Priced<'a> {
    fn parse(value: &'a Value) -> Self {
        let order = at(value, "order");
        let params = value.get("protectedMakerParams").filter(|params| params.is_object());
        Priced {
            name: text(value, "name"),
            order: decoded(order),
            judged: slotbook_naive::Order::from_bytes(&order_bytes(order)),
            clock: Slot(integer(value, "slot")).into(),
            oracle: optional(value, "oraclePrice").map(OraclePrice),
            fallback: optional(value, "fallbackPrice").map(Price),
            protected: params.map(|params| ProtectedMakerParams {
                limit_price_divisor: integer(params, "limitPriceDivisor"),
                dynamic_offset: integer(params, "dynamicOffset"),
                tick_size: Price(integer(params, "tickSize")),
            }),
            is_prediction: flag(value, "isPrediction"),
            expected: at(value, "expected"),
        }
    }

    fn equal<T: PartialEq + std::fmt::Debug>(&self, form: &str, ours: &T, recorded: &T) -> Case {
        equal(&format!("{}, {form}", self.name), ours, recorded)
    }

    fn departs(&self, judge: impl FnOnce() -> Option<String>) -> Case {
        case(&format!("{}, program form", self.name), judge)
    }

    /// The auction's price in the SDK's form. Auctions between fixed prices do not depend on the oracle.
    fn sdk_auction(&self) -> i128 {
        auction_price_sdk(&self.judged, self.clock.slot.0, self.oracle().unwrap_or(0))
    }

    /// The limit price in the SDK's form; `None` when the order has none.
    fn sdk_limit(&self) -> Option<i128> {
        let in_auction = self.order.has_auction_price(&self.clock);
        let price = if in_auction { Some(self.sdk_auction()) } else { self.plain_price() }?;
        Some(self.protected.map_or(price, |params| {
            protected_price_sdk(price, self.judged.is_bid(), &judged_params(params))
        }))
    }

    fn oracle(&self) -> Option<i128> {
        self.oracle.map(|price| i128::from(price.0))
    }

    /// The resting price before a protected maker's offset; `None` when the order has none.
    fn plain_price(&self) -> Option<i128> {
        let order = &self.judged;
        match (order.oracle_price_offset, order.price) {
            (0, 0) => self.fallback.map(|price| i128::from(price.0)),
            (0, price) => Some(i128::from(price)),
            (offset, _) => Some((self.oracle()? + i128::from(offset)).max(1)),
        }
    }

    fn program_auction(&self, tick: Price) -> Result<Option<Price>, PriceError> {
        auction_price_program(&self.order, &self.clock, tick, self.oracle, self.is_prediction)
            .map(Some)
    }

    fn program_limit(&self, tick: Price) -> Result<Option<Price>, PriceError> {
        limit_price_program(
            &self.order,
            &self.clock,
            tick,
            self.oracle,
            self.fallback,
            self.is_prediction,
            self.protected,
        )
    }

    fn compare_program(&self, ours: Result<Option<Price>, PriceError>) -> Case {
        let recorded = match self.expected.get("error").and_then(Value::as_str) {
            Some(error) => Err(error.to_owned()),
            None => Ok(optional(self.expected, "price").map(Price)),
        };
        let ours = ours.map_err(|error| format!("{error:?}"));
        self.equal("program form", &ours, &recorded)
    }

    /// Every predicate that the recording names.
    fn predicates(&self) -> Case {
        let (order, clock) = (&self.order, &self.clock);
        let ours = [
            ("isAuctionComplete", order.is_auction_complete(clock)),
            ("hasAuctionPrice", order.has_auction_price(clock)),
            ("hasLimitPrice", order.has_limit_price(clock)),
            ("isRestingLimitOrder", order.is_resting_limit(clock)),
            ("isTakingOrder", order.is_taking(clock)),
            ("mustBeTriggered", order.must_be_triggered()),
            ("isTriggered", order.is_triggered()),
        ];
        let is_wrong = |(name, ours): &(&str, bool)| {
            let recorded = self.expected.get(name).and_then(Value::as_bool);
            recorded.is_some_and(|recorded| recorded != *ours)
        };
        let wrong: Vec<_> = ours.into_iter().filter(is_wrong).collect();
        self.equal("predicates", &wrong, &Vec::new())
    }
}

/// The price that was requested of the SDK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Auction,
    Limit,
}

/// Our program form against a recording of the SDK, which is explained by one of four rules or not
/// at all.
struct Judge<'a> {
    case: &'a Priced<'a>,
    question: Question,
    tick: i128,
    /// The SDK's price, put on the tick.
    recorded: Option<i128>,
}

impl Judge<'_> {
    fn program(&self, ours: Result<Option<Price>, PriceError>) -> Option<String> {
        let ours = ours.map(|price| price.map(|price| i128::from(price.0)));
        if ours == Ok(self.recorded) {
            return None;
        }
        let rule = match ours {
            Err(PriceError::MathError) => self.error_rule(),
            Ok(Some(price)) => self.price_rule(price),
            _ => None,
        };
        assert!(rule.is_some(), "price: ours {ours:?}, recorded {:?}", self.recorded);
        rule.map(str::to_owned)
    }

    /// Where the program fails, the price that the SDK goes on with must be the recorded one.
    fn error_rule(&self) -> Option<&'static str> {
        let order = &self.case.judged;
        let price = if self.asks_the_auction() {
            Some(self.case.sdk_auction())
        } else {
            self.case.plain_price()
        };
        if price.map(|price| round_to_tick(price, self.tick, order.is_bid())) != self.recorded {
            return None;
        }
        let distance = order.auction_end_price.cmp(&order.auction_start_price);
        let worsens = if order.is_bid() { distance.is_lt() } else { distance.is_gt() };
        if self.case.clock.slot.0 < order.slot {
            Some(SLOT_BEFORE)
        } else {
            (worsens && !order.auction_is_oracle_offset()).then_some(WORSENING)
        }
    }

    fn price_rule(&self, ours: i128) -> Option<&'static str> {
        let order = &self.case.judged;
        let is_bid = order.is_bid();
        let on_tick = |price: i128| round_to_tick(price, self.tick, is_bid);
        if let Some(params) = self.case.protected {
            let params = judged_params(params);
            let plain = self.case.plain_price()?;
            let by_integer = on_tick(protected_price_program(plain, is_bid, &params));
            let by_float = on_tick(protected_price_sdk(plain, is_bid, &params));
            let explains = by_integer == ours && Some(by_float) == self.recorded;
            return explains.then_some(FLOAT_DIVISOR);
        }
        let raw = self.raw_offset_price()?;
        let explains = raw < self.tick
            && on_tick(raw.max(self.tick)) == ours
            && Some(on_tick(raw.max(1))) == self.recorded;
        explains.then_some(OFFSET_FLOOR)
    }

    /// Oracle and offset without a floor, of the auction where that is asked, else of the order.
    fn raw_offset_price(&self) -> Option<i128> {
        let order = &self.case.judged;
        let oracle = self.case.oracle()?;
        if !self.asks_the_auction() {
            return Some(oracle + i128::from(order.oracle_price_offset));
        }
        // Far from zero the floor of the line is not met, so the line shows the offset itself.
        let far = 1_i128 << 80;
        let line = || auction_price_sdk(order, self.case.clock.slot.0, oracle + far) - far;
        order.auction_is_oracle_offset().then(line)
    }

    /// Whether the recorded price is a point of the auction's line.
    fn asks_the_auction(&self) -> bool {
        self.question == Question::Auction || self.case.order.has_auction_price(&self.case.clock)
    }
}

fn judged_params(params: ProtectedMakerParams) -> ProtectedParams {
    ProtectedParams {
        tick: i128::from(params.tick_size.0),
        limit_price_divisor: i128::from(params.limit_price_divisor),
        dynamic_offset: i128::from(params.dynamic_offset),
    }
}
