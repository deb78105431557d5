//! Accounts as plain structures, read from the chain's bytes by offset.
//!
//! Source: programs/drift/src/state/{user,perp_market,spot_market,state}.rs, protocol-v2 2.162;
//! programs/velocity/src/state, velocity-v1 of SDK 0.26.0.

use slotbook_protocol::model::Program;

use crate::slots::{Moment, Slots, UNIT_MS};

/// An address: 32 bytes.
pub type Key = [u8; 32];

/// Which kind of market an order or a market account belongs to, in the chain's numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarketKind {
    /// A token exchanged for quote.
    Spot,
    /// A perpetual contract.
    Perp,
}

/// One order of a user account; field names and units are the chain's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the chain or of the report")]
pub struct Order {
    pub slot: u64,
    pub price: u64,
    pub base_asset_amount: u64,
    pub base_asset_amount_filled: u64,
    pub auction_start_price: i64,
    pub auction_end_price: i64,
    pub max_ts: i64,
    pub oracle_price_offset: i64,
    pub order_id: u32,
    pub market_index: u16,
    pub status: u8,
    pub order_type: u8,
    pub market_type: u8,
    pub direction: u8,
    pub reduce_only: bool,
    pub post_only: bool,
    pub trigger_condition: u8,
    pub auction_duration: u8,
    pub bit_flags: u8,
}

/// `OrderStatus::Open`.
const STATUS_OPEN: u8 = 1;
/// `OrderType::Limit`.
const TYPE_LIMIT: u8 = 1;
/// `OrderType::TriggerMarket`.
const TYPE_TRIGGER_MARKET: u8 = 2;
/// `OrderType::TriggerLimit`.
const TYPE_TRIGGER_LIMIT: u8 = 3;
/// `OrderBitFlag::OracleTriggerMarket`.
const FLAG_ORACLE_TRIGGER_MARKET: u8 = 2;

impl Order {
    /// Reads one 96-byte order of Drift v2.
    pub fn from_bytes(bytes: &[u8; 96]) -> Self {
        let offset = i32::from_le_bytes(array_at(bytes, 72));
        Self::read(bytes, i64::from(offset), 76)
    }

    /// Reads an order whose fields from the id on begin at `tail`.
    fn read(bytes: &[u8], oracle_price_offset: i64, tail: usize) -> Self {
        Order {
            slot: u64_at(bytes, 0),
            price: u64_at(bytes, 8),
            base_asset_amount: u64_at(bytes, 16),
            base_asset_amount_filled: u64_at(bytes, 24),
            auction_start_price: i64_at(bytes, 48),
            auction_end_price: i64_at(bytes, 56),
            max_ts: i64_at(bytes, 64),
            oracle_price_offset,
            order_id: u32::from_le_bytes(array_at(bytes, tail)),
            market_index: u16_at(bytes, tail + 4),
            status: bytes[tail + 6],
            order_type: bytes[tail + 7],
            market_type: bytes[tail + 8],
            direction: bytes[tail + 11],
            reduce_only: bytes[tail + 12] != 0,
            post_only: bytes[tail + 13] != 0,
            trigger_condition: bytes[tail + 15],
            auction_duration: bytes[tail + 16],
            bit_flags: bytes[tail + 18],
        }
    }

    /// Whether the order is open.
    pub fn is_open(&self) -> bool {
        self.status == STATUS_OPEN
    }

    /// Whether the order buys.
    pub fn is_bid(&self) -> bool {
        self.direction == 0
    }

    /// Whether the order is on the given market.
    pub fn is_on(&self, kind: MarketKind, index: u16) -> bool {
        self.market_index == index && self.market_type == u8::from(kind == MarketKind::Perp)
    }

    /// Limit order, or trigger-limit order that has been triggered.
    pub fn is_live_limit(&self) -> bool {
        self.order_type == TYPE_LIMIT
            || (self.order_type == TYPE_TRIGGER_LIMIT && self.is_triggered())
    }

    /// Whether the trigger condition says that the order was triggered.
    pub fn is_triggered(&self) -> bool {
        self.trigger_condition >= 2
    }

    /// Trigger orders keep this even after they were triggered.
    pub fn must_be_triggered(&self) -> bool {
        matches!(self.order_type, TYPE_TRIGGER_MARKET | TYPE_TRIGGER_LIMIT)
    }

    /// Milliseconds of the auction.
    pub(crate) fn auction_ms(&self) -> i128 {
        i128::from(self.auction_duration) * UNIT_MS
    }

    /// Whether the auction is over; a slot below the order's own counts as still in auction.
    pub(crate) fn is_auction_complete(&self, at: &Moment) -> bool {
        self.auction_duration == 0 || at.since(self.slot) > self.auction_ms()
    }

    /// Whether the order rests: post-only, or its auction is over.
    pub(crate) fn is_resting(&self, at: &Moment) -> bool {
        self.post_only || self.is_auction_complete(at)
    }

    /// Whether the order's time has passed; trigger orders never expire.
    pub fn is_expired(&self, now: i64) -> bool {
        !self.must_be_triggered() && self.max_ts != 0 && now > self.max_ts
    }

    /// Whether the auction prices of the order are offsets to the oracle.
    pub fn auction_is_oracle_offset(&self) -> bool {
        match self.order_type {
            4 => true,
            TYPE_LIMIT => self.oracle_price_offset != 0,
            TYPE_TRIGGER_MARKET => self.bit_flags & FLAG_ORACLE_TRIGGER_MARKET != 0,
            _ => false,
        }
    }

    /// Base not filled yet.
    pub fn unfilled(&self) -> i128 {
        (i128::from(self.base_asset_amount) - i128::from(self.base_asset_amount_filled)).max(0)
    }
}

/// A user account, as far as the book reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// `User.status`: a bit field.
    pub status: u8,
    /// All 32 order slots.
    pub orders: Vec<Order>,
    /// Perp positions that are in use: (market index, signed base).
    pub perp_positions: Vec<(u16, i64)>,
    /// Spot positions: (market index, scaled balance, borrowed).
    pub spot_positions: Vec<(u16, u64, bool)>,
}

/// A perp market account, as far as the book reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the chain or of the report")]
pub struct PerpMarket {
    pub oracle: Key,
    pub oracle_source: u8,
    pub last_oracle_twap: i64,
    pub step: u64,
    pub tick: u64,
    pub mm_price: i64,
    pub mm_slot: u64,
    pub mm_sequence: u64,
    pub expiry_ts: i64,
    pub index: u16,
    pub status: u8,
    pub is_prediction: bool,
    pub tier: u8,
    pub paused: u8,
}

/// A spot market account, as far as the book reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the chain or of the report")]
pub struct SpotMarket {
    pub oracle: Key,
    pub oracle_source: u8,
    pub last_oracle_twap: i64,
    pub step: u64,
    pub tick: u64,
    pub deposit_interest: u128,
    pub borrow_interest: u128,
    pub decimals: u32,
    pub expiry_ts: i64,
    pub index: u16,
    pub status: u8,
    pub paused: u8,
    pub tier: u8,
}

/// The exchange's State account, as far as the book reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the chain or of the report")]
pub struct State {
    pub exchange_status: u8,
    pub stale_for_amm_slots: i64,
    pub stale_for_margin_slots: i64,
    pub confidence_max: u64,
    pub too_volatile_ratio: i64,
    pub slots: Slots,
}

/// What the bytes of a program account turn out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Account {
    /// A user account.
    User(User),
    /// A perp market.
    Perp(PerpMarket),
    /// A spot market.
    Spot(SpotMarket),
    /// The exchange's state.
    State(State),
    /// It says it is a user, but the program never writes such bytes.
    MalformedUser,
    /// It says it is something the program does not have.
    Unknown,
    /// An account of the program that the book does not read.
    Other,
}

/// Discriminators of the accounts the book reads.
const USER: [u8; 8] = [0x9f, 0x75, 0x5f, 0xe3, 0xef, 0x97, 0x3a, 0xec];
const PERP: [u8; 8] = [0x0a, 0xdf, 0x0c, 0x2c, 0x6b, 0xf5, 0x37, 0xf7];
const SPOT: [u8; 8] = [0x64, 0xb1, 0x08, 0x6b, 0xa8, 0x41, 0x41, 0x27];
const STATE: [u8; 8] = [0xd8, 0x92, 0x6b, 0x5e, 0x68, 0x4b, 0xb6, 0xb1];

/// `UserStats`, the one other kind that the tests send.
const USER_STATS: [u8; 8] = [0xb0, 0xdf, 0x88, 0x1b, 0x7a, 0x4f, 0x20, 0xe3];

impl Account {
    /// Reads an account of a program. Those of Drift v2 have fixed lengths; those of Velocity may be
    /// longer, and their last padding may be absent.
    pub fn read(program: Program, data: &[u8]) -> Account {
        let is_drift = program == Program::Drift;
        let is = |kind: [u8; 8], drift: usize, velocity: usize| {
            let fits = if is_drift { data.len() == drift } else { data.len() >= velocity };
            fits && data[..8] == kind
        };
        if is(USER, 4376, 4496) {
            if user_is_well_formed(is_drift, data) {
                Account::User(read_user(is_drift, data))
            } else {
                Account::MalformedUser
            }
        } else if is(PERP, 1216, 1304) {
            let perp = if is_drift { read_perp(data) } else { read_velocity_perp(data) };
            perp.map_or(Account::Unknown, Account::Perp)
        } else if is(SPOT, 776, 808) {
            let spot = if is_drift { read_spot(data) } else { read_velocity_spot(data) };
            spot.map_or(Account::Unknown, Account::Spot)
        } else if is(STATE, 992, 1584) {
            Account::State(if is_drift { read_state(data) } else { read_velocity_state(data) })
        } else if data.starts_with(&USER) {
            Account::MalformedUser
        } else if data.starts_with(&USER_STATS) {
            Account::Other
        } else {
            Account::Unknown
        }
    }
}

/// The bytes of all orders, and where in one the fields begin that come after the oracle offset.
fn orders(is_drift: bool, data: &[u8]) -> (impl Iterator<Item = &[u8]>, usize) {
    let (start, size, tail) = if is_drift { (1192, 96, 76) } else { (1064, 104, 80) };
    ((0..32).map(move |i| &data[start + i * size..start + (i + 1) * size]), tail)
}

/// Whether every enum and truth value that the book reads is one the program writes.
fn user_is_well_formed(is_drift: bool, data: &[u8]) -> bool {
    let (mut orders, tail) = orders(is_drift, data);
    let orders_are = orders.all(|order| {
        order[tail + 6] <= 3
            && order[tail + 7] <= 4
            && order[tail + 8] <= 1
            && order[tail + 10..=tail + 14].iter().all(|byte| *byte <= 1)
            && order[tail + 15] <= 3
    });
    orders_are && (0..8).all(|i| data[138 + i * 40] <= 1)
}

fn read_user(is_drift: bool, data: &[u8]) -> User {
    let (orders, tail) = orders(is_drift, data);
    let offset = |order: &[u8]| match is_drift {
        true => i64::from(i32::from_le_bytes(array_at(order, 72))),
        false => i64_at(order, 72),
    };
    let (size, index_at) = if is_drift { (96, 92) } else { (80, 76) };
    User {
        status: data[if is_drift { 4348 } else { 4468 }],
        orders: orders.map(|order| Order::read(order, offset(order), tail)).collect(),
        perp_positions: (0..8)
            .map(|i| 424 + i * size)
            .map(|at| (u16_at(data, at + index_at), i64_at(data, at + 8)))
            .filter(|(_, base)| *base != 0)
            .collect(),
        spot_positions: (0..8)
            .map(|i| 104 + i * 40)
            .map(|at| (u16_at(data, at + 32), u64_at(data, at), data[at + 34] == 1))
            .filter(|(_, scaled, _)| *scaled != 0)
            .collect(),
    }
}

/// The byte that Drift v2 has for a market's status of Velocity.
fn status_of_velocity(byte: u8) -> Option<u8> {
    [0, 1, 6, 7, 8].get(usize::from(byte)).copied()
}

fn read_perp(data: &[u8]) -> Option<PerpMarket> {
    Some(PerpMarket {
        oracle: array_at(data, 40),
        oracle_source: data[926],
        last_oracle_twap: i64_at(data, 96),
        step: u64_at(data, 808),
        tick: u64_at(data, 816),
        mm_price: i64_at(data, 912),
        mm_slot: u64_at(data, 832),
        mm_sequence: u64_at(data, 936),
        expiry_ts: i64_at(data, 1080),
        index: u16_at(data, 1160),
        status: data[1162],
        is_prediction: data[1163] == 2,
        tier: data[1164],
        paused: data[1165],
    })
}

fn read_velocity_perp(data: &[u8]) -> Option<PerpMarket> {
    Some(PerpMarket {
        oracle: array_at(data, 312),
        oracle_source: data[673],
        last_oracle_twap: i64_at(data, 872),
        step: u64_at(data, 544),
        tick: u64_at(data, 552),
        mm_price: i64_at(data, 800),
        mm_slot: u64_at(data, 808),
        mm_sequence: u64_at(data, 816),
        expiry_ts: i64_at(data, 568),
        index: u16_at(data, 640),
        status: status_of_velocity(data[642])?,
        is_prediction: data[643] == 2,
        tier: data[644],
        paused: data[645],
    })
}

fn read_spot(data: &[u8]) -> Option<SpotMarket> {
    Some(SpotMarket {
        oracle: array_at(data, 40),
        oracle_source: data[687],
        last_oracle_twap: i64_at(data, 192),
        step: u64_at(data, 592),
        tick: u64_at(data, 600),
        deposit_interest: u128::from_le_bytes(array_at(data, 464)),
        borrow_interest: u128::from_le_bytes(array_at(data, 480)),
        decimals: u32::from_le_bytes(array_at(data, 680)),
        expiry_ts: i64_at(data, 584),
        index: u16_at(data, 684),
        status: data[688],
        paused: data[690],
        tier: data[689],
    })
}

fn read_velocity_spot(data: &[u8]) -> Option<SpotMarket> {
    Some(SpotMarket {
        oracle: array_at(data, 40),
        oracle_source: data[703],
        last_oracle_twap: i64_at(data, 480),
        step: u64_at(data, 608),
        tick: u64_at(data, 616),
        deposit_interest: u128::from_le_bytes(array_at(data, 328)),
        borrow_interest: u128::from_le_bytes(array_at(data, 344)),
        decimals: u32::from_le_bytes(array_at(data, 696)),
        expiry_ts: i64_at(data, 600),
        index: u16_at(data, 700),
        status: status_of_velocity(data[704])?,
        paused: data[706],
        tier: data[705],
    })
}

fn read_state(data: &[u8]) -> State {
    State {
        exchange_status: data[974],
        stale_for_amm_slots: i64_at(data, 904),
        stale_for_margin_slots: i64_at(data, 912),
        confidence_max: u64_at(data, 920),
        too_volatile_ratio: i64_at(data, 928),
        slots: Slots::default(),
    }
}

fn read_velocity_state(data: &[u8]) -> State {
    State {
        exchange_status: data[1366],
        stale_for_amm_slots: i64_at(data, 1304),
        stale_for_margin_slots: i64_at(data, 1312),
        confidence_max: u64_at(data, 1320),
        too_volatile_ratio: i64_at(data, 1328),
        slots: Slots {
            changes: [1520, 1528, 1536, 1544].map(|at| u64_at(data, at)),
            length: u16_at(data, 1506),
            staged: u16_at(data, 1508),
            staged_from: u64_at(data, 1512),
        },
    }
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("Invariant: the slice has N bytes")
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array_at(bytes, at))
}

fn i64_at(bytes: &[u8], at: usize) -> i64 {
    i64::from_le_bytes(array_at(bytes, at))
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array_at(bytes, at))
}
