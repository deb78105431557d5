//! The market of the row: makers with eight orders at fixed prices each, and what each of them does next.

use slotbook_bench::makers::Maker;
use slotbook_protocol::model::units::Pubkey;

/// Makers of the market; with eight orders each, 10,000 orders.
pub const MAKERS: u16 = 1_250;
/// Where `slotbook_bench::makers` has orders of a fixed price, bids and asks by turns; the last one is placed later.
const FIXED: [usize; 9] = [0, 1, 4, 5, 8, 9, 12, 13, 16];
/// Orders of each maker while nothing is timed.
pub const ORDERS: usize = FIXED.len() - 1;

/// An account in a new state.
pub type Update = (Pubkey, Vec<u8>);

/// The timed work: each maker's account before and after one change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// One more order.
    Insert,
    /// One step of an order is filled.
    Change,
    /// An order goes.
    Cancel,
}

/// The makers as they are before each work.
#[must_use]
pub fn makers() -> Vec<Maker> {
    (1..=MAKERS)
        .map(|number| {
            let mut maker = Maker::without_orders(number);
            for slot in &FIXED[..ORDERS] {
                maker.place(*slot, place_of(number, *slot));
            }
            maker
        })
        .collect()
}

/// The makers' accounts after one change each.
#[must_use]
pub fn changed(makers: &[Maker], work: Work) -> Vec<Update> {
    let change = |(index, maker): (usize, &Maker)| {
        let mut maker = maker.clone();
        // Another order of each maker, so that both sides and all distances are there.
        let slot = FIXED[index % ORDERS];
        match work {
            Work::Insert => maker.place(FIXED[ORDERS], 31 + index as u64 * 17),
            Work::Change => maker.fill(slot),
            Work::Cancel => maker.cancel(slot),
        }
        (maker.key, maker.data)
    };
    makers.iter().enumerate().map(change).collect()
}

/// Two steps and more, so that a filled step leaves something.
fn place_of(number: u16, slot: usize) -> u64 {
    let place = u64::from(number) * 7 + slot as u64 * 13;
    if place.is_multiple_of(9) { place + 1 } else { place }
}
