//! The operations that are counted: what a service does for each account, price, frame and request.

use std::hint::black_box;

use slotbook_bench::chain::{self, OWNER};
use slotbook_bench::makers::{Maker, ORACLE, ORDERS, STEP, TICK};
use slotbook_bench::replay::Replay;
use slotbook_book::{Gate, MarketId, QueueScratch, Side};
use slotbook_journal::turn_log::put_input;
use slotbook_journal::{self as journal, Checkpoint, Found, Input, Origin};
use slotbook_matching::{Liquidity, Maker as Rest, MarketTerms, Model, Size, Taker, walk};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::units::{BaseQty, OraclePrice, Pubkey, Slot, UnixSeconds};
use slotbook_wire::render::{L3Request, Rows, render_l3};
use slotbook_wire::sources::Sources;
use slotbook_wire::stream::spec::{Channel, Encoding, Timing, TopicSpec};
use slotbook_wire::stream::topic::{FrameTimes, StreamScratch, Topic};
use slotbook_wire::uncross::Crossing;
use slotbook_wire::walk::{WalkRequest, WalkScratch, render_walk};

const EPOCH: &str = "1700000000000";
const MAKERS: u16 = 50;
const SLOT: Slot = Slot(300_000_000);
const NOW: UnixSeconds = UnixSeconds(1_700_000_000);
const REPEATS: usize = 100;
/// Orders that a taker of row `walk` fills, nearly.
const TAKER_STEPS: u64 = 200;

/// A counted function, and the number of its repetitions.
pub(crate) struct Operation {
    pub(crate) repeats: usize,
    pub(crate) run: Box<dyn FnMut()>,
}

/// An operation's name in the table, and its preparation.
type Named = (&'static str, fn() -> Operation);

/// All of them, in the order of the table.
pub(crate) const OPERATIONS: [Named; 24] = [
    ("apply the same account", || apply(|_, _| {})),
    ("apply a placed order", || apply(|maker, place| maker.place(ORDERS, place))),
    ("apply a cancelled order", || apply(|maker, _| maker.cancel(0))),
    ("apply a replaced order", || apply(|maker, place| maker.place(0, place))),
    ("apply a fill", || apply(|maker, _| maker.fill(0))),
    ("apply a new account", apply_new),
    ("apply a perp market", apply_market),
    ("apply the state", apply_state),
    ("apply an oracle", || ticks(|_, _| {})),
    ("end a turn of a replaced order", end_turn),
    ("begin a slot", begin_slot),
    ("oracle tick to body of depth 10", || {
        ticks(|world, body| world.replay.render(world.market, 10, body))
    }),
    ("body of depth 20", || body(20)),
    ("body of depth 100", || body(100)),
    ("body of orders", orders_body),
    ("delta of depth 20", || delta(Channel::Book { depth_levels: 20, grouping_ticks: 0 })),
    ("delta of the best prices", || delta(Channel::Bbo)),
    ("delta of orders", || delta(Channel::L3 { depth_orders: 100, maker: None })),
    ("walk", walk_book),
    ("body of a walk", walk_body),
    ("read the orders of an account", read_orders),
    ("hashes of the markets", hashes),
    ("write a turn to the journal", write_turns),
    ("read a turn of the journal", read_turns),
];

/// A live book with its makers.
struct World {
    replay: Replay,
    market: MarketId,
    makers: Vec<Maker>,
}

impl World {
    fn new() -> Self {
        let mut replay = Replay::new(Program::Drift);
        replay.book.set_clock(SLOT, NOW);
        let makers: Vec<Maker> = (1..=MAKERS).map(Maker::new).collect();
        replay.book.begin_snapshot(SLOT);
        let mut snapshot = |key, data: &[u8]| {
            replay.update(key, SLOT, Gate::Snapshot, data).expect("Invariant: a snapshot is valid");
        };
        snapshot(chain::STATE_KEY, &chain::state(Program::Drift));
        snapshot(chain::market_key(0), &market_bytes(ORACLE));
        snapshot(chain::oracle_key(0), &chain::lazer_oracle(OraclePrice(ORACLE), SLOT, 1));
        makers.iter().for_each(|maker| snapshot(maker.key, &maker.data));
        replay.book.end_snapshot();
        replay.go_live();
        let market = replay.market(0).expect("Invariant: the book has its market");
        let world = Self { replay, market, makers };
        let orders = world.replay.book.counters().resting_orders;
        assert_eq!(orders, usize::from(MAKERS) * ORDERS, "every order rests");
        world
    }

    fn apply(&mut self, key: Pubkey, data: &[u8]) {
        let applied = self.replay.update(key, SLOT, Gate::Arrival, data);
        black_box(applied.expect("Invariant: an update is valid"));
    }

    /// Accounts as they come one after the other, each with a change of its own.
    fn updates(&self, change: impl Fn(&mut Maker, u64)) -> Vec<(Pubkey, Vec<u8>)> {
        let changed = |index: usize| {
            let mut maker = self.makers[index % self.makers.len()].clone();
            change(&mut maker, 31 + index as u64 * 17);
            (maker.key, maker.data)
        };
        (0..self.makers.len()).map(changed).collect()
    }
}

fn market_bytes(oracle: i64) -> Vec<u8> {
    let (tick, step, oracle) = (TICK, STEP, OraclePrice(oracle));
    chain::perp_market(Program::Drift, &chain::PerpMarket { index: 0, tick, step, oracle })
}

fn operation(repeats: usize, run: impl FnMut() + 'static) -> Operation {
    Operation { repeats, run: Box::new(run) }
}

fn apply(change: fn(&mut Maker, u64)) -> Operation {
    let mut world = World::new();
    let updates = world.updates(change);
    operation(updates.len(), move || {
        for (key, data) in &updates {
            world.apply(*key, data);
        }
    })
}

fn apply_new() -> Operation {
    let mut world = World::new();
    let makers: Vec<Maker> = (MAKERS + 1..=2 * MAKERS).map(Maker::new).collect();
    operation(makers.len(), move || {
        for maker in &makers {
            world.apply(maker.key, &maker.data);
        }
    })
}

fn apply_market() -> Operation {
    let mut world = World::new();
    let markets: Vec<Vec<u8>> = (ORACLE + 1..).take(REPEATS).map(market_bytes).collect();
    operation(REPEATS, move || {
        markets.iter().for_each(|data| world.apply(chain::market_key(0), data))
    })
}

fn apply_state() -> Operation {
    let mut world = World::new();
    let states: Vec<Vec<u8>> = (1..=REPEATS)
        .map(|number| {
            let mut data = chain::state(Program::Drift);
            data[888..896].copy_from_slice(&(100_000 + number as u64).to_le_bytes());
            data
        })
        .collect();
    operation(REPEATS, move || states.iter().for_each(|data| world.apply(chain::STATE_KEY, data)))
}

/// Oracle prices that come one after the other, a turn each where `show` reads the book.
fn ticks(show: fn(&World, &mut Vec<u8>)) -> Operation {
    let mut world = World::new();
    let step = i64::try_from(TICK).unwrap_or(1);
    let prices: Vec<_> = (1..=REPEATS as u64)
        .map(|number| {
            let price =
                OraclePrice(ORACLE + step * (i64::try_from(number * 7 % 11).unwrap_or(0) - 5));
            chain::lazer_oracle(price, SLOT, 1 + number)
        })
        .collect();
    let mut body = Vec::with_capacity(1 << 20);
    operation(REPEATS, move || {
        for data in &prices {
            world.apply(chain::oracle_key(0), data);
            world.replay.end_turn();
            show(&world, &mut body);
        }
        black_box(&body);
    })
}

fn end_turn() -> Operation {
    let mut world = World::new();
    let updates = world.updates(|maker, place| maker.place(0, place));
    operation(updates.len(), move || {
        for (key, data) in &updates {
            world.apply(*key, data);
            world.replay.end_turn();
        }
    })
}

fn begin_slot() -> Operation {
    let mut world = World::new();
    operation(REPEATS, move || {
        for number in 1..=REPEATS as u64 {
            world.replay.book.set_clock(Slot(SLOT.0 + number), NOW);
            world.replay.end_turn();
        }
    })
}

fn body(depth: usize) -> Operation {
    let world = World::new();
    let mut body = Vec::with_capacity(1 << 20);
    operation(REPEATS, move || {
        for _ in 0..REPEATS {
            world.replay.render(black_box(world.market), depth, &mut body);
        }
        black_box(&body);
    })
}

fn orders_body() -> Operation {
    let world = World::new();
    let (mut rows, mut crossing) = (Rows::default(), Crossing::default());
    let mut body = Vec::with_capacity(1 << 20);
    let request = L3Request::plain(world.market, 100);
    operation(REPEATS, move || {
        for _ in 0..REPEATS {
            body.clear();
            render_l3(
                &world.replay.book,
                black_box(&request),
                EPOCH,
                (&mut rows, &mut crossing),
                &mut body,
            );
        }
        black_box(&body);
    })
}

fn delta(channel: Channel) -> Operation {
    let mut world = World::new();
    let mut scratch = StreamScratch::default();
    let (sources, timing) = (Sources::NONE, Timing::Off);
    let spec = TopicSpec {
        market: world.market,
        channel,
        sources,
        timing,
        interval_ms: 0,
        encoding: Encoding::Json,
    };
    let topic = Topic::open(&world.replay.book, spec, EPOCH, 0, &mut scratch);
    let mut topic = topic.expect("Invariant: the book has its market");
    // Best prices, so that every channel has something to say.
    let updates = world.updates(|maker, place| {
        maker.place(0, place % 3);
        maker.place(1, place % 4);
    });
    operation(updates.len(), move || {
        for (key, data) in &updates {
            world.apply(*key, data);
            world.replay.end_turn();
            let frame =
                topic.next_frame(&world.replay.book, EPOCH, FrameTimes::default(), &mut scratch);
            if let Some(mut frame) = frame {
                black_box(frame.write_frame());
                frame.publish();
            }
        }
    })
}

fn taker() -> Taker {
    Taker::market(Direction::Long, Size::Base(BaseQty(STEP * TAKER_STEPS)))
}

fn walk_book() -> Operation {
    let world = World::new();
    let mut scratch = QueueScratch::default();
    operation(REPEATS, move || {
        let book = &world.replay.book;
        for _ in 0..REPEATS {
            let terms = book.market(world.market).map(|info| MarketTerms::of(info, None));
            let terms = terms.expect("Invariant: the book has its market");
            let mut makers = book.resting(world.market, Side::Ask, &mut scratch).map(Rest::from);
            black_box(walk(&taker(), Liquidity::of_makers(terms, &mut makers), Model::Spec));
        }
    })
}

fn walk_body() -> Operation {
    let world = World::new();
    let (mut scratch, mut body) = (WalkScratch::default(), Vec::with_capacity(1 << 20));
    operation(REPEATS, move || {
        for _ in 0..REPEATS {
            let (model, sources, asked) =
                (Model::Spec, Sources::NONE, u128::from(STEP * TAKER_STEPS));
            let (market, taker) = (world.market, taker());
            let request =
                WalkRequest { market, model, taker, asked, jit: &[], sources, external: &[] };
            body.clear();
            render_walk(&world.replay.book, &request, EPOCH, &mut scratch, &mut body);
        }
        black_box(&body);
    })
}

fn read_orders() -> Operation {
    let maker = Maker::new(1);
    operation(REPEATS, move || {
        for _ in 0..REPEATS {
            let user =
                Program::Drift.user(black_box(&maker.data)).expect("Invariant: a maker is a user");
            for index in 0..ORDERS {
                black_box(user.order(index).view().decode().ok());
            }
        }
    })
}

fn hashes() -> Operation {
    let mut world = World::new();
    let mut hashes = Vec::new();
    world.replay.book.market_hashes(&mut hashes);
    operation(REPEATS, move || {
        for _ in 0..REPEATS {
            hashes.clear();
            world.replay.book.market_hashes(black_box(&mut hashes));
        }
    })
}

/// A checkpoint, and then a turn with a replaced order for each maker.
fn turn_logs() -> (Vec<u8>, Vec<Vec<u8>>) {
    let world = World::new();
    let mut state = Vec::new();
    world.replay.book.capture(&mut state);
    let account = |key: Pubkey, data: &[u8]| {
        let gate = journal::Gate::Arrival;
        let origin = Origin { pubkey: key, slot: SLOT.0, gate };
        let mut log = Vec::new();
        put_input(&mut log, &Input::Account { origin, owner: OWNER, data });
        log
    };
    let (ts_ms, slot, unix_seconds) = (1_700_000_000_000, SLOT.0, NOW.0);
    let checkpoint =
        Checkpoint { epoch: EPOCH, ts_ms, slot, unix_seconds, seqs: &[], state: &state };
    let mut first = Vec::new();
    put_input(&mut first, &Input::Checkpoint(checkpoint));
    for maker in &world.makers {
        first.extend(account(maker.key, &maker.data));
    }
    let end = |log: &mut Vec<u8>| put_input(log, &Input::TurnEnd { ts_ms, marks: &[], hash: &[] });
    end(&mut first);
    let updates = world.updates(|maker, place| maker.place(0, place));
    let turn = |(key, data): &(Pubkey, Vec<u8>)| {
        let mut log = account(*key, data);
        end(&mut log);
        log
    };
    (first, updates.iter().map(turn).collect())
}

fn write_turns() -> Operation {
    let (first, turns) = turn_logs();
    let mut writer = journal::Writer::new(OWNER);
    append(&mut writer, &first);
    operation(turns.len(), move || {
        for turn in &turns {
            append(&mut writer, turn);
        }
        while let Some(piece) = writer.take_piece() {
            black_box(piece);
        }
    })
}

fn append(writer: &mut journal::Writer, log: &[u8]) {
    let appended = writer.append(log, 0).and_then(|()| writer.flush());
    appended.expect("Invariant: a turn log is one");
}

fn read_turns() -> Operation {
    let (first, turns) = turn_logs();
    let mut writer = journal::Writer::new(OWNER);
    append(&mut writer, &first);
    turns.iter().for_each(|turn| append(&mut writer, turn));
    let mut reader = journal::Reader::new();
    while let Some(piece) = writer.take_piece() {
        reader.push(&piece.bytes);
    }
    let mut found = || reader.find().expect("Invariant: what was written is read");
    assert_eq!(found(), Found::Checkpoint);
    operation(1 + turns.len(), move || {
        while let Ok(Found::Turn(_)) = reader.find() {
            reader.apply_turn(|input| _ = black_box(input)).expect("Invariant: as written");
        }
    })
}
