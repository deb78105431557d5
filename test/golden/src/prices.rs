//! Auction and limit prices: the naive model against the SDK's recording, to the unit, and the core
//! against the program's, to the unit or the error.

use serde_json::Value;
use slotbook_naive::{
    ProtectedParams, auction_price_sdk, protected_price_program, protected_price_sdk, round_to_tick,
};
use slotbook_protocol::model::clock::SlotClock;
use slotbook_protocol::model::order::{Order, RawOrder};
use slotbook_protocol::model::price::{
    PriceError, ProtectedMakerParams, auction_price_program, limit_price_program,
};
use slotbook_protocol::model::units::{OraclePrice, Price, Slot};

use crate::order::order_bytes;
use crate::report::Outcome;
use crate::value::{Malformed, at, flag, integer, integer_or_null, list, text};

/// The rules by which the program's form departs from the SDK's recorded prices.
const WORSENING: &str = "worsening fixed auction";
const SLOT_BEFORE: &str = "slot before order.slot";
const OFFSET_FLOOR: &str = "offset floor is the tick";
const FLOAT_DIVISOR: &str = "float divisor";

/// Which recording a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PriceFamily {
    /// The SDK's auction prices.
    SdkAuction,
    /// The SDK's limit prices.
    SdkLimit,
    /// The program's auction prices.
    ProgramAuction,
    /// The program's limit prices.
    ProgramLimit,
}

/// Runs the file's cases.
pub(crate) fn check(
    family: PriceFamily,
    file: &Value,
) -> Result<Vec<(String, Outcome)>, Malformed> {
    let mut outcomes = Vec::new();
    for value in list(file, "cases")? {
        let name = text(value, "name")?;
        let case = Case::parse(value)?;
        let found = match family {
            PriceFamily::SdkAuction => case.check_sdk_auction()?,
            PriceFamily::SdkLimit => case.check_sdk_limit()?,
            PriceFamily::ProgramAuction => case.check_program_auction()?,
            PriceFamily::ProgramLimit => case.check_program_limit()?,
        };
        outcomes.extend(found.into_iter().map(|(form, o)| (format!("{name}, {form}"), o)));
    }
    Ok(outcomes)
}

/// The outcomes of one case, by form.
type Forms = Vec<(&'static str, Outcome)>;

struct Case<'a> {
    order: Order,
    judged: slotbook_naive::Order,
    clock: SlotClock,
    oracle: Option<OraclePrice>,
    fallback: Option<Price>,
    protected: Option<ProtectedMakerParams>,
    is_prediction: bool,
    value: &'a Value,
    expected: &'a Value,
}

impl<'a> Case<'a> {
    fn parse(value: &'a Value) -> Result<Self, Malformed> {
        let bytes = order_bytes(at(value, "order")?)?;
        let order = RawOrder::from(bytes)
            .view()
            .decode()
            .map_err(|error| Malformed(format!("order: {error}")))?;
        let oracle = integer_or_null(value, "oraclePrice")?;
        let fallback = integer_or_null(value, "fallbackPrice")?;
        Ok(Case {
            order,
            judged: slotbook_naive::Order::from_bytes(&bytes),
            clock: Slot(integer(value, "slot")?).into(),
            oracle: oracle.map(|price| Ok(OraclePrice(narrow(price)?))).transpose()?,
            fallback: fallback.map(|price| Ok(Price(narrow(price)?))).transpose()?,
            protected: parse_params(value.get("protectedMakerParams"))?,
            is_prediction: flag(value, "isPrediction"),
            value,
            expected: at(value, "expected")?,
        })
    }

    fn check_sdk_auction(&self) -> Result<Forms, Malformed> {
        let recorded: i128 = integer(self.expected, "price")?;
        let sdk = self.sdk_auction();
        let tick = Price(integer(self.expected, "tickSize")?);
        let standardized: i128 = integer(self.expected, "standardized")?;
        let program =
            auction_price_program(&self.order, &self.clock, tick, self.oracle, false).map(Some);
        let judge = Judge {
            case: self,
            question: Question::Auction,
            tick: i128::from(tick.0),
            recorded: Some(standardized),
        };
        Ok(vec![
            ("sdk form", Outcome::compare("price", &sdk, &recorded)),
            ("predicates", self.predicates()),
            ("program form", judge.program(program)),
        ])
    }

    fn check_sdk_limit(&self) -> Result<Forms, Malformed> {
        let sdk = self.sdk_limit();
        if self.expected.get("throws").is_some() {
            // The SDK throws where there is no price that a protected maker's offset could move.
            return Ok(vec![("sdk form", Outcome::compare("price", &sdk, &None))]);
        }
        let recorded = integer_or_null(self.expected, "price")?;
        let tick = self.protected.map_or(Price(1), |params| params.tick_size);
        let program = self.program_limit(tick);
        let tick = i128::from(tick.0);
        let on_tick = recorded.map(|price| round_to_tick(price, tick, self.judged.is_bid()));
        let judge = Judge { case: self, question: Question::Limit, tick, recorded: on_tick };
        Ok(vec![
            ("sdk form", Outcome::compare("price", &sdk, &recorded)),
            ("predicates", self.predicates()),
            ("program form", judge.program(program)),
        ])
    }

    fn check_program_auction(&self) -> Result<Forms, Malformed> {
        let tick = Price(integer(self.value, "tickSize")?);
        let ours =
            auction_price_program(&self.order, &self.clock, tick, self.oracle, self.is_prediction);
        Ok(vec![("program form", self.compare_program(ours.map(Some))?)])
    }

    fn check_program_limit(&self) -> Result<Forms, Malformed> {
        let tick = Price(integer(self.value, "tickSize")?);
        let ours = self.program_limit(tick);
        Ok(vec![("program form", self.compare_program(ours)?), ("predicates", self.predicates())])
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

    fn compare_program(
        &self,
        ours: Result<Option<Price>, PriceError>,
    ) -> Result<Outcome, Malformed> {
        let recorded = match self.expected.get("error").and_then(Value::as_str) {
            Some(error) => Err(error.to_owned()),
            None => Ok(integer_or_null(self.expected, "price")?),
        };
        let ours = ours
            .map(|price| price.map(|price| i128::from(price.0)))
            .map_err(|error| format!("{error:?}"));
        Ok(Outcome::compare("price", &ours, &recorded))
    }

    /// Every predicate that the recording names.
    fn predicates(&self) -> Outcome {
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
        for (name, ours) in ours {
            let recorded = self.expected.get(name).and_then(Value::as_bool);
            if recorded.is_some_and(|recorded| recorded != ours) {
                return Outcome::compare(name, &Some(ours), &recorded);
            }
        }
        Outcome::Passed
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
    case: &'a Case<'a>,
    question: Question,
    tick: i128,
    /// The SDK's price, put on the tick.
    recorded: Option<i128>,
}

impl Judge<'_> {
    fn program(&self, ours: Result<Option<Price>, PriceError>) -> Outcome {
        let ours = ours.map(|price| price.map(|price| i128::from(price.0)));
        if ours == Ok(self.recorded) {
            return Outcome::Passed;
        }
        let rule = match ours {
            Err(PriceError::MathError) => self.error_rule(),
            Ok(Some(price)) => self.price_rule(price),
            _ => None,
        };
        match rule {
            Some(rule) => Outcome::Departed(rule.to_owned()),
            None => Outcome::compare("price", &ours, &Ok(self.recorded)),
        }
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

fn parse_params(value: Option<&Value>) -> Result<Option<ProtectedMakerParams>, Malformed> {
    let Some(value) = value.filter(|value| value.is_object()) else { return Ok(None) };
    Ok(Some(ProtectedMakerParams {
        limit_price_divisor: integer(value, "limitPriceDivisor")?,
        dynamic_offset: integer(value, "dynamicOffset")?,
        tick_size: Price(integer(value, "tickSize")?),
    }))
}

fn narrow<T: TryFrom<i128>>(value: i128) -> Result<T, Malformed> {
    T::try_from(value).map_err(|_| Malformed(format!("{value} is out of range")))
}
