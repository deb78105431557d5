//! Rendering a body for the second time does not allocate.

use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::units::{OraclePrice, Price, Pubkey, Slot, UnixSeconds};
use slotbook_wire::cache::{BodyCache, CACHE_LIMITS, Version};
use slotbook_wire::group::{Rounding, grouped};
use slotbook_wire::head::BodyHead;
use slotbook_wire::l2::write_l2;
use slotbook_wire::l3::{OrderLine, write_l3};
use slotbook_wire::level::{Source, SourcedLevel};
use slotbook_wire::top_of_book::TopOfBook;
use slotbook_wire::writer::JsonWriter;

const HEAD: BodyHead<'_> = BodyHead {
    market_name: "SOL-PERP",
    market_type: MarketType::Perp,
    market_index: 0,
    ts_ms: 1_750_000_000_123,
    slot: Slot(350_000_000),
    seq: 7,
    epoch: "e1",
    state: "live",
    top: TopOfBook { bid: Some(Price(99)), ask: Some(Price(101)) },
    oracle: None,
    last_oracle_price: OraclePrice(100),
    mm_oracle: None,
    market_slot: Slot(1),
    empty_reason: None,
    offset_orders_excluded: None,
};

const ORDER: OrderLine = OrderLine {
    price: Price(100),
    size: 1,
    queue: 0,
    oracle_price_offset: -5,
    maker: Pubkey([7; 32]),
    order_id: 1,
    slot: Slot(1),
    max_ts: UnixSeconds(0),
    reduce_only: false,
    post_only: true,
    signed_msg: false,
};

fn levels() -> impl Iterator<Item = SourcedLevel> {
    (1..1_000).map(|price| SourcedLevel::of(Source::Dlob, Price(price), u128::from(price) << 40))
}

fn render(cache: &mut BodyCache<u8>, seq: u64) {
    let version = Version { seq, slot: 0, state: 0, epoch: 0, revision: 0 };
    cache.body(2, version, |out| {
        let asks = grouped(levels(), Price(10), Rounding::Up).take(50);
        write_l2(&mut JsonWriter::new(out), &HEAD, levels().take(100), asks);
    });
    cache.body(3, version, |out| {
        write_l3(&mut JsonWriter::new(out), &HEAD, [ORDER; 100], [ORDER; 100])
    });
}

#[test]
fn steady_rendering_does_not_allocate() {
    let mut cache = BodyCache::new(CACHE_LIMITS);
    render(&mut cache, 1);
    let measured = allocation_counter::measure(|| (2..20).for_each(|seq| render(&mut cache, seq)));
    assert_eq!(measured.count_total, 0);
}
