//! The body of /l2: both sides by level.

use crate::head::BodyHead;
use crate::level::SourcedLevel;
use crate::writer::JsonWriter;

/// Writes a whole /l2 body behind what `out` already holds.
///
/// The levels come best first and are already grouped and limited.
pub fn write_l2<B, A>(out: &mut Vec<u8>, head: &BodyHead<'_>, bids: B, asks: A)
where
    B: IntoIterator<Item = SourcedLevel>,
    A: IntoIterator<Item = SourcedLevel>,
{
    let mut json = JsonWriter::new(out);
    json.raw(b"{\"bids\":[");
    write_levels(&mut json, bids);
    json.raw(b"],\"asks\":[");
    write_levels(&mut json, asks);
    json.raw(b"]");
    head.write_with_prices(&mut json);
}

fn write_levels(json: &mut JsonWriter<'_>, levels: impl IntoIterator<Item = SourcedLevel>) {
    let mut comma: &[u8] = b"";
    for level in levels {
        json.raw(comma);
        level.write(json);
        comma = b",";
    }
}
