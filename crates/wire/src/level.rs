//! A book level with its sources, and the scale of sizes.

use slotbook_protocol::model::units::{BaseQty, Price};

use crate::level_texts::{DlobLevel, LevelTexts};
use crate::writer::{JsonWriter, literal, members};

/// The source of a level's size, in the order of the members in bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// On-chain orders.
    Dlob,
    /// The market's AMM.
    Vamm,
    /// Indicative quotes, which are off chain.
    Indicative,
}

impl Source {
    /// All sources, in wire order.
    pub const ALL: [Self; SOURCES] = [Self::Dlob, Self::Vamm, Self::Indicative];

    /// The member name in bodies.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dlob => "dlob",
            Self::Vamm => "vamm",
            Self::Indicative => "indicative",
        }
    }

    fn write_member<const N: bool>(self, json: &mut JsonWriter<'_, N>) {
        match self {
            Self::Dlob => literal!(json, b"\"dlob\":\""),
            Self::Vamm => literal!(json, b"\"vamm\":\""),
            Self::Indicative => literal!(json, b"\"indicative\":\""),
        }
    }
}

/// The number of sources.
pub const SOURCES: usize = 3;

/// One price on one side, with the size of each source at 1e9.
#[derive(Clone, Copy, Debug, Eq)]
pub struct SourcedLevel {
    /// The price, 1e6.
    pub price: Price,
    /// The size from each [`Source`]; a source with size 0 is omitted from the body.
    pub sizes: [u128; SOURCES],
}

/// A hand-written comparison in registers: topics compare every visible level after each turn, and
/// the derived comparison makes a call for each level.
impl PartialEq for SourcedLevel {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let differs = |source: usize| self.sizes[source] ^ other.sizes[source];
        self.price == other.price && (0..SOURCES).fold(0, |all, source| all | differs(source)) == 0
    }
}

impl SourcedLevel {
    /// A level of a single source.
    #[must_use]
    pub const fn of(source: Source, price: Price, size: u128) -> Self {
        let mut sizes = [0; SOURCES];
        sizes[source as usize] = size;
        Self { price, sizes }
    }

    /// The total size of all sources.
    #[must_use]
    pub fn size(&self) -> u128 {
        self.sizes.iter().fold(0, |sum: u128, size| sum.saturating_add(*size))
    }

    /// Adds the sizes of another level by source; the price stays.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.sizes.iter_mut().zip(other.sizes) {
            *mine = mine.saturating_add(theirs);
        }
    }

    /// Writes the level as an object of a book body.
    #[inline]
    pub(crate) fn write<const N: bool>(
        &self,
        texts: &mut LevelTexts,
        json: &mut JsonWriter<'_, N>,
    ) {
        if !self.as_dlob().is_some_and(|level| texts.write(level, json)) {
            self.write_sources(json);
        }
    }

    #[inline]
    fn as_dlob(&self) -> Option<DlobLevel> {
        let [dlob, vamm, indicative] = self.sizes;
        let size = u64::try_from(dlob).ok().filter(|size| *size > 0 && vamm | indicative == 0)?;
        Some(DlobLevel { price: self.price.0, size })
    }

    /// Writes the level as an array of a stream frame: price, size, sources.
    pub(crate) fn write_entry(&self, json: &mut JsonWriter<'_>) {
        if let Some([price, size]) = self.as_dlob().and_then(DlobLevel::digits) {
            json.line::<DLOB_ENTRY_BYTES_MAX>(|line| {
                members!(
                    line,
                    b"[\"" => digits(&price),
                    b"\",\"" => digits(&size),
                    b"\",{\"dlob\":\"" => digits(&size),
                    b"\"}]",
                );
            });
            return;
        }
        json.raw(b"[\"");
        json.u64(self.price.0);
        json.raw(b"\",\"");
        json.u128(self.size());
        json.raw(b"\",{");
        self.write_members(json);
        json.raw(b"}]");
    }

    #[inline(never)]
    fn write_sources<const N: bool>(&self, json: &mut JsonWriter<'_, N>) {
        literal!(json, b"{\"price\":\"");
        json.u64(self.price.0);
        literal!(json, b"\",\"size\":\"");
        let size = self.size();
        json.u128(size);
        literal!(json, b"\",\"sources\":{");
        self.write_members(json);
        literal!(json, b"}}");
    }

    /// Writes the size of each non-empty source.
    fn write_members<const N: bool>(&self, json: &mut JsonWriter<'_, N>) {
        let parts = Source::ALL.into_iter().zip(self.sizes).filter(|(_, part)| *part > 0);
        json.list(parts, |json, (source, part)| {
            source.write_member(json);
            json.u128(part);
            literal!(json, b"\"");
        });
    }
}

/// Three numbers of sixteen digits, their punctuation, and the padding of one number.
const DLOB_ENTRY_BYTES_MAX: usize = 96;

/// Converts between a market's base units and 1e9.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeScale {
    multiply: u128,
    divide: u128,
}

/// Decimals of every size on the wire.
const WIRE_SIZE_DECIMALS: u32 = 9;

/// Larger token decimals are clamped to this; no listed token comes close.
const TOKEN_DECIMALS_MAX: u32 = 27;

impl SizeScale {
    /// The scale of a market with these decimals.
    #[must_use]
    pub fn from_decimals(decimals: u32) -> Self {
        let decimals = decimals.min(TOKEN_DECIMALS_MAX);
        Self {
            multiply: 10_u128.pow(WIRE_SIZE_DECIMALS.saturating_sub(decimals)),
            divide: 10_u128.pow(decimals.saturating_sub(WIRE_SIZE_DECIMALS)),
        }
    }

    /// Converts a size in the market's decimals to 1e9, rounded down.
    #[inline]
    #[must_use]
    pub fn to_wire(self, size: u128) -> u128 {
        if self.divide == 1 {
            return if self.multiply == 1 { size } else { size.saturating_mul(self.multiply) };
        }
        size / self.divide
    }

    /// Converts a size at 1e9 to the market's decimals, rounded down, saturating at 64 bits.
    #[inline]
    #[must_use]
    pub fn to_market(self, wire_size: u128) -> BaseQty {
        let size = wire_size.saturating_mul(self.divide) / self.multiply;
        BaseQty(u64::try_from(size).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_other_decimals_come_out_at_nine() {
        assert_eq!(SizeScale::from_decimals(9).to_wire(5), 5);
        assert_eq!(SizeScale::from_decimals(6).to_wire(5), 5_000);
        assert_eq!(SizeScale::from_decimals(11).to_wire(1_234), 12);
    }

    #[test]
    fn sizes_at_nine_go_back_into_other_decimals() {
        assert_eq!(SizeScale::from_decimals(9).to_market(5), BaseQty(5));
        assert_eq!(SizeScale::from_decimals(6).to_market(5_999), BaseQty(5));
        assert_eq!(SizeScale::from_decimals(11).to_market(12), BaseQty(1_200));
        assert_eq!(SizeScale::from_decimals(27).to_market(u128::MAX), BaseQty(u64::MAX));
    }
}
