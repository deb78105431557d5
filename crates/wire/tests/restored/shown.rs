//! Everything that a book shows, as texts.

use slotbook_book::{AuctionRow, Book, MarketId, MarketInfo, Side};
use slotbook_matching::{ExternalLevel, Model, Size, Taker};
use slotbook_protocol::model::enums::{Direction, MarketType};
use slotbook_protocol::model::units::{BaseQty, Price};
use slotbook_wire::auctions::render_auctions;
use slotbook_wire::open_orders::render_open_orders;
use slotbook_wire::render::{L2Request, L3Request, Rows, render_l2, render_l3};
use slotbook_wire::sources::Sources;
use slotbook_wire::stream::spec::{Channel, Encoding, Timing, TopicSpec};
use slotbook_wire::stream::topic::{Reset, SnapshotReply, StreamScratch, Topic};
use slotbook_wire::uncross::Crossing;
use slotbook_wire::walk::{WalkRequest, WalkScratch, render_walk};

use super::world::user_key;

const SOURCES: [Sources; 3] = [
    Sources::NONE,
    Sources { vamm: true, indicative: false },
    Sources { vamm: true, indicative: true },
];

/// All bodies of all markets, new topics, and the facts beside them.
pub(crate) fn shown(book: &mut Book) -> Vec<String> {
    let mut texts = Vec::new();
    let ids: Vec<MarketId> = book.markets().map(|info| info.id).collect();
    for id in &ids {
        book.refresh_quotes(*id);
        for sources in SOURCES {
            show_levels(book, *id, sources, &mut texts);
            show_orders(book, *id, sources, &mut texts);
            show_topics(book, *id, sources, &mut texts);
            show_walks(book, *id, sources, &mut texts);
        }
        show_facts(book, *id, &mut texts);
    }
    for user in 0..48 {
        let key = slotbook_protocol::model::units::Pubkey(user_key(user));
        texts.push(text(|out| render_open_orders(book, &key, "e", out)));
        texts.push(format!("{}", book.has_user(&key)));
    }
    let markets: Vec<MarketInfo> = book.markets().cloned().collect();
    texts.push(format!("{markets:?}"));
    let mut hashes = Vec::new();
    // The first book maintains hashes since its first comparison; a new one computes them from its
    // orders.
    book.market_hashes(&mut hashes);
    texts.push(format!("{hashes:?}"));
    texts.push(format!("{:?} {:?}", book.census(), book.indicative_counts()));
    texts.push(format!("{:?} {:?}", book.indicative_due_ms(), book.oracle_keys()));
    let mut counters = book.counters();
    // Indexes depend on the order of arrival, and are not shown.
    counters.user_indexes = 0;
    texts.push(format!("{counters:?}"));
    for market_type in [MarketType::Spot, MarketType::Perp] {
        texts.push(format!("{:?}", book.fees(market_type)));
    }
    texts
}

fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap()
}

fn show_levels(book: &Book, market: MarketId, sources: Sources, texts: &mut Vec<String>) {
    for (depth_levels, grouping_ticks) in [(3, 0), (usize::MAX, 0), (20, 7)] {
        let plain = L2Request::plain(market, depth_levels);
        for uncross in [false, true] {
            let request = L2Request { grouping_ticks, sources, uncross, ..plain };
            let mut crossing = Crossing::default();
            texts.push(text(|out| assert!(render_l2(book, &request, "e", &mut crossing, out))));
        }
    }
}

fn show_orders(book: &Book, market: MarketId, sources: Sources, texts: &mut Vec<String>) {
    let maker = slotbook_protocol::model::units::Pubkey(user_key(2));
    for (depth_orders, maker) in [(2, None), (usize::MAX, None), (5, Some(maker))] {
        for uncross in [false, true] {
            let plain = L3Request::plain(market, depth_orders);
            let request = L3Request { maker, sources, uncross, ..plain };
            let scratch = (&mut Rows::default(), &mut Crossing::default());
            texts.push(text(|out| assert!(render_l3(book, &request, "e", scratch, out))));
        }
    }
}

fn show_topics(book: &Book, market: MarketId, sources: Sources, texts: &mut Vec<String>) {
    let channels = [
        Channel::Bbo,
        Channel::Book { depth_levels: 20, grouping_ticks: 1 },
        Channel::L3 { depth_orders: 50, maker: None },
    ];
    for channel in channels {
        let spec = TopicSpec {
            market,
            channel,
            sources,
            timing: Timing::Off,
            interval_ms: 0,
            encoding: Encoding::Json,
        };
        let topic = Topic::open(book, spec, "e", 0, &mut StreamScratch::default()).unwrap();
        let reply = SnapshotReply { id: "", reset: Reset::No };
        texts.push(text(|out| topic.write_snapshot(reply, 0, out)));
        texts.push(text(|out| topic.write_heartbeat(book, out)));
    }
}

fn show_walks(book: &Book, market: MarketId, sources: Sources, texts: &mut Vec<String>) {
    let external = [ExternalLevel { price: Price(1_000_300), size: BaseQty(40) }];
    for direction in [Direction::Long, Direction::Short] {
        for model in [Model::Spec, Model::Onchain] {
            let taker = Taker::market(direction, Size::Base(BaseQty(3_000)));
            let (jit, external) = (&[], &external[..]);
            let request =
                WalkRequest { market, model, taker, asked: 3_000, jit, sources, external };
            texts.push(text(|out| {
                render_walk(book, &request, "e", &mut WalkScratch::default(), out);
            }));
        }
    }
}

fn show_facts(book: &mut Book, id: MarketId, texts: &mut Vec<String>) {
    let mut rows: Vec<AuctionRow> = Vec::new();
    texts.push(text(|out| {
        render_auctions(book, id, "e", &mut rows, out);
    }));
    for side in Side::BOTH {
        let mut makers = Vec::new();
        book.top_makers(id, side, 5, &mut makers);
        let seq = book.seq(id).unwrap_or_default();
        let is_new =
            [seq.saturating_sub(3), seq].map(|seq| book.orders_changed_since(id, side, seq));
        texts.push(format!("{makers:?} {is_new:?}"));
    }
    texts.push(format!("{:?} {:?}", book.header(id), book.auctions_revision(id)));
    texts.push(format!("{:?} {:?}", book.perp_stats(id), book.spot_stats(id)));
    texts.push(format!("{:?} {:?}", book.vamm_state(id), book.vamm_quote(id)));
    texts.push(format!("{:?} {:?}", book.vamm_account(id), book.shown_orders(id)));
}
