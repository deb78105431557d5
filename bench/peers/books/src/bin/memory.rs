//! `memory BOOK`: the bytes that a book takes for the orders of the row, with what its users keep of the accounts; an
//! empty one is not counted.

use std::alloc::System;

use slotbook_peer_books::books::{Book, FromAccounts, Hftbacktest, Nautilus, OrderbookRs, Ours};
use slotbook_peer_books::market;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    let makers = market::makers();
    let name = std::env::args().nth(1).unwrap_or_default();
    let mut book: Box<dyn Book> = match name.as_str() {
        "slotbook" => Box::new(Ours::new()),
        "nautilus-model" => Box::new(FromAccounts::<Nautilus>::default()),
        "orderbook-rs" => Box::new(FromAccounts::<OrderbookRs>::default()),
        _ => Box::new(FromAccounts::<Hftbacktest>::default()),
    };
    let region = Region::new(ALLOCATOR);
    for maker in &makers {
        book.update(maker.key, &maker.data);
    }
    let stats = region.change();
    let held = stats.bytes_allocated.saturating_sub(stats.bytes_deallocated);
    println!("{{\"bytes\":{held},\"orders\":{}}}", makers.len() * market::ORDERS);
}
