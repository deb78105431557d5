//! Row `books` of the benchmark: returns commands, one a line, until standard input ends. `compare` compares what all
//! books show; `WORK BOOK` times a work of [`Work`] on accounts, `WORK BOOK orders` on orders that are read already;
//! `best BOOK` and `depth BOOK` time reading.

use std::hint::black_box;
use std::io::{BufRead, Write};

use slotbook_bench::stopwatch::{Measured, Stopwatch};
use slotbook_peer_books::accounts::{AccountReader, Change};
use slotbook_peer_books::books::{
    Book, FromAccounts, Hftbacktest, Level, Nautilus, OrderTaker, OrderbookRs, Ours,
};
use slotbook_peer_books::market::{self, Update, Work};

const WORKS: [(&str, Work); 3] =
    [("insert", Work::Insert), ("change", Work::Change), ("cancel", Work::Cancel)];
/// Times that a round does its work: some milliseconds of the fastest.
const REPEATS: usize = 8;
/// Readings of a round.
const READS: usize = 20_000;
const DEPTH: usize = 20;

/// The makers' accounts, and their books.
struct World {
    accounts: Vec<Update>,
    changed: [Vec<Update>; 3],
    books: [(&'static str, Box<dyn Book>); 4],
    takers: [(&'static str, Box<dyn OrderTaker>); 3],
}

impl World {
    fn new() -> Self {
        let makers = market::makers();
        let changed = WORKS.map(|(_, work)| market::changed(&makers, work));
        let accounts: Vec<Update> =
            makers.into_iter().map(|maker| (maker.key, maker.data)).collect();
        let mut world = Self {
            accounts,
            changed,
            books: [
                ("slotbook", Box::new(Ours::new())),
                ("nautilus-model", Box::new(FromAccounts::<Nautilus>::default())),
                ("orderbook-rs", Box::new(FromAccounts::<OrderbookRs>::default())),
                ("hftbacktest", Box::new(FromAccounts::<Hftbacktest>::default())),
            ],
            takers: [
                ("nautilus-model", Box::new(Nautilus::default())),
                ("orderbook-rs", Box::new(OrderbookRs::default())),
                ("hftbacktest", Box::new(Hftbacktest::default())),
            ],
        };
        for (_, book) in &mut world.books {
            apply(book.as_mut(), &world.accounts);
        }
        for (_, taker) in &mut world.takers {
            let orders = changes_between(&[], &world.accounts);
            orders.into_iter().for_each(|change| taker.take_change(change));
        }
        world
    }

    fn run(&mut self, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["compare"] => Some(self.compare()),
            ["best", name] => {
                let book = self.book(name)?;
                Some(repeated(READS, || {
                    black_box(book.best());
                }))
            }
            ["depth", name] => {
                let (book, mut levels) = (self.book(name)?, Vec::new());
                Some(repeated(READS / 10, || book.levels(DEPTH, black_box(&mut levels))))
            }
            [work, name] => self.on_accounts(position(work)?, name),
            [work, name, "orders"] => self.on_orders(position(work)?, name),
            _ => None,
        }
    }

    fn book(&self, name: &str) -> Option<&dyn Book> {
        self.books.iter().find(|book| book.0 == name).map(|book| book.1.as_ref())
    }

    fn on_accounts(&mut self, work: usize, name: &str) -> Option<String> {
        let (_, book) = self.books.iter_mut().find(|book| book.0 == name)?;
        Some(timed(|| {
            let watch = Stopwatch::start();
            apply(book.as_mut(), &self.changed[work]);
            let measured = watch.stop(self.changed[work].len());
            apply(book.as_mut(), &self.accounts);
            measured
        }))
    }

    fn on_orders(&mut self, work: usize, name: &str) -> Option<String> {
        let there = changes_between(&self.accounts, &self.changed[work]);
        let back = changes_between(&self.changed[work], &self.accounts);
        let (_, taker) = self.takers.iter_mut().find(|taker| taker.0 == name)?;
        Some(timed(|| {
            let watch = Stopwatch::start();
            there.iter().for_each(|change| taker.take_change(*change));
            let measured = watch.stop(there.len());
            back.iter().for_each(|change| taker.take_change(*change));
            measured
        }))
    }

    /// All books show the same before and after each work, to the unit.
    fn compare(&mut self) -> String {
        let mut compared = 0;
        for work in 0..=WORKS.len() {
            let updates = self.changed.get(work).unwrap_or(&self.accounts).clone();
            let mut shown = Vec::new();
            for (name, book) in &mut self.books {
                apply(book.as_mut(), &updates);
                let mut levels: Vec<Level> = Vec::new();
                book.levels(1_000, &mut levels);
                shown.push((*name, book.best(), levels));
                apply(book.as_mut(), &self.accounts);
            }
            let (_, best, levels) = &shown[0];
            if let Some((name, ..)) = shown.iter().find(|peer| (&peer.1, &peer.2) != (best, levels))
            {
                return format!("{{\"error\":\"{name} shows another book after work {work}\"}}");
            }
            compared += levels.len() * (shown.len() - 1);
        }
        format!("{{\"compared\":{compared}}}")
    }
}

fn position(work: &str) -> Option<usize> {
    WORKS.iter().position(|known| known.0 == work)
}

fn apply(book: &mut dyn Book, updates: &[Update]) {
    for (key, data) in updates {
        book.update(*key, data);
    }
}

fn changes_between(before: &[Update], after: &[Update]) -> Vec<Change> {
    let (mut reader, mut changes) = (AccountReader::default(), Vec::new());
    before.iter().for_each(|(key, data)| reader.read(*key, data, |_| {}));
    after.iter().for_each(|(key, data)| reader.read(*key, data, |change| changes.push(change)));
    changes
}

fn timed(mut work: impl FnMut() -> Measured) -> String {
    let mut sum = Measured::default();
    for _ in 0..REPEATS {
        let one = work();
        sum.operations += one.operations;
        sum.wall += one.wall;
        sum.cpu += one.cpu;
    }
    format!("{{{}}}", sum.json())
}

fn repeated(times: usize, mut read: impl FnMut()) -> String {
    let watch = Stopwatch::start();
    (0..times).for_each(|_| read());
    format!("{{{}}}", watch.stop(times).json())
}

fn main() -> std::io::Result<()> {
    let mut world = World::new();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = world.run(&line?);
        let unknown = || "{\"error\":\"not a command\"}".to_string();
        writeln!(out, "{}", answer.unwrap_or_else(unknown)).and_then(|()| out.flush())?;
    }
    Ok(())
}
