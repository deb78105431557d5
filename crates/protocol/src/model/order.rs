//! An order of a user account: its bytes with getters, and its decoded form with predicates.

use crate::bytes::{bool_at, i32_at};
use crate::drift::layouts::ORDER;
use crate::layout::{Layout, getters};
use crate::model::clock::{SLOT_UNIT_MS, SlotClock};
use crate::model::enums::{Direction, MarketType, OrderStatus, OrderType, TriggerCondition};
use crate::model::error::ProtocolError;
use crate::model::units::{BaseQty, Price, PriceOffset, QuoteQty, Slot, UnixSeconds};

/// Order slots of a user account.
pub const ORDERS: usize = 32;
/// Number of slots for perp positions in a user account, the same as for spot positions.
pub const POSITIONS: usize = 8;

/// Bytes of an order, including the lower half of its offset.
pub const ORDER_BYTES: usize = ORDER.size;

/// In the place of a market's index, which has 16 bits: a slot that holds no order of a perp market.
pub const NOT_HELD: u32 = u32::MAX;

/// Bits of `bit_flags`. Source: programs/drift/src/state/user.rs `OrderBitFlag`.
pub mod bit_flags {
    /// Placed by a signed message.
    pub const SIGNED_MESSAGE: u8 = 1;
    /// A triggered market order whose auction prices are oracle offsets.
    pub const ORACLE_TRIGGER_MARKET: u8 = 2;
    /// The order rests in the account of a CLOB program, and the slot keeps its trigger alone. Velocity's CLOB branch
    /// sets it. Source: programs/velocity/src/state/user.rs `OrderBitFlag`, docs/clob-client-integration.md.
    pub const PLACED_ON_CLOB: u8 = 64;
}

/// An order of any program as bytes: the bytes of a Drift v2 order, whose offset has 32 bits, and
/// an offset of 64 bits. A book does not use the other fields that programs have added to orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawOrder {
    pub(crate) bytes: [u8; ORDER_BYTES],
    /// The offset to the oracle's price, 1e6. The bytes contain its lower half too.
    pub(crate) offset: i64,
}

/// An order, read where it is.
#[derive(Clone, Copy, Debug)]
pub struct OrderView<'a> {
    bytes: &'a [u8; ORDER_BYTES],
    offset: i64,
}

impl RawOrder {
    /// An empty order slot.
    pub const EMPTY: Self = Self { bytes: [0; ORDER_BYTES], offset: 0 };

    /// A view over the bytes.
    #[must_use]
    #[inline]
    pub const fn view(&self) -> OrderView<'_> {
        OrderView { bytes: &self.bytes, offset: self.offset }
    }

    /// Returns the hash of the order by the given function of a seed and bytes.
    #[inline]
    pub fn hash(&self, seed: u64, hash: impl Fn(u64, &[u8]) -> u64) -> u64 {
        let beyond = self.offset ^ i64::from(offset_low(&self.bytes));
        hash(seed ^ (beyond >> i32::BITS).cast_unsigned(), &self.bytes)
    }
}

impl From<[u8; ORDER_BYTES]> for RawOrder {
    /// An order whose offset has 32 bits.
    #[inline]
    fn from(bytes: [u8; ORDER_BYTES]) -> Self {
        Self { bytes, offset: offset_low(&bytes).into() }
    }
}

#[inline]
fn offset_low(bytes: &[u8; ORDER_BYTES]) -> i32 {
    i32_at(bytes, const { ORDER.at("oraclePriceOffset", "i32") })
}

/// Returns whether an order of a table with 64-bit offsets has its later fields in the same order
/// as the held bytes: each field after the offset is 4 bytes later.
pub(crate) const fn is_held(table: &Layout) -> bool {
    let offset = ORDER.at("oraclePriceOffset", "i32");
    let mut index = 0;
    while index < ORDER.fields.len() {
        let (held, given) = (&ORDER.fields[index], &table.fields[index]);
        let shift = if held.offset > offset { size_of::<i32>() } else { 0 };
        if given.offset != held.offset + shift || !held.is_named(given) {
            return false;
        }
        index += 1;
    }
    true
}

impl OrderView<'_> {
    /// Returns the perp market of an open order that rests in the slot itself, not on a CLOB
    /// program; [`NOT_HELD`] for any other slot.
    #[must_use]
    #[inline]
    pub fn held_in(&self) -> u32 {
        let is_held = self.status() == Ok(OrderStatus::Open)
            && self.market_type() == Ok(MarketType::Perp)
            && self.bit_flags() & bit_flags::PLACED_ON_CLOB == 0;
        if is_held { self.market_index().into() } else { NOT_HELD }
    }

    /// Returns the offset to the oracle's price, 1e6; 0 for a fixed price.
    #[must_use]
    #[inline]
    pub const fn oracle_price_offset(&self) -> PriceOffset {
        PriceOffset(self.offset)
    }

    getters! { ORDER;
        /// Slot in which the order was placed or triggered.
        slot -> Slot = Slot, u64 "slot";
        /// Limit price, 1e6; 0 for an order without a limit price.
        price -> Price = Price, u64 "price";
        /// Size at placement.
        base_asset_amount -> BaseQty = BaseQty, u64 "baseAssetAmount";
        /// Size filled so far.
        base_asset_amount_filled -> BaseQty = BaseQty, u64 "baseAssetAmountFilled";
        /// Quote filled so far.
        quote_asset_amount_filled -> QuoteQty = QuoteQty, u64 "quoteAssetAmountFilled";
        /// Price at which a trigger order triggers, 1e6.
        trigger_price -> Price = Price, u64 "triggerPrice";
        /// Price or oracle offset at the start of the auction, 1e6.
        auction_start_price -> i64 = i64::from, i64 "auctionStartPrice";
        /// Price or oracle offset at the end of the auction, 1e6.
        auction_end_price -> i64 = i64::from, i64 "auctionEndPrice";
        /// Last unix second at which the order is live; 0 for no end.
        max_ts -> UnixSeconds = UnixSeconds, i64 "maxTs";
        /// Id of the order, unique within its user account.
        order_id -> u32 = u32::from, u32 "orderId";
        /// Index of the order's market among markets of the same type.
        market_index -> u16 = u16::from, u16 "marketIndex";
        /// What the slot holds.
        status -> Result<OrderStatus, ProtocolError> = OrderStatus::from_byte, enum "status";
        /// How the order is priced.
        order_type -> Result<OrderType, ProtocolError> = OrderType::from_byte, enum "orderType";
        /// Spot or perp.
        market_type -> Result<MarketType, ProtocolError> = MarketType::from_byte, enum "marketType";
        /// Id that the user chose; 0 for none.
        user_order_id -> u8 = u8::from, u8 "userOrderId";
        /// Direction of the user's position when the order was placed.
        existing_position_direction -> Result<Direction, ProtocolError> = Direction::from_byte,
            enum "existingPositionDirection";
        /// Direction of the order.
        direction -> Result<Direction, ProtocolError> = Direction::from_byte, enum "direction";
        /// May only shrink the position.
        reduce_only -> bool = is_set, bool "reduceOnly";
        /// May only make.
        post_only -> bool = is_set, bool "postOnly";
        /// The condition on which a trigger order triggers, and whether the order has triggered.
        trigger_condition -> Result<TriggerCondition, ProtocolError> = TriggerCondition::from_byte,
            enum "triggerCondition";
        /// Duration of the auction in units of [`SLOT_UNIT_MS`]; 0 for no auction.
        auction_duration -> u8 = u8::from, u8 "auctionDuration";
        /// Low byte of the slot in which the order was posted.
        posted_slot_tail -> u8 = u8::from, u8 "postedSlotTail";
        /// Flags, see [`bit_flags`].
        bit_flags -> u8 = u8::from, u8 "bitFlags";
    }

    /// Checks the bytes of all enums and booleans.
    ///
    /// # Errors
    /// [`ProtocolError::InvalidEnum`] for the first invalid field.
    #[inline]
    pub fn check(&self) -> Result<(), ProtocolError> {
        self.decode().map(|_| ())
    }

    /// Returns the order with every field decoded.
    ///
    /// # Errors
    /// [`ProtocolError::InvalidEnum`] for the first invalid field.
    #[inline]
    pub fn decode(&self) -> Result<Order, ProtocolError> {
        const REDUCE_ONLY: usize = ORDER.at("reduceOnly", "bool");
        const POST_ONLY: usize = ORDER.at("postOnly", "bool");
        const IMMEDIATE_OR_CANCEL: usize = ORDER.at("immediateOrCancel", "bool");
        Ok(Order {
            slot: self.slot(),
            price: self.price(),
            base_asset_amount: self.base_asset_amount(),
            base_asset_amount_filled: self.base_asset_amount_filled(),
            quote_asset_amount_filled: self.quote_asset_amount_filled(),
            trigger_price: self.trigger_price(),
            auction_start_price: self.auction_start_price(),
            auction_end_price: self.auction_end_price(),
            max_ts: self.max_ts(),
            oracle_price_offset: self.oracle_price_offset(),
            order_id: self.order_id(),
            market_index: self.market_index(),
            status: self.status()?,
            order_type: self.order_type()?,
            market_type: self.market_type()?,
            user_order_id: self.user_order_id(),
            existing_position_direction: self.existing_position_direction()?,
            direction: self.direction()?,
            reduce_only: bool_at(self.bytes, REDUCE_ONLY, "reduce_only")?,
            post_only: bool_at(self.bytes, POST_ONLY, "post_only")?,
            immediate_or_cancel: bool_at(self.bytes, IMMEDIATE_OR_CANCEL, "immediate_or_cancel")?,
            trigger_condition: self.trigger_condition()?,
            auction_duration: self.auction_duration(),
            posted_slot_tail: self.posted_slot_tail(),
            bit_flags: self.bit_flags(),
        })
    }
}

#[inline]
const fn is_set(byte: u8) -> bool {
    byte != 0
}

/// An order with every field decoded. Fields have the names that the program uses; [`OrderView`]
/// states their units.
#[expect(missing_docs, reason = "each field is the getter of the same name on OrderView")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    pub slot: Slot,
    pub price: Price,
    pub base_asset_amount: BaseQty,
    pub base_asset_amount_filled: BaseQty,
    pub quote_asset_amount_filled: QuoteQty,
    pub trigger_price: Price,
    pub auction_start_price: i64,
    pub auction_end_price: i64,
    pub max_ts: UnixSeconds,
    pub oracle_price_offset: PriceOffset,
    pub order_id: u32,
    pub market_index: u16,
    pub status: OrderStatus,
    pub order_type: OrderType,
    pub market_type: MarketType,
    pub user_order_id: u8,
    pub existing_position_direction: Direction,
    pub direction: Direction,
    pub reduce_only: bool,
    pub post_only: bool,
    pub immediate_or_cancel: bool,
    pub trigger_condition: TriggerCondition,
    pub auction_duration: u8,
    pub posted_slot_tail: u8,
    pub bit_flags: u8,
}

impl Order {
    /// Returns whether the order takes immediately: market, trigger-market and oracle orders do.
    /// Source: programs/drift/src/state/user.rs `is_market_order`.
    #[must_use]
    #[inline]
    pub const fn is_market(&self) -> bool {
        matches!(self.order_type, OrderType::Market | OrderType::TriggerMarket | OrderType::Oracle)
    }

    /// Returns whether the order is a limit or trigger-limit order. Source:
    /// programs/drift/src/state/user.rs `is_limit_order`.
    #[must_use]
    #[inline]
    pub const fn is_limit(&self) -> bool {
        matches!(self.order_type, OrderType::Limit | OrderType::TriggerLimit)
    }

    /// Returns whether the order is a trigger order, triggered or not. Source:
    /// programs/drift/src/state/user.rs `must_be_triggered`.
    #[must_use]
    #[inline]
    pub const fn must_be_triggered(&self) -> bool {
        matches!(self.order_type, OrderType::TriggerMarket | OrderType::TriggerLimit)
    }

    /// Returns whether the trigger condition is marked as triggered; does not check that the order
    /// is a trigger order. Source: programs/drift/src/state/user.rs `triggered`.
    #[must_use]
    #[inline]
    pub const fn is_triggered(&self) -> bool {
        let condition = self.trigger_condition;
        matches!(condition, TriggerCondition::TriggeredAbove | TriggerCondition::TriggeredBelow)
    }

    /// Returns the duration of the auction in milliseconds. The field has units of
    /// [`SLOT_UNIT_MS`].
    #[must_use]
    #[inline]
    pub const fn auction_ms(&self) -> u64 {
        self.auction_duration as u64 * SLOT_UNIT_MS
    }

    /// Returns whether the order has no auction, or more time than the auction's duration has
    /// passed. In a slot below the order's slot, the auction is not complete; the program fails
    /// there. Source: programs/drift/src/math/auction.rs `is_auction_complete`.
    #[must_use]
    #[inline]
    pub const fn is_auction_complete(&self, clock: &SlotClock) -> bool {
        self.auction_duration == 0 || clock.units_since(self.slot) > self.auction_duration as u64
    }

    /// Returns whether the order is in an auction that has a price. Source:
    /// programs/drift/src/state/user.rs `has_auction_price`.
    #[must_use]
    #[inline]
    pub const fn has_auction_price(&self, clock: &SlotClock) -> bool {
        let has_price = self.auction_start_price != 0 || self.auction_end_price != 0;
        has_price && !self.is_auction_complete(clock)
    }

    /// Returns whether the order is a limit order that may make: a post-only order, or an order
    /// whose auction is complete. The result may be true for an untriggered trigger-limit order:
    /// check the trigger first. Source: programs/drift/src/state/user.rs `is_resting_limit_order`.
    #[must_use]
    #[inline]
    pub const fn is_resting_limit(&self, clock: &SlotClock) -> bool {
        self.is_limit() && (self.post_only || self.is_auction_complete(clock))
    }

    /// Returns whether the order may take. Source: sdk/src/math/orders.ts `isTakingOrder`.
    #[must_use]
    #[inline]
    pub const fn is_taking(&self, clock: &SlotClock) -> bool {
        self.is_market() || !self.is_resting_limit(clock)
    }

    /// Returns whether the order was placed by a signed message. Source:
    /// programs/drift/src/state/user.rs `is_signed_msg`.
    #[must_use]
    #[inline]
    pub const fn is_signed_msg(&self) -> bool {
        self.bit_flags & bit_flags::SIGNED_MESSAGE != 0
    }

    /// Returns whether the order is open and the chain's clock is strictly past `max_ts`. Trigger
    /// orders never expire, triggered or not. Source: programs/drift/src/math/orders.rs
    /// `should_expire_order`.
    #[must_use]
    #[inline]
    pub const fn is_expired(&self, now: UnixSeconds) -> bool {
        matches!(self.status, OrderStatus::Open)
            && self.max_ts.0 != 0
            && !self.must_be_triggered()
            && now.0 > self.max_ts.0
    }

    /// Returns whether the order has a limit price, an oracle offset, or a running auction. Source:
    /// programs/drift/src/state/user.rs `has_limit_price`.
    #[must_use]
    #[inline]
    pub const fn has_limit_price(&self, clock: &SlotClock) -> bool {
        self.price.0 > 0 || self.oracle_price_offset.0 != 0 || !self.is_auction_complete(clock)
    }

    /// Returns whether the auction's prices are offsets to the oracle's price. Source:
    /// programs/drift/src/math/auction.rs `calculate_auction_price`.
    #[must_use]
    #[inline]
    pub const fn has_offset_auction(&self) -> bool {
        match self.order_type {
            OrderType::Oracle => true,
            OrderType::Limit => self.oracle_price_offset.0 != 0,
            OrderType::TriggerMarket => self.bit_flags & bit_flags::ORACLE_TRIGGER_MARKET != 0,
            OrderType::Market | OrderType::TriggerLimit => false,
        }
    }

    /// Returns the size that is not filled yet; 0 when the filled size exceeds the total size.
    #[must_use]
    #[inline]
    pub const fn unfilled(&self) -> BaseQty {
        BaseQty(self.base_asset_amount.0.saturating_sub(self.base_asset_amount_filled.0))
    }

    /// Returns the size that can fill against the user's signed position: for a reduce-only order
    /// at most the position, and 0 without a position or when the position has the order's
    /// direction. Source: programs/drift/src/state/user.rs `get_base_asset_amount_unfilled`.
    #[must_use]
    #[inline]
    pub const fn unfilled_for_position(&self, position: i64) -> BaseQty {
        let unfilled = self.unfilled();
        if !self.reduce_only {
            return unfilled;
        }
        let reducible = match self.direction {
            Direction::Long if position < 0 => position.unsigned_abs(),
            Direction::Short if position > 0 => position.unsigned_abs(),
            Direction::Long | Direction::Short => 0,
        };
        if reducible < unfilled.0 { BaseQty(reducible) } else { unfilled }
    }
}
