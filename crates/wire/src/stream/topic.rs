//! A topic: the rows that its subscribers have, and the frames that update them.

use slotbook_book::{Book, MarketId, MarketInfo, Side};

use super::binary::Units;
use super::binary::encode::{self, FrameParts, Makers};
use super::checksum::{CoveredTexts, is_covered_same};
use super::diff::OrderChanges;
pub use super::parts::{FrameTimes, Reset, SnapshotReply};
use super::parts::{Names, ShownRows, VersionStamp};
use super::rows::{Fresh, Row};
use super::snapshot::{SnapshotParts, write_checksum, write_identity};
use super::spec::{Channel, Encoding, Shows, TopicSpec};
use super::write::{write_best, write_level_changes, write_order_changes};
use crate::l3::OrderLine;
use crate::level::{Source, SourcedLevel};
use crate::render::{Rows, each_level, each_order};
use crate::writer::JsonWriter;

/// The published rows of a topic, bids first.
#[derive(Debug)]
enum Shown {
    Levels([Vec<SourcedLevel>; 2]),
    Orders([Vec<OrderLine>; 2]),
}

impl Shown {
    fn none(spec: &TopicSpec) -> Self {
        match spec.shows() {
            Shows::Levels(_) => Self::Levels(Default::default()),
            Shows::Orders(_) => Self::Orders(Default::default()),
        }
    }

    fn clear(&mut self) {
        match self {
            Self::Levels(sides) => sides.iter_mut().for_each(Vec::clear),
            Self::Orders(sides) => sides.iter_mut().for_each(Vec::clear),
        }
    }
}

/// Buffers that all topics of a book share; there are no allocations once the largest frame has
/// been rendered.
#[derive(Debug, Default)]
pub struct StreamScratch {
    levels: [Fresh<SourcedLevel>; 2],
    orders: [Fresh<OrderLine>; 2],
    rows: Rows,
    changes: [OrderChanges; 2],
    covered: CoveredTexts,
    checksum_text: Vec<u8>,
    makers: Makers,
    identity: Vec<u8>,
    frame: Vec<u8>,
}

impl StreamScratch {
    /// Reads the book; returns whether it differs from the published rows. A side that has not
    /// changed since `read_seq` is skipped.
    fn read(
        &mut self,
        book: &Book,
        spec: &TopicSpec,
        shown: &Shown,
        read_seq: Option<u64>,
    ) -> bool {
        let is_read = |side: Side| {
            read_seq.is_some_and(|seq| !book.orders_changed_since(spec.market, side, seq))
        };
        match (spec.shows(), shown) {
            (Shows::Levels(request), Shown::Levels(shown)) => {
                let has_sources = spec.channel != Channel::Bbo;
                for (index, side) in Side::BOTH.into_iter().enumerate() {
                    let (fresh, shown) = (&mut self.levels[index], shown[index].as_slice());
                    fresh.clear();
                    if is_read(side) {
                        continue;
                    }
                    each_level(book, &request, side, |level| {
                        let level = if has_sources { level } else { without_sources(&level) };
                        fresh.push((shown, side), level);
                    });
                    fresh.end(shown);
                }
                is_other(&self.levels)
            }
            (Shows::Orders(request), Shown::Orders(shown)) => {
                for (index, side) in Side::BOTH.into_iter().enumerate() {
                    let (fresh, shown) = (&mut self.orders[index], shown[index].as_slice());
                    fresh.clear();
                    if !is_read(side) {
                        each_order(book, &request, side, &mut self.rows, |line| {
                            fresh.push((shown, side), line)
                        });
                        fresh.end(shown);
                    }
                    self.changes[index].find(side, fresh);
                }
                is_other(&self.orders)
            }
            _ => unreachable!("Invariant: a topic shows what its specification says"),
        }
    }

    /// Returns the rows of the last reading as published rows, when none are published yet.
    fn fresh_rows(&self, shown: &Shown) -> ShownRows<'_> {
        match shown {
            Shown::Levels(_) => ShownRows::Levels(self.levels.each_ref().map(Fresh::all)),
            Shown::Orders(_) => ShownRows::Orders(self.orders.each_ref().map(Fresh::all)),
        }
    }

    /// Returns the checksum of the new rows; `known` has the texts of the published rows. `None`
    /// when the checksums are equal.
    fn checksum(&mut self, shown: &Shown, known: Option<&CoveredTexts>) -> Option<u32> {
        let Self { levels, orders, covered, checksum_text: text, .. } = self;
        let is_same = match shown {
            Shown::Levels(_) => is_covered_same(levels),
            Shown::Orders(_) => is_covered_same(orders),
        };
        if is_same && known.is_some() {
            return None;
        }
        let known = known.unwrap_or(&CoveredTexts::NONE);
        Some(match shown {
            Shown::Levels(shown) => covered.replace((slices(shown), levels), known, text),
            Shown::Orders(shown) => covered.replace((slices(shown), orders), known, text),
        })
    }
}

/// Removes the sources: `bbo` does not contain them, so a change of sources alone is no change.
fn without_sources(level: &SourcedLevel) -> SourcedLevel {
    SourcedLevel::of(Source::Dlob, level.price, level.size())
}

fn slices<R>(sides: &[Vec<R>; 2]) -> [&[R]; 2] {
    sides.each_ref().map(Vec::as_slice)
}

fn is_other<R: Row>(fresh: &[Fresh<R>; 2]) -> bool {
    fresh.iter().any(|fresh| !fresh.is_all_same())
}

/// The state of one topic, which all its subscribers share.
#[derive(Debug)]
pub struct Topic {
    spec: TopicSpec,
    name: String,
    market_name: String,
    epoch: String,
    /// The units of the frames; `None` for JSON text.
    units: Option<Units>,
    identity: Vec<u8>,
    published: VersionStamp,
    shown: Shown,
    checksum: u32,
    /// The texts of the checksum's rows.
    covered: CoveredTexts,
    /// The seq at which the book was last found equal to the published rows.
    read_seq: u64,
    /// Whether the next frame must be a snapshot.
    begins_again: bool,
}

impl Topic {
    /// Opens a topic with the current book; returns `None` for an unknown market.
    ///
    /// `received_ns` is the receipt time of the book's newest update, in unix nanoseconds.
    #[must_use]
    pub fn open(
        book: &Book,
        spec: TopicSpec,
        epoch: &str,
        received_ns: u64,
        scratch: &mut StreamScratch,
    ) -> Option<Self> {
        let header = book.header(spec.market)?;
        let info = book.market(spec.market)?;
        let market_name = info.symbol.clone();
        let name = spec.name(&market_name);
        let units = units_of(info, &spec);
        let mut identity = Vec::new();
        identify(&mut identity, names(&spec, &name, &market_name, epoch), (&spec, units));
        let mut shown = Shown::none(&spec);
        scratch.read(book, &spec, &shown, None);
        let checksum = scratch.checksum(&shown, None).unwrap_or_default();
        publish_rows(&mut shown, scratch);
        Some(Self {
            spec,
            name,
            market_name,
            epoch: epoch.to_owned(),
            units,
            identity,
            published: VersionStamp::of(&header, received_ns),
            shown,
            checksum,
            covered: scratch.covered,
            read_seq: header.seq,
            begins_again: false,
        })
    }

    /// The market of the topic.
    #[must_use]
    pub fn market(&self) -> MarketId {
        self.spec.market
    }

    /// Returns whether the topic contains quotes, which must then be refreshed.
    #[must_use]
    pub fn has_quotes(&self) -> bool {
        !self.spec.sources.is_none()
    }

    /// Call this when the book was replaced by another book of the same markets: the next frame is
    /// a snapshot, because a delta cannot continue the published rows.
    pub fn begin_again(&mut self) {
        self.begins_again = true;
    }

    /// Returns the next frame of the topic; `None` when the book equals the published rows.
    ///
    /// The frame is a delta, or a snapshot after a change of epoch or book. The topic does not
    /// change until the frame is published. This function finds the changes;
    /// [`Pending::write_frame`] writes the bytes.
    pub fn next_frame<'a>(
        &'a mut self,
        book: &Book,
        epoch: &'a str,
        times: FrameTimes,
        scratch: &'a mut StreamScratch,
    ) -> Option<Pending<'a>> {
        let now = VersionStamp::of(&book.header(self.spec.market)?, times.received_ns);
        let units = units_of(book.market(self.spec.market)?, &self.spec);
        let reset = Reset::from(self.begins_again || epoch != self.epoch || units != self.units);
        let is_state_new = now.state != self.published.state;
        if reset == Reset::No && !is_state_new && now.seq == self.published.seq {
            return None;
        }
        let nothing = Shown::none(&self.spec);
        let (shown, known, read_seq) = match reset {
            Reset::No => (&self.shown, Some(&self.covered), Some(self.read_seq)),
            Reset::Yes => (&nothing, None, None),
        };
        // Quotes change with time and affect both sides, so both sides are read.
        let read_seq = read_seq.filter(|_| self.spec.sources.is_none());
        let is_other = scratch.read(book, &self.spec, shown, read_seq);
        if !is_other && !is_state_new && reset == Reset::No {
            self.read_seq = now.seq;
            return None;
        }
        let checksum = scratch.checksum(shown, known);
        let sent_ns = times.sent_ns;
        Some(Pending { topic: self, scratch, epoch, units, now, checksum, reset, sent_ns })
    }

    /// Appends the snapshot of the published rows to `out`.
    pub fn write_snapshot(&self, reply: SnapshotReply<'_>, sent_ns: u64, out: &mut Vec<u8>) {
        let rows = match &self.shown {
            Shown::Levels(sides) => ShownRows::Levels(slices(sides)),
            Shown::Orders(sides) => ShownRows::Orders(slices(sides)),
        };
        let snapshot = SnapshotParts {
            spec: &self.spec,
            units: self.units,
            identity: &self.identity,
            moment: self.published,
            rows,
            checksum: self.checksum,
        };
        snapshot.write(reply, sent_ns, out);
    }

    /// Writes a heartbeat: the published version and the current slot. The state is that of the
    /// published rows, because a book that has just become live may have newer rows.
    pub fn write_heartbeat(&self, book: &Book, out: &mut Vec<u8>) {
        let VersionStamp { seq, state, .. } = self.published;
        let header = book.header(self.spec.market);
        let now = header.map_or(self.published, |header| VersionStamp {
            seq,
            state,
            ..VersionStamp::of(&header, 0)
        });
        if let Some(units) = self.units {
            self.parts(units, now).write_heartbeat(out);
            return;
        }
        let mut json = JsonWriter::new(out);
        json.raw(b"{\"type\":\"heartbeat\",\"topic\":");
        json.string(&self.name);
        json.raw(b",\"epoch\":");
        json.string(&self.epoch);
        now.write(&mut json);
        json.raw(b"}");
    }

    fn parts(&self, units: Units, moment: VersionStamp) -> FrameParts<'_> {
        let timing = self.spec.timing;
        FrameParts { identity: &self.identity, timing, units, moment }
    }

    fn write_binary_delta(
        &self,
        parts: FrameParts<'_>,
        (checksum, sent_ns): (u32, u64),
        scratch: &mut StreamScratch,
    ) {
        let StreamScratch { levels, changes, makers, frame, .. } = scratch;
        parts.write_delta_head(self.published.seq, sent_ns, frame);
        match (&self.shown, self.spec.channel) {
            (Shown::Levels([bids, asks]), Channel::Bbo) => {
                let best = [levels[0].first(bids), levels[1].first(asks)];
                encode::write_best(frame, best, parts.units);
            }
            (Shown::Levels(_), _) => encode::write_level_changes(frame, levels, parts.units),
            (Shown::Orders(_), _) => encode::write_order_changes(frame, changes, &parts, makers),
        }
        frame.extend_from_slice(&checksum.to_le_bytes());
    }

    /// Writes the JSON delta from the published to the new rows.
    fn write_delta(
        &self,
        now: VersionStamp,
        checksum: u32,
        sent_ns: u64,
        scratch: &mut StreamScratch,
    ) {
        if let Some(units) = self.units {
            self.write_binary_delta(self.parts(units, now), (checksum, sent_ns), scratch);
            return;
        }
        let StreamScratch { levels, changes, frame, .. } = scratch;
        let mut json = JsonWriter::new(frame);
        json.raw(b"{\"type\":\"delta\"");
        json.raw(&self.identity);
        json.raw(b",\"prev\":");
        json.u64(self.published.seq);
        now.write_timed(&mut json, self.spec.timing, sent_ns);
        json.raw(b",");
        match (&self.shown, self.spec.channel) {
            (Shown::Levels([bids, asks]), Channel::Bbo) => {
                write_best(&mut json, [levels[0].first(bids), levels[1].first(asks)]);
            }
            (Shown::Levels(_), _) => write_level_changes(&mut json, levels),
            (Shown::Orders(_), _) => write_order_changes(&mut json, changes),
        }
        write_checksum(&mut json, checksum);
    }

    /// Writes a snapshot of the new rows, in another epoch.
    fn write_reset(
        &self,
        (epoch, units): (&str, Option<Units>),
        now: VersionStamp,
        (checksum, sent_ns): (u32, u64),
        scratch: &mut StreamScratch,
    ) {
        scratch.identity.clear();
        self.write_identity_of((epoch, units), &mut scratch.identity);
        let mut frame = std::mem::take(&mut scratch.frame);
        let snapshot = SnapshotParts {
            spec: &self.spec,
            units,
            identity: &scratch.identity,
            moment: now,
            rows: scratch.fresh_rows(&self.shown),
            checksum,
        };
        snapshot.write(SnapshotReply { id: "", reset: Reset::Yes }, sent_ns, &mut frame);
        scratch.frame = frame;
    }

    fn write_identity_of(&self, (epoch, units): (&str, Option<Units>), out: &mut Vec<u8>) {
        let names = names(&self.spec, &self.name, &self.market_name, epoch);
        identify(out, names, (&self.spec, units));
    }
}

/// A frame that is not published yet.
#[derive(Debug)]
pub struct Pending<'a> {
    topic: &'a mut Topic,
    scratch: &'a mut StreamScratch,
    epoch: &'a str,
    units: Option<Units>,
    now: VersionStamp,
    /// `None` when it equals the published checksum.
    checksum: Option<u32>,
    reset: Reset,
    sent_ns: u64,
}

impl Pending<'_> {
    /// Writes the frame; repeatable.
    #[must_use]
    pub fn write_frame(&mut self) -> &[u8] {
        let Self { topic, scratch, epoch, .. } = self;
        let (units, now, sent_ns) = (self.units, self.now, self.sent_ns);
        let checksum = self.checksum.unwrap_or(topic.checksum);
        scratch.frame.clear();
        match self.reset {
            Reset::No => topic.write_delta(now, checksum, sent_ns, scratch),
            Reset::Yes => topic.write_reset((epoch, units), now, (checksum, sent_ns), scratch),
        }
        &self.scratch.frame
    }

    /// Returns the sequence number of the previous frame; meaningless for a snapshot.
    #[must_use]
    pub fn prev(&self) -> u64 {
        self.topic.published.seq
    }

    /// The sequence number after this frame.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.now.seq
    }

    /// Whether the frame is a snapshot instead of a delta.
    #[must_use]
    pub fn reset(&self) -> Reset {
        self.reset
    }

    /// Commits the frame: its rows are now the published ones.
    pub fn publish(self) {
        let Self { topic, scratch, epoch, units, now, checksum, reset, .. } = self;
        if reset == Reset::Yes {
            topic.shown.clear();
        }
        publish_rows(&mut topic.shown, scratch);
        topic.published = now;
        topic.read_seq = now.seq;
        if let Some(checksum) = checksum {
            topic.checksum = checksum;
            topic.covered = scratch.covered;
        }
        topic.begins_again = false;
        if reset == Reset::Yes {
            epoch.clone_into(&mut topic.epoch);
            topic.units = units;
            let mut identity = std::mem::take(&mut topic.identity);
            identity.clear();
            topic.write_identity_of((epoch, units), &mut identity);
            topic.identity = identity;
        }
    }
}

fn publish_rows(shown: &mut Shown, scratch: &mut StreamScratch) {
    match shown {
        Shown::Levels(shown) => publish_sides(shown, &mut scratch.levels),
        Shown::Orders(shown) => publish_sides(shown, &mut scratch.orders),
    }
}

fn publish_sides<R: Row>(shown: &mut [Vec<R>; 2], fresh: &mut [Fresh<R>; 2]) {
    shown.iter_mut().zip(fresh).for_each(|(shown, fresh)| fresh.publish(shown));
}

/// Returns the units of a topic's binary frames; `None` for JSON.
fn units_of(info: &MarketInfo, spec: &TopicSpec) -> Option<Units> {
    (spec.encoding == Encoding::Binary).then(|| Units::of(info, spec))
}

/// Writes the members that are constant within an epoch.
fn identify(out: &mut Vec<u8>, names: Names<'_>, (spec, units): (&TopicSpec, Option<Units>)) {
    match units {
        Some(units) => encode::write_identity(out, names, spec.timing, units),
        None => write_identity(out, names),
    }
}

fn names<'a>(spec: &TopicSpec, topic: &'a str, market: &'a str, epoch: &'a str) -> Names<'a> {
    Names { topic, channel: spec.channel, market, epoch }
}
