//! The body of /l2: both sides by level.

use crate::head::BodyHead;
use crate::level::SourcedLevel;
use crate::level_texts::with_level_texts;
use crate::writer::{JsonWriter, literal};

/// Writes a whole /l2 body.
///
/// The levels come best first, grouped and limited.
pub fn write_l2<const N: bool>(
    json: &mut JsonWriter<'_, N>,
    head: &BodyHead<'_>,
    bids: impl IntoIterator<Item = SourcedLevel>,
    asks: impl IntoIterator<Item = SourcedLevel>,
) {
    with_level_texts(|texts| {
        literal!(json, b"{\"bids\":[");
        json.list(bids, |json, level| level.write(texts, json));
        literal!(json, b"],\"asks\":[");
        json.list(asks, |json, level| level.write(texts, json));
        json.raw(b"]");
    });
    head.write_with_prices(json);
}
