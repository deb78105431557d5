//! The views in which two books are compared.

use slotbook_naive::{AnswerRow, Key, ReadingOrder};

/// Makers that the incumbent's answer names.
pub(super) const MAKERS_MAX: usize = 4;

/// One row of the order list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) price: i128,
    pub(super) size: i128,
    pub(super) maker: Key,
    pub(super) order_id: u32,
}

/// All views of one market, bids first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Views {
    /// Positions in the recording, in book order.
    pub(super) order: [Vec<usize>; 2],
    pub(super) l3: [Vec<Row>; 2],
    pub(super) l2_depth_10: [Vec<(i128, i128)>; 2],
    pub(super) l2_depth_100: [Vec<(i128, i128)>; 2],
    pub(super) best: [Option<i128>; 2],
    pub(super) makers: [Vec<Key>; 2],
}

/// The views by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    Order,
    L3,
    L2Depth10,
    L2Depth100,
    Best,
    Makers,
}

impl View {
    pub(super) const ALL: [View; 6] =
        [View::Order, View::L3, View::L2Depth10, View::L2Depth100, View::Best, View::Makers];

    /// The name used in case names.
    pub(super) fn name(self) -> &'static str {
        match self {
            View::Order => "order",
            View::L3 => "l3",
            View::L2Depth10 => "l2 depth 10",
            View::L2Depth100 => "l2 depth 100",
            View::Best => "best",
            View::Makers => "makers",
        }
    }

    /// `None` when both agree in this view, else where they first differ.
    pub(super) fn difference(self, ours: &Views, theirs: &Views) -> Option<String> {
        match self {
            View::Order => lists_differ(&ours.order, &theirs.order),
            View::L3 => lists_differ(&ours.l3, &theirs.l3),
            View::L2Depth10 => lists_differ(&ours.l2_depth_10, &theirs.l2_depth_10),
            View::L2Depth100 => lists_differ(&ours.l2_depth_100, &theirs.l2_depth_100),
            View::Best => (ours.best != theirs.best)
                .then(|| format!("{:?} against {:?}", ours.best, theirs.best)),
            View::Makers => lists_differ(&ours.makers, &theirs.makers),
        }
    }
}

fn lists_differ<T: PartialEq + std::fmt::Debug>(
    ours: &[Vec<T>; 2],
    theirs: &[Vec<T>; 2],
) -> Option<String> {
    for (side, name) in ["bids", "asks"].into_iter().enumerate() {
        let (a, b) = (&ours[side], &theirs[side]);
        let length = a.len().max(b.len());
        if let Some(at) = (0..length).find(|&at| a.get(at) != b.get(at)) {
            let (left, right) = (a.get(at), b.get(at));
            return Some(format!("{name}[{at}] {left:?} against {right:?}"));
        }
    }
    None
}

/// One order on its way into the views: what it is listed and summed as.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownOrder {
    pub(super) index: usize,
    pub(super) row: Option<Row>,
    pub(super) price: i128,
    pub(super) level_size: i128,
    pub(super) maker: Key,
}

impl ShownOrder {
    /// An order of a [`slotbook_naive::ReadingBook`]'s answer.
    pub(super) fn of_answer(row: &AnswerRow, orders: &[&ReadingOrder]) -> Self {
        let entry = orders[row.index];
        let (price, maker, order_id) = (row.price, entry.user, entry.order.order_id);
        ShownOrder {
            index: row.index,
            row: row.size.map(|size| Row { price, size, maker, order_id }),
            price,
            level_size: row.level_size,
            maker,
        }
    }
}

impl Views {
    /// The views of orders in book order, bids first.
    pub(super) fn of(sides: [Vec<ShownOrder>; 2]) -> Self {
        let sides = sides.each_ref();
        Views {
            order: sides.map(|side| side.iter().map(|shown| shown.index).collect()),
            l3: sides.map(|side| side.iter().filter_map(|shown| shown.row).collect()),
            l2_depth_10: sides.map(|side| levels(side, 10)),
            l2_depth_100: sides.map(|side| levels(side, 100)),
            best: sides.map(|side| side.first().map(|shown| shown.price)),
            makers: sides.map(|side| first_makers(side.iter().map(|shown| shown.maker))),
        }
    }
}

/// The first different makers.
pub(super) fn first_makers(makers: impl Iterator<Item = Key>) -> Vec<Key> {
    let mut found: Vec<Key> = Vec::new();
    for maker in makers {
        if found.len() < MAKERS_MAX && !found.contains(&maker) {
            found.push(maker);
        }
    }
    found
}

/// Levels of neighbours at one price; the last level is complete.
fn levels(side: &[ShownOrder], depth: usize) -> Vec<(i128, i128)> {
    let mut levels: Vec<(i128, i128)> = Vec::new();
    for shown in side.iter().filter(|shown| shown.level_size > 0) {
        let is_full = levels.len() == depth;
        match levels.last_mut() {
            Some(last) if last.0 == shown.price => last.1 += shown.level_size,
            _ if is_full => break,
            _ => levels.push((shown.price, shown.level_size)),
        }
    }
    levels
}
