//! Why an order is not shown.

/// The reason why the book does not contain an order slot. The last two reasons concern the market:
/// such an order is in its ladder, and becomes visible as soon as the market's book does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum LeftOut {
    /// The slot holds no open order.
    NotOpen = 0,
    /// The order's market is not known.
    UnknownMarket,
    /// A market or oracle order, which takes and never rests.
    TakerOnly,
    /// A trigger order that has not been triggered.
    Untriggered,
    /// A limit order whose auction still runs.
    InAuction,
    /// The chain's clock has passed `max_ts`.
    Expired,
    /// The owner is being liquidated or bankrupt.
    OwnerFrozen,
    /// Price 0 without an oracle offset.
    NoPrice,
    /// Less than one step can fill, also because of a reduce-only limit.
    BelowStep,
    /// The order is reduce-only, and the maker has no position to reduce.
    NothingToReduce,
    /// Not reduce-only, in a reduce-only market.
    MarketReduceOnly,
    /// The order rests on a CLOB program, and its slot is a shadow of it.
    PlacedOnClob,
    /// The market's book is empty for the reason in [`crate::EmptyReason`].
    MarketEmpty,
    /// The order has an oracle offset, and there is no usable oracle price.
    NoOraclePrice,
}

impl LeftOut {
    /// Number of reasons.
    pub const COUNT: usize = 14;

    /// All reasons, in the order of their codes.
    pub const ALL: [Self; Self::COUNT] = [
        Self::NotOpen,
        Self::UnknownMarket,
        Self::TakerOnly,
        Self::Untriggered,
        Self::InAuction,
        Self::Expired,
        Self::OwnerFrozen,
        Self::NoPrice,
        Self::BelowStep,
        Self::NothingToReduce,
        Self::MarketReduceOnly,
        Self::PlacedOnClob,
        Self::MarketEmpty,
        Self::NoOraclePrice,
    ];

    /// The name in metrics and response bodies.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotOpen => "notOpen",
            Self::UnknownMarket => "unknownMarket",
            Self::TakerOnly => "takerOnly",
            Self::Untriggered => "untriggered",
            Self::InAuction => "inAuction",
            Self::Expired => "expired",
            Self::OwnerFrozen => "ownerFrozen",
            Self::NoPrice => "noPrice",
            Self::BelowStep => "belowStep",
            Self::NothingToReduce => "nothingToReduce",
            Self::MarketReduceOnly => "marketReduceOnly",
            Self::PlacedOnClob => "placedOnClob",
            Self::MarketEmpty => "marketEmpty",
            Self::NoOraclePrice => "noOraclePrice",
        }
    }
}
