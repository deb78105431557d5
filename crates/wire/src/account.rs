//! The body of one account: its orders with their places, positions, balances and margin.

use std::ops::Range;

use slotbook_book::{AccountOrder, Book, MarketInfo, QueueScratch};
use slotbook_matching::margin::{AccountMargin, Kind, PricedPerp, PricedSpot};
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::error::ProtocolError;
use slotbook_protocol::model::margin::{UserHoldings, position_flag};
use slotbook_protocol::model::units::Pubkey;

use crate::level::SizeScale;
use crate::open_orders::write_order;
use crate::writer::{JsonWriter, members};

/// The parts of an account as JSON text, each of which a stream sends when it changes.
#[derive(Clone, Debug, Default)]
pub struct AccountText {
    /// All of the text.
    pub text: Vec<u8>,
    /// Each open order's id and row.
    pub orders: Vec<(u32, Range<usize>)>,
    /// The members `positions`, `balances` and `margin`, each with its name.
    pub members: [Range<usize>; 3],
}

/// The members of an account that cannot be read.
const EMPTY: [&[u8]; 3] = [b",\"positions\":[]", b",\"balances\":[]", b",\"margin\":null"];

/// What an account's text is made of besides the book.
#[derive(Clone, Copy, Debug)]
pub struct AccountSource<'a> {
    /// The user account.
    pub key: &'a Pubkey,
    /// Its bytes where the book does not hold it.
    pub data: Option<&'a [u8]>,
}

/// Reads an account of the book, or of the given bytes; `None` for an account of neither.
///
/// # Errors
/// [`ProtocolError`] when the bytes are not of a user account of the program, or the book leaves
/// the account out: its bytes say nothing of its orders.
pub fn holdings_of(
    book: &Book,
    source: AccountSource<'_>,
) -> Result<Option<UserHoldings>, ProtocolError> {
    if book.is_quarantined(source.key) {
        return Err(ProtocolError::LeftOut);
    }
    let held = book.user_account(source.key);
    let bytes = held.as_deref().or(source.data);
    bytes.map(|bytes| book.config().rules.holdings(bytes)).transpose()
}

impl AccountText {
    /// Replaces the text by an account's of now.
    pub fn render(
        &mut self,
        book: &Book,
        key: &Pubkey,
        user: &UserHoldings,
        scratch: &mut QueueScratch,
    ) {
        self.render_orders(book.account_orders(key, scratch));
        let margin = AccountMargin::of(user, book);
        let of = (book, user, &margin);
        self.members = [
            self.append(|json| {
                json.raw(b",\"positions\":[");
                json.list(&margin.perps, |json, held| write_perp(json, held, of));
                json.raw(b"]");
            }),
            self.append(|json| {
                json.raw(b",\"balances\":[");
                json.list(&margin.spots, |json, held| write_spot(json, held, of));
                json.raw(b"]");
            }),
            self.append(|json| write_margin(json, user, &margin)),
        ];
    }

    fn render_orders(&mut self, rows: Vec<AccountOrder<'_>>) {
        self.text.clear();
        self.orders.clear();
        for row in rows {
            let place = self.append(|json| write_account_order(json, &row));
            self.orders.push((row.open.order.order_id, place));
        }
    }

    /// Appends text, and returns its place.
    fn append(&mut self, write: impl FnOnce(&mut JsonWriter<'_>)) -> Range<usize> {
        let start = self.text.len();
        write(&mut JsonWriter::new(&mut self.text));
        start..self.text.len()
    }

    /// Removes everything, as of an account that cannot be read.
    pub fn clear(&mut self) {
        self.text.clear();
        self.orders.clear();
        self.members = EMPTY.map(|empty| self.append(|json| json.raw(empty)));
    }

    /// Whether another text shows the same.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.orders.len() == other.orders.len()
            && self.text == other.text
            && self.orders.iter().eq(&other.orders)
    }

    /// Appends the members that differ from `before`: rows of orders by their ids, the others whole.
    pub(crate) fn write_changes(&self, before: &Self, json: &mut JsonWriter<'_>) {
        let row_of = |text: &Self, id: u32| {
            let row = text.orders.iter().find(|(order, _)| *order == id)?.1.clone();
            Some(text.text[row].to_vec())
        };
        let is_new = |(id, row): &&(u32, Range<usize>)| {
            row_of(before, *id).as_deref() != Some(&self.text[row.clone()])
        };
        let changed = self.orders.iter().filter(is_new);
        json.raw(b",\"orders\":{\"set\":[");
        json.list(changed, |json, (_, row)| json.raw(&self.text[row.clone()]));
        json.raw(b"],\"remove\":[");
        let gone = before.orders.iter().filter(|(id, _)| row_of(self, *id).is_none());
        json.list(gone, |json, (id, _)| json.u64((*id).into()));
        json.raw(b"]}");
        for (member, last) in self.members.iter().zip(&before.members) {
            let text = &self.text[member.clone()];
            if *text != before.text[last.clone()] {
                json.raw(text);
            }
        }
    }

    /// Appends the members `orders` to `margin`, the first without a comma before it.
    pub fn write(&self, json: &mut JsonWriter<'_>) {
        json.raw(b"\"orders\":[");
        json.list(&self.orders, |json, (_, row)| json.raw(&self.text[row.clone()]));
        json.raw(b"]");
        for member in &self.members {
            json.raw(&self.text[member.clone()]);
        }
    }
}

/// Appends an account as a JSON object.
pub fn render_account(
    book: &Book,
    (key, user): (&Pubkey, &UserHoldings),
    (fresh, queue): (&mut AccountText, &mut QueueScratch),
    epoch: &str,
    out: &mut Vec<u8>,
) {
    fresh.render(book, key, user, queue);
    let mut json = JsonWriter::new(out);
    json.raw(b"{");
    write_owner(&mut json, key, user);
    json.raw(b",");
    fresh.write(&mut json);
    members!(
        json,
        b",\"slot\":" => u64(book.slot().0),
        b",\"epoch\":" => string(epoch),
        b",\"state\":" => string(book.state().name()),
        b"}",
    );
}

/// Appends the members that name an account, without a comma before them.
pub fn write_owner(json: &mut JsonWriter<'_>, key: &Pubkey, user: &UserHoldings) {
    members!(
        json,
        b"\"account\":" => key(key),
        b",\"authority\":" => key(&user.authority),
        b",\"subAccountId\":" => i128(user.amounts.sub_account_id),
        b",\"name\":" => string(&user.name),
    );
}

fn write_account_order(json: &mut JsonWriter<'_>, row: &AccountOrder<'_>) {
    let scale = SizeScale::from_decimals(row.open.market.decimals);
    json.raw(b"{");
    write_order(json, &row.open);
    json.raw(b",\"priceNow\":");
    json.price_or_null(row.price);
    members!(json, b",\"sizeNow\":\"" => u128(scale.to_wire(row.size.0.into())), b"\"");
    json.raw(b",\"ordersAhead\":");
    json.or_null(row.ahead, |json, ahead| json.u64(ahead.orders));
    json.raw(b",\"sizeAhead\":");
    json.or_null(row.ahead, |json, ahead| {
        members!(json, b"\"" => u128(scale.to_wire(ahead.size)), b"\"");
    });
    json.raw(b",\"distance\":");
    json.or_null(row.distance, |json, distance| members!(json, b"\"" => u64(distance), b"\""));
    json.raw(b"}");
}

type Of<'a> = (&'a Book, &'a UserHoldings, &'a AccountMargin);

fn write_perp(json: &mut JsonWriter<'_>, held: &PricedPerp, (book, user, margin): Of<'_>) {
    let position = &held.position;
    write_market(json, market_of(book, MarketType::Perp, position.market_index));
    let is_priced = held.terms.is_some();
    let priced = |amount: i128| is_priced.then_some(amount);
    let is_isolated = position.flag & position_flag::ISOLATED != 0;
    members!(
        json,
        b",\"marketIndex\":" => i128(position.market_index),
        b",\"baseAssetAmount\":" => amount(position.base),
        b",\"quoteAssetAmount\":" => amount(position.quote),
        b",\"quoteEntryAmount\":" => amount(position.quote_entry),
        b",\"quoteBreakEvenAmount\":" => amount(position.quote_break_even),
        b",\"settledPnl\":" => amount(position.settled_pnl),
        b",\"unsettledFunding\":" => amount_or_null(priced(held.unsettled_funding)),
        b",\"unsettledPnl\":" => amount_or_null(priced(held.pnl)),
        b",\"claimablePnl\":" => amount_or_null(priced(held.claimable)),
        b",\"liquidationPrice\":" => amount_or_null(margin.perp_liquidation(user, held, book)),
        b",\"isIsolated\":" => bool(is_isolated),
        b"}",
    );
}

fn write_spot(json: &mut JsonWriter<'_>, held: &PricedSpot, (book, user, margin): Of<'_>) {
    let position = &held.position;
    let market = market_of(book, MarketType::Spot, position.market_index);
    write_market(json, market);
    members!(json, b",\"marketIndex\":" => i128(position.market_index), b",\"decimals\":");
    json.or_null(market, |json, market| json.u64(market.decimals.into()));
    let value = held.terms.map(|terms| terms.value(held.tokens));
    members!(
        json,
        b",\"tokens\":" => amount_or_null(held.terms.map(|_| held.tokens)),
        b",\"value\":" => amount_or_null(value),
        b",\"liquidationPrice\":" => amount_or_null(margin.spot_liquidation(user, held, book)),
        b"}",
    );
}

fn market_of(book: &Book, market_type: MarketType, index: i128) -> Option<&MarketInfo> {
    book.market(book.find_market(market_type, u16::try_from(index).ok()?)?)
}

fn write_market(json: &mut JsonWriter<'_>, market: Option<&MarketInfo>) {
    json.raw(b"{\"marketName\":");
    json.or_null(market, |json, market| json.string(&market.symbol));
}

fn write_margin(json: &mut JsonWriter<'_>, user: &UserHoldings, margin: &AccountMargin) {
    json.raw(b",\"margin\":");
    if !margin.is_complete {
        json.raw(b"null");
        return;
    }
    let [initial, strict, maintenance] =
        [Kind::Initial, Kind::Strict, Kind::Maintenance].map(|kind| margin.margin(kind));
    write_sums(json, margin);
    members!(
        json,
        b",\"totalInitialMargin\":" => amount(initial.collateral),
        b",\"totalMaintenanceMargin\":" => amount(maintenance.collateral),
        b",\"freeInitialMargin\":" => amount(strict.free()),
        b",\"freeMaintenanceMargin\":" => amount(maintenance.free()),
        b",\"initialReq\":" => amount(strict.requirement),
        b",\"maintenanceReq\":" => amount(maintenance.requirement),
        b",\"leverage\":" => amount(margin.leverage()),
        b",\"marginRatio\":" => amount_or_null(margin.margin_ratio()),
        b",\"health\":" => u64(margin.health(user).into()),
        b",\"settledPerpPnl\":" => amount(user.amounts.settled_perp_pnl),
        b",\"cumulativePerpFunding\":" => amount(user.amounts.cumulative_perp_funding),
        b"}",
    );
}

fn write_sums(json: &mut JsonWriter<'_>, margin: &AccountMargin) {
    members!(
        json,
        b"{\"netUsdValue\":" => amount(margin.net_usd_value()),
        b",\"totalUnsettledPnl\":" => amount(margin.unrealized_pnl),
        b",\"totalUnsettledFundingPnl\":" => amount(margin.unsettled_funding),
        b",\"totalClaimablePnl\":" => amount(margin.claimable),
    );
}
