//! A cache of level texts across bodies: most levels of a book stay unchanged, and the prices of
//! levels with an oracle offset recur.

use std::cell::RefCell;

use crate::digits::Digits;
use crate::line::Line;
use crate::writer::{JsonWriter, members};

/// Cached texts per thread: 272 KiB.
const TEXTS_KEPT: usize = 1 << 11;

/// Maximum bytes of a text: three numbers of sixteen digits, and 57 bytes of escaped punctuation.
const TEXT_BYTES_MAX: usize = 112;

/// A level whose size comes from orders only, the common case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DlobLevel {
    /// The price, 1e6.
    pub(crate) price: u64,
    /// The size, 1e9.
    pub(crate) size: u64,
}

impl DlobLevel {
    /// Price and size as digits; `None` when either has too many.
    #[inline]
    pub(crate) fn digits(self) -> Option<[Digits; 2]> {
        Some([Digits::of(self.price)?, Digits::of(self.size)?])
    }

    /// Returns the cache index. Multiplication by this odd number, 2^64 over the golden ratio,
    /// spreads neighbouring prices; its highest bits depend on all input bits.
    #[inline]
    fn place(self, nested: bool) -> usize {
        let mixed = (self.price ^ self.size.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = mixed >> (u64::BITS - TEXTS_KEPT.trailing_zeros());
        usize::try_from(place).unwrap_or(0) ^ usize::from(nested)
    }
}

#[derive(Clone, Copy, Debug)]
struct LevelText {
    level: DlobLevel,
    text: [u8; TEXT_BYTES_MAX],
    length: u8,
    nested: bool,
}

impl LevelText {
    /// An empty entry, which equals no level, because every level has a size.
    const NONE: Self = Self {
        level: DlobLevel { price: 0, size: 0 },
        text: [0; TEXT_BYTES_MAX],
        length: 0,
        nested: false,
    };
}

/// The texts of recently written levels, one per index.
#[derive(Debug)]
pub(crate) struct LevelTexts(Vec<LevelText>);

thread_local! {
    static TEXTS: RefCell<LevelTexts> = const { RefCell::new(LevelTexts(Vec::new())) };
}

/// Calls `take` with this thread's cache. Call it once per body: the lookup costs as much as a
/// level.
#[inline]
pub(crate) fn with_level_texts<R>(take: impl FnOnce(&mut LevelTexts) -> R) -> R {
    TEXTS.with_borrow_mut(|texts| {
        if texts.0.is_empty() {
            texts.0.resize(TEXTS_KEPT, LevelText::NONE);
        }
        take(texts)
    })
}

impl LevelTexts {
    /// Writes a level as an object of a book body. Returns false, and writes nothing, when a number
    /// has too many digits for the cache.
    #[inline]
    pub(crate) fn write<const N: bool>(
        &mut self,
        level: DlobLevel,
        json: &mut JsonWriter<'_, N>,
    ) -> bool {
        let kept = &mut self.0[level.place(N)];
        if kept.level != level || kept.nested != N {
            return rewrite(kept, level, json);
        }
        json.padded(&kept.text, kept.length.into());
        true
    }
}

/// Writes a level and replaces its cached text. Both are written in pieces, because copying a just
/// written text stalls on store forwarding.
#[inline(never)]
fn rewrite<const N: bool>(
    kept: &mut LevelText,
    level: DlobLevel,
    json: &mut JsonWriter<'_, N>,
) -> bool {
    let Some(digits) = level.digits() else { return false };
    let length = Line::fill(&mut kept.text, |line| write_line::<N>(line, &digits));
    kept.length = u8::try_from(length).expect("Invariant: a text fits its room");
    (kept.level, kept.nested) = (level, N);
    json.line(|line| write_line(line, &digits));
    true
}

#[inline]
fn write_line<const N: bool>(line: &mut Line<'_, TEXT_BYTES_MAX, N>, [price, size]: &[Digits; 2]) {
    members!(
        line,
        b"{\"price\":\"" => digits(price),
        b"\",\"size\":\"" => digits(size),
        b"\",\"sources\":{\"dlob\":\"" => digits(size),
        b"\"}}",
    );
}
