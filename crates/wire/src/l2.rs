//! The body of /l2: both sides by level.

use crate::head::BodyHead;
use crate::level::SourcedLevel;
use crate::writer::{JsonWriter, literal};

/// Writes a whole /l2 body.
///
/// The levels come best first and are already grouped and limited.
pub fn write_l2<const N: bool, B, A>(
    json: &mut JsonWriter<'_, N>,
    head: &BodyHead<'_>,
    bids: B,
    asks: A,
) where
    B: IntoIterator<Item = SourcedLevel>,
    A: IntoIterator<Item = SourcedLevel>,
{
    literal!(json, b"{\"bids\":[");
    write_levels(json, bids);
    literal!(json, b"],\"asks\":[");
    write_levels(json, asks);
    json.raw(b"]");
    head.write_with_prices(json);
}

fn write_levels<const N: bool>(
    json: &mut JsonWriter<'_, N>,
    levels: impl IntoIterator<Item = SourcedLevel>,
) {
    let mut comma: &[u8] = b"";
    for level in levels {
        json.raw(comma);
        level.write(json);
        comma = b",";
    }
}
