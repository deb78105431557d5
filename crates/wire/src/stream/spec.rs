//! The content and the name of a topic.

use slotbook_book::MarketId;
use slotbook_protocol::model::units::Pubkey;

pub use crate::request::Encoding;
use crate::request::{L2Request, L3Request};
use crate::sources::Sources;
use crate::writer::JsonWriter;

/// The parameters that all subscribers of a topic share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopicSpec {
    /// The market.
    pub market: MarketId,
    /// Levels, best prices only, or orders.
    pub channel: Channel,
    /// Liquidity in addition to orders. The book's quotes must be refreshed for it.
    pub sources: Sources,
    /// Whether frames contain the time of their creation.
    pub timing: Timing,
    /// The minimum interval between frames that the client chose, in milliseconds; 0 for none. In
    /// this crate it only affects the topic's name; the publisher enforces it.
    pub interval_ms: u32,
    /// The encoding of frames.
    pub encoding: Encoding,
}

/// The rows of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The rows of /l2.
    Book {
        /// Maximum levels a side, after grouping.
        depth_levels: u32,
        /// Ticks in each price group; 0 and 1 show every level.
        grouping_ticks: u32,
    },
    /// The best level of each side.
    Bbo,
    /// The rows of /l3.
    L3 {
        /// Maximum orders a side.
        depth_orders: u32,
        /// The user account whose orders alone are included; `None` includes all.
        maker: Option<Pubkey>,
    },
}

impl Channel {
    /// Returns the name of the channel in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Book { .. } => "book",
            Self::Bbo => "bbo",
            Self::L3 { .. } => "l3",
        }
    }
}

/// Whether frames contain the receipt time of their update and the time of their creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// With times.
    On,
    /// Without times.
    Off,
}

impl From<bool> for Timing {
    fn from(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }
}

/// The row type of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    Levels(L2Request),
    Orders(L3Request),
}

impl TopicSpec {
    /// Returns the name of the topic: readable, and unique among the topics of a book.
    #[must_use]
    pub fn name(&self, market_symbol: &str) -> String {
        let mut out = Vec::new();
        let mut json = JsonWriter::new(&mut out);
        json.raw(self.channel.name().as_bytes());
        json.raw(b":");
        json.raw(market_symbol.as_bytes());
        match self.channel {
            Channel::Book { depth_levels, grouping_ticks } => {
                part(&mut json, b":", depth_levels);
                if grouping_ticks > 1 {
                    part(&mut json, b":g", grouping_ticks);
                }
            }
            Channel::Bbo => {}
            Channel::L3 { depth_orders, maker } => {
                part(&mut json, b":", depth_orders);
                if let Some(maker) = maker {
                    json.raw(b":");
                    json.key_text(&maker);
                }
            }
        }
        for (given, text) in [
            (self.sources.vamm, ":vamm"),
            (self.sources.indicative, ":indicative"),
            (self.timing == Timing::On, ":timing"),
        ] {
            json.raw(if given { text.as_bytes() } else { b"" });
        }
        if self.interval_ms > 0 {
            part(&mut json, b":", self.interval_ms);
            json.raw(b"ms");
        }
        if self.encoding == Encoding::Binary {
            json.raw(b":binary");
        }
        String::from_utf8(out).expect("Invariant: a name is made of names, digits and keys")
    }

    pub(super) fn shows(&self) -> Shows {
        let Self { market, sources, .. } = *self;
        let wide = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        match self.channel {
            Channel::Book { depth_levels, grouping_ticks } => {
                let plain = L2Request::plain(market, wide(depth_levels));
                Shows::Levels(L2Request { grouping_ticks, sources, ..plain })
            }
            Channel::Bbo => Shows::Levels(L2Request { sources, ..L2Request::plain(market, 1) }),
            Channel::L3 { depth_orders, maker } => {
                let plain = L3Request::plain(market, wide(depth_orders));
                Shows::Orders(L3Request { maker, sources, ..plain })
            }
        }
    }
}

fn part(json: &mut JsonWriter<'_>, mark: &[u8], number: u32) {
    json.raw(mark);
    json.u64(u64::from(number));
}
