//! The views in which two books are compared.

use slotbook_naive::Key;
use slotbook_protocol::model::units::Pubkey;

/// Makers that the incumbent's answer names.
const MAKERS_MAX: usize = 4;

/// The views by name.
pub(super) const VIEWS: [&str; 6] =
    ["order", "l3", "l2 depth 10", "l2 depth 100", "best", "makers"];

/// Each of [`VIEWS`] of one market as texts, bids first.
pub(super) type Views = [[Vec<String>; 2]; VIEWS.len()];

/// One order on its way into the views: what it is listed and summed as.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    /// Its position in the recording.
    pub(super) index: usize,
    pub(super) price: i128,
    /// Its size as a row; none where the row is missing.
    pub(super) size: Option<i128>,
    pub(super) level_size: i128,
    pub(super) maker: Key,
    pub(super) order_id: u32,
}

/// One row of the order list.
pub(super) fn row(price: i128, size: i128, maker: &str, order_id: u32) -> String {
    format!("{size} at {price} by {maker} {order_id}")
}

pub(super) fn level(price: i128, size: i128) -> String {
    format!("{size} at {price}")
}

/// The views of orders in book order, bids first.
pub(super) fn views_of(sides: &[Vec<Shown>; 2]) -> Views {
    let each = |view: &dyn Fn(&[Shown]) -> Vec<String>| sides.each_ref().map(|side| view(side));
    let rows = |side: &[Shown]| {
        let row_of = |shown: &Shown| {
            let maker = Pubkey(shown.maker).to_string();
            Some(row(shown.price, shown.size?, &maker, shown.order_id))
        };
        side.iter().filter_map(row_of).collect()
    };
    [
        each(&|side| side.iter().map(|shown| shown.index.to_string()).collect()),
        each(&rows),
        each(&|side| levels(side, 10)),
        each(&|side| levels(side, 100)),
        each(&|side| side.iter().take(1).map(|shown| shown.price.to_string()).collect()),
        each(&first_makers),
    ]
}

/// The first different makers.
fn first_makers(side: &[Shown]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for maker in side.iter().map(|shown| Pubkey(shown.maker).to_string()) {
        if found.len() < MAKERS_MAX && !found.contains(&maker) {
            found.push(maker);
        }
    }
    found
}

/// Levels of neighbours at one price; the last level is complete.
fn levels(side: &[Shown], depth: usize) -> Vec<String> {
    let shown: Vec<&Shown> = side.iter().filter(|shown| shown.level_size > 0).collect();
    let levels = shown.chunk_by(|a, b| a.price == b.price).take(depth);
    levels
        .map(|level| self::level(level[0].price, level.iter().map(|s| s.level_size).sum()))
        .collect()
}
