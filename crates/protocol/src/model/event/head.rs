//! The kind of a record, and the few of its values by which a history finds and sums records.

use super::field::{EventFieldType, EventLayout};
use super::values::{Value, ValueName, Values, unsigned};
use crate::bytes::{i64_at, key_at};
use crate::model::enums::MarketType;
use crate::model::error::ProtocolError;
use crate::model::event::field::DISCRIMINATOR_BYTES;
use crate::model::units::Pubkey;

/// The kind of a record. The numbers are stored, and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Anything else.
    Other = 0,
    /// A fill.
    Trade = 1,
    /// A fill that moves a position between two accounts, at a price that they choose.
    Transfer = 2,
    /// Any other action on an order: placed, cancelled, triggered, expired.
    OrderAction = 3,
    /// A new order.
    Order = 4,
    /// A new funding rate of a market.
    FundingRate = 5,
    /// What a user paid or got for funding.
    FundingPayment = 6,
    /// A deposit or a withdrawal.
    Deposit = 7,
    /// Profit or loss of a position that was settled.
    SettlePnl = 8,
    /// A step of a liquidation.
    Liquidation = 9,
    /// A new user account.
    NewUser = 10,
    /// A user account that was deleted.
    DeletedUser = 11,
}

/// An account of a record by which the record is found, and its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Party {
    /// A user account, or the authority of a new or deleted one.
    pub key: Pubkey,
    /// The order that the record is about.
    pub order_id: Option<u32>,
}

/// What a fill adds to candles: base in units of 1e-9 (spot: of the token's decimals), quote and
/// price in units of 1e-6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amounts {
    /// Base that changed hands.
    pub base: u64,
    /// Quote that changed hands.
    pub quote: u64,
    /// The oracle's price.
    pub oracle: i64,
}

/// The head of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The kind of the record.
    pub kind: Kind,
    /// The chain's time, unix seconds; 0 for other kinds that do not begin with it.
    pub ts: i64,
    /// The market; `None` for records that are of none or of several.
    pub market: Option<(MarketType, u16)>,
    /// The program's number of the record; `None` for kinds without one.
    pub id: Option<u64>,
    /// At most two accounts, each once.
    pub parties: [Option<Party>; 2],
    /// Of a fill.
    pub amounts: Option<Amounts>,
    /// Of a funding rate: the rate as a fraction of the oracle's price and per hour, at 1e18,
    /// rounded to the nearest, halves away from zero; 0 without an oracle's price.
    pub fraction: Option<i128>,
}

/// Returns the kind of a record that has its market and accounts by their usual names, and the type of
/// that market; `None` for any other record.
fn plain_kind(record: &str) -> Option<(Kind, Option<MarketType>)> {
    Some(match record {
        "FundingPaymentRecord" => (Kind::FundingPayment, Some(MarketType::Perp)),
        "DepositRecord" => (Kind::Deposit, Some(MarketType::Spot)),
        "SettlePnlRecord" => (Kind::SettlePnl, Some(MarketType::Perp)),
        "LiquidationRecord" => (Kind::Liquidation, None),
        "NewUserRecord" => (Kind::NewUser, None),
        "DeleteUserRecord" => (Kind::DeletedUser, None),
        _ => return None,
    })
}

/// The record of an action on an order. For a trigger, `takerFee` and `fillerReward` hold the
/// keeper's flat fee. Source: programs/drift/src/state/events.rs `OrderActionRecord`.
const ACTION_RECORD: &str = "OrderActionRecord";
/// The record of a market's funding rate: quote per base and hour, in units of 1e-9. Source:
/// programs/drift/src/state/events.rs `FundingRateRecord`.
const FUNDING_RECORD: &str = "FundingRateRecord";
/// The record of a new order, whose values are those of an order.
const ORDER_RECORD: &str = "OrderRecord";

/// 1e18 by the scales of the rate (1e9) and of prices (1e6).
const FRACTION_SCALE: i128 = 1_000_000_000_000_000;

impl Head {
    /// Reads the head of a record, whose layout is that of its program.
    ///
    /// # Errors
    /// As [`read_values`]; and [`ProtocolError::MissingField`] when a fill lacks its number, base
    /// or quote. Records of other kinds are not examined.
    pub fn read(layout: &EventLayout, data: &[u8]) -> Result<Self, ProtocolError> {
        match layout.name {
            ACTION_RECORD => Self::of_action(&Values::read(layout, data)?),
            FUNDING_RECORD => Ok(Self::of_funding(&Values::read(layout, data)?)),
            ORDER_RECORD => Ok(Self::of_order(&Values::read(layout, data)?)),
            name => match plain_kind(name) {
                Some((kind, market_type)) => {
                    Ok(Self::of_plain(kind, market_type, &Values::read(layout, data)?))
                }
                None => Ok(Self::of_other(layout, data)),
            },
        }
    }

    fn new(kind: Kind, ts: i64) -> Self {
        let parties = [None, None];
        Self { kind, ts, market: None, id: None, parties, amounts: None, fraction: None }
    }

    fn of_action(values: &Values<'_>) -> Result<Self, ProtocolError> {
        let is_fill = values.name("action") == Some("Fill");
        let kind = match (is_fill, values.name("actionExplanation")) {
            (false, _) => Kind::OrderAction,
            (true, Some("TransferPerpPosition")) => Kind::Transfer,
            (true, _) => Kind::Trade,
        };
        let (id, amounts) = if is_fill { values.filled()? } else { (None, None) };
        let party = |account, order| {
            let order_id = values.unsigned(order);
            values.account(account).map(|key| Party { key, order_id })
        };
        let taker = party("taker", "takerOrderId");
        let maker = party("maker", "makerOrderId");
        let is_one = values.account("taker") == values.account("maker");
        Ok(Self {
            market: values.market(market_type_of(values.own("marketType"))),
            id,
            parties: [taker, maker.filter(|_| !is_one)],
            amounts,
            ..Self::new(kind, values.signed("ts"))
        })
    }

    fn of_funding(values: &Values<'_>) -> Self {
        let rate: i128 = values.signed("fundingRate");
        let price: i128 = values.signed("oraclePriceTwap");
        let twice = (rate.abs() * FRACTION_SCALE * 2 + price).checked_div(price * 2);
        let fraction = twice.filter(|_| price > 0).unwrap_or(0) * rate.signum();
        Self {
            market: values.market(MarketType::Perp),
            id: values.unsigned("recordId"),
            fraction: Some(fraction),
            ..Self::new(Kind::FundingRate, values.signed("ts"))
        }
    }

    fn of_order(values: &Values<'_>) -> Self {
        let of_order = |name| values.find(ValueName { group: "order", name });
        let market_type = market_type_of(of_order("marketType"));
        let order_id = unsigned(of_order("orderId"));
        let party = values.account("user").map(|key| Party { key, order_id });
        Self {
            market: unsigned(of_order("marketIndex")).map(|index| (market_type, index)),
            parties: [party, None],
            ..Self::new(Kind::Order, values.signed("ts"))
        }
    }

    fn of_plain(kind: Kind, market_type: Option<MarketType>, values: &Values<'_>) -> Self {
        let party = |name| values.account(name).map(|key| Party { key, order_id: None });
        let is_of_users = matches!(kind, Kind::NewUser | Kind::DeletedUser);
        Self {
            market: market_type.and_then(|market_type| values.market(market_type)),
            id: values.unsigned("depositRecordId"),
            parties: [party("user"), party("userAuthority").filter(|_| is_of_users)],
            ..Self::new(kind, values.signed("ts"))
        }
    }

    fn of_other(layout: &EventLayout, data: &[u8]) -> Self {
        let begins = layout.fields.first().is_some_and(|field| field.name == "ts");
        let has_ts = begins && data.len() >= DISCRIMINATOR_BYTES + size_of::<i64>();
        Self::new(Kind::Other, if has_ts { i64_at(data, DISCRIMINATOR_BYTES) } else { 0 })
    }
}

/// The parts of a head that several kinds have.
impl Values<'_> {
    fn market(&self, market_type: MarketType) -> Option<(MarketType, u16)> {
        self.unsigned("marketIndex").map(|index| (market_type, index))
    }

    /// The number and the amounts that the program always writes for a fill.
    fn filled(&self) -> Result<(Option<u64>, Option<Amounts>), ProtocolError> {
        let present = |field| self.unsigned(field).ok_or(ProtocolError::MissingField { field });
        let id = present("fillRecordId")?;
        let base = present("baseAssetAmountFilled")?;
        let quote = present("quoteAssetAmountFilled")?;
        Ok((Some(id), Some(Amounts { base, quote, oracle: self.signed("oraclePrice") })))
    }
}

fn market_type_of(value: Option<Value<'_>>) -> MarketType {
    match value {
        Some(Value::Name("Spot")) => MarketType::Spot,
        _ => MarketType::Perp,
    }
}

/// Returns the user accounts that a record names before its first field without a fixed size, for
/// example the owner of the order, the depositor, the liquidated user and the liquidator. Keys that
/// the record lacks at its end are omitted.
pub fn users_at_start<'a>(
    layout: &'static EventLayout,
    data: &'a [u8],
) -> impl Iterator<Item = Pubkey> + 'a {
    let mut at = DISCRIMINATOR_BYTES;
    layout
        .fields
        .iter()
        .map_while(move |field| {
            let EventFieldType::One(element) = field.field_type else { return None };
            let start = at;
            at += element.size();
            let bytes = data.get(start..at)?;
            Some(matches!(field.name, "user" | "liquidator").then(|| key_at(bytes, 0)))
        })
        .flatten()
}
