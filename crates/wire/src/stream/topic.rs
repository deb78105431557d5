//! A topic: what its subscribers have, and the frames that keep them up to date.

use slotbook_book::{Book, Side};

use super::checksum::checksum;
use super::diff::OrderChanges;
pub use super::picture::{Answer, FrameTimes, Reset};
use super::picture::{Moment, Names, Picture, Shown, ShownRows, write_checksum, write_identity};
use super::spec::{Channel, Shows, TopicSpec};
use super::write::{Sides, write_best, write_level_changes, write_order_changes};
use crate::l3::OrderLine;
use crate::level::{Source, SourcedLevel};
use crate::render::{Rows, read_levels, read_orders};
use crate::writer::JsonWriter;

/// What all topics of a book share to make their next frame: nothing is allocated for it once the
/// largest frame was made.
#[derive(Debug, Default)]
pub struct StreamScratch {
    levels: Sides<SourcedLevel>,
    orders: Sides<OrderLine>,
    rows: Rows,
    changes: [OrderChanges; 2],
    checksum_text: Vec<u8>,
    identity: Vec<u8>,
    frame: Vec<u8>,
}

impl StreamScratch {
    /// Reads what the book shows now; answers its checksum.
    fn read(&mut self, book: &Book, spec: &TopicSpec) -> u32 {
        for (index, side) in Side::BOTH.into_iter().enumerate() {
            match spec.shows() {
                Shows::Levels(request) => {
                    read_levels(book, &request, side, &mut self.levels[index]);
                }
                Shows::Orders(request) => {
                    let lines = &mut self.orders[index];
                    read_orders(book, &request, side, (&mut self.rows, lines));
                }
            }
        }
        if spec.channel == Channel::Bbo {
            // Readers are shown no sources, so a change of these alone is none to them.
            self.levels.iter_mut().flatten().for_each(|level| *level = without_sources(level));
        }
        let text = &mut self.checksum_text;
        match spec.shows() {
            Shows::Levels(_) => checksum(&self.levels[0], &self.levels[1], text),
            Shows::Orders(_) => checksum(&self.orders[0], &self.orders[1], text),
        }
    }

    fn rows(&self, spec: &TopicSpec) -> ShownRows<'_> {
        match spec.shows() {
            Shows::Levels(_) => ShownRows::Levels(&self.levels),
            Shows::Orders(_) => ShownRows::Orders(&self.orders),
        }
    }
}

fn without_sources(level: &SourcedLevel) -> SourcedLevel {
    SourcedLevel::of(Source::Dlob, level.price, level.size())
}

/// What the subscribers of one topic have.
#[derive(Debug)]
pub struct Topic {
    spec: TopicSpec,
    name: String,
    market_name: String,
    epoch: String,
    identity: Vec<u8>,
    published: Moment,
    shown: Shown,
    checksum: u32,
}

impl Topic {
    /// A topic whose subscribers have the book of now; `None` for an unknown market.
    ///
    /// `received_ns` is when the newest part of that book came in, in unix nanoseconds.
    #[must_use]
    pub fn open(
        book: &Book,
        spec: TopicSpec,
        epoch: &str,
        received_ns: u64,
        scratch: &mut StreamScratch,
    ) -> Option<Self> {
        let header = book.header(spec.market)?;
        let market_name = book.market(spec.market)?.name.clone();
        let mut topic = Self {
            spec,
            name: spec.name(&market_name),
            market_name,
            epoch: epoch.to_owned(),
            identity: Vec::new(),
            published: Moment::of(&header, received_ns),
            shown: match spec.shows() {
                Shows::Levels(_) => Shown::Levels(Sides::default()),
                Shows::Orders(_) => Shown::Orders(Sides::default()),
            },
            checksum: scratch.read(book, &spec),
        };
        write_identity(
            &mut topic.identity,
            names(&topic.spec, &topic.name, &topic.market_name, epoch),
        );
        topic.take_rows(scratch);
        Some(topic)
    }

    /// The name of the topic. It keeps it, whatever becomes of the market's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next frame of the topic; `None` when its subscribers have what the book shows.
    ///
    /// It is a delta, or the snapshot of another epoch. For the topic nothing has happened until
    /// the frame is published.
    pub fn next_frame<'a>(
        &'a mut self,
        book: &Book,
        epoch: &'a str,
        times: FrameTimes,
        scratch: &'a mut StreamScratch,
    ) -> Option<Pending<'a>> {
        let now = Moment::of(&book.header(self.spec.market)?, times.received_ns);
        let reset = Reset::from(epoch != self.epoch);
        let is_state_new = now.state != self.published.state;
        if reset == Reset::No && !is_state_new && now.seq == self.published.seq {
            return None;
        }
        let checksum = scratch.read(book, &self.spec);
        scratch.frame.clear();
        if reset == Reset::Yes {
            self.write_reset(epoch, now, checksum, times.sent_ns, scratch);
        } else if !self.write_delta(now, checksum, times.sent_ns, scratch) && !is_state_new {
            return None;
        }
        Some(Pending { topic: self, scratch, epoch, now, checksum, reset })
    }

    /// Writes the snapshot of what was published last behind what `out` holds.
    pub fn write_snapshot(&self, answer: Answer<'_>, sent_ns: u64, out: &mut Vec<u8>) {
        let picture = Picture {
            spec: &self.spec,
            identity: &self.identity,
            moment: self.published,
            rows: self.shown.rows(),
            checksum: self.checksum,
        };
        picture.write(answer, sent_ns, out);
    }

    /// Writes that the topic lives: what was published last, and the slot and the state of now.
    pub fn write_heartbeat(&self, book: &Book, out: &mut Vec<u8>) {
        let seq = self.published.seq;
        let header = book.header(self.spec.market);
        let now = header.map_or(self.published, |header| Moment { seq, ..Moment::of(&header, 0) });
        let mut json = JsonWriter::new(out);
        json.raw(b"{\"type\":\"heartbeat\",\"topic\":");
        json.string(&self.name);
        json.raw(b",\"epoch\":");
        json.string(&self.epoch);
        now.write(&mut json);
        json.raw(b"}");
    }

    /// Writes the delta that leads to what was read; answers whether any row has changed.
    fn write_delta(
        &self,
        now: Moment,
        checksum: u32,
        sent_ns: u64,
        scratch: &mut StreamScratch,
    ) -> bool {
        let StreamScratch { levels, orders, changes, frame, .. } = scratch;
        let mut json = JsonWriter::new(frame);
        json.raw(b"{\"type\":\"delta\"");
        json.raw(&self.identity);
        json.raw(b",\"prev\":");
        json.u64(self.published.seq);
        now.write_timed(&mut json, self.spec.timing, sent_ns);
        json.raw(b",");
        let is_changed = match (&self.shown, self.spec.channel) {
            (Shown::Levels(shown), Channel::Bbo) => {
                write_best(&mut json, levels);
                shown != levels
            }
            (Shown::Levels(shown), _) => write_level_changes(&mut json, shown, levels) > 0,
            (Shown::Orders(shown), _) => {
                for (index, side) in Side::BOTH.into_iter().enumerate() {
                    changes[index].find(side, &shown[index], &orders[index]);
                }
                write_order_changes(&mut json, changes);
                changes.iter().any(|side| !side.is_empty())
            }
        };
        write_checksum(&mut json, checksum);
        is_changed
    }

    /// Writes the snapshot of what was read, in another epoch.
    fn write_reset(
        &self,
        epoch: &str,
        now: Moment,
        checksum: u32,
        sent_ns: u64,
        scratch: &mut StreamScratch,
    ) {
        scratch.identity.clear();
        let names = names(&self.spec, &self.name, &self.market_name, epoch);
        write_identity(&mut scratch.identity, names);
        let mut frame = std::mem::take(&mut scratch.frame);
        let picture = Picture {
            spec: &self.spec,
            identity: &scratch.identity,
            moment: now,
            rows: scratch.rows(&self.spec),
            checksum,
        };
        picture.write(Answer { id: "", reset: Reset::Yes }, sent_ns, &mut frame);
        scratch.frame = frame;
    }

    /// Keeps what was read as what the subscribers have.
    fn take_rows(&mut self, scratch: &StreamScratch) {
        match &mut self.shown {
            Shown::Levels(shown) => take_sides(shown, &scratch.levels),
            Shown::Orders(shown) => take_sides(shown, &scratch.orders),
        }
    }
}

/// A frame that the subscribers of a topic have not got yet.
#[derive(Debug)]
pub struct Pending<'a> {
    topic: &'a mut Topic,
    scratch: &'a mut StreamScratch,
    epoch: &'a str,
    now: Moment,
    checksum: u32,
    reset: Reset,
}

impl Pending<'_> {
    /// The finished frame.
    #[must_use]
    pub fn frame(&self) -> &[u8] {
        &self.scratch.frame
    }

    /// The sequence number that a reader must have for this frame; of no meaning with a reset.
    #[must_use]
    pub fn prev(&self) -> u64 {
        self.topic.published.seq
    }

    /// The sequence number that a reader has with this frame.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.now.seq
    }

    /// Whether the frame is the snapshot of another epoch and no delta.
    #[must_use]
    pub fn reset(&self) -> Reset {
        self.reset
    }

    /// From now on the subscribers have this frame.
    pub fn publish(self) {
        let Self { topic, scratch, epoch, now, checksum, reset } = self;
        topic.take_rows(scratch);
        topic.published = now;
        topic.checksum = checksum;
        if reset == Reset::Yes {
            epoch.clone_into(&mut topic.epoch);
            topic.identity.clone_from(&scratch.identity);
        }
    }
}

fn take_sides<R: Copy>(shown: &mut Sides<R>, read: &Sides<R>) {
    for (shown, read) in shown.iter_mut().zip(read) {
        shown.clear();
        shown.extend_from_slice(read);
    }
}

fn names<'a>(spec: &TopicSpec, topic: &'a str, market: &'a str, epoch: &'a str) -> Names<'a> {
    Names { topic, channel: spec.channel, market, epoch }
}
