//! The open topics by their handles.

use slotbook_wire::stream::topic::{StreamScratch, Topic};

use crate::limits::TOPICS_MAX;

/// Bits of a handle for the index of its entry. The other bits count the earlier uses of the entry,
/// so that the handle of a closed topic does not name the next topic.
const PLACE_BITS: u32 = TOPICS_MAX.trailing_zeros();

/// The limit of handles, so that they are positive also as signed 32-bit numbers in JavaScript.
const HANDLES_END: u32 = 1 << 31;

const _: () = assert!(TOPICS_MAX.is_power_of_two(), "a place fills its bits");

/// A place for a topic.
#[derive(Debug, Default)]
struct Place {
    /// The number of topics closed in this entry, modulo the handle's range.
    closed: u32,
    topic: Option<Topic>,
}

/// The topics, and what they share.
#[derive(Debug, Default)]
pub(crate) struct Topics {
    places: Vec<Place>,
    free: Vec<usize>,
    pub(crate) scratch: StreamScratch,
    /// The bytes of a frame other than a delta.
    pub(crate) frame: Vec<u8>,
}

impl Topics {
    /// Stores a topic; returns `None` when there are too many.
    pub(crate) fn add(&mut self, topic: Topic) -> Option<u32> {
        let place = match self.free.pop() {
            Some(place) => place,
            None if self.places.len() < TOPICS_MAX => {
                self.places.push(Place::default());
                self.places.len() - 1
            }
            None => return None,
        };
        let entry = &mut self.places[place];
        entry.topic = Some(topic);
        let closed = entry.closed;
        u32::try_from(place).ok().map(|place| (closed << PLACE_BITS) | place)
    }

    /// Whether another topic fits.
    pub(crate) fn is_full(&self) -> bool {
        self.free.is_empty() && self.places.len() >= TOPICS_MAX
    }

    /// Returns the topic of a handle, and the buffers that render its frame.
    pub(crate) fn get(&mut self, handle: u32) -> Option<(&mut Topic, &mut StreamScratch)> {
        let place = self.places.get_mut(place_of(handle))?;
        let is_current = place.closed == handle >> PLACE_BITS;
        let topic = place.topic.as_mut().filter(|_| is_current)?;
        Some((topic, &mut self.scratch))
    }

    /// Removes a topic; returns false when there is no topic with this handle.
    pub(crate) fn remove(&mut self, handle: u32) -> bool {
        if self.get(handle).is_none() {
            return false;
        }
        let place = &mut self.places[place_of(handle)];
        place.topic = None;
        place.closed = (place.closed + 1) % (HANDLES_END >> PLACE_BITS);
        self.free.push(place_of(handle));
        true
    }

    /// Makes all topics continue with a snapshot, because the book was replaced.
    pub(crate) fn begin_again(&mut self) {
        self.places
            .iter_mut()
            .filter_map(|place| place.topic.as_mut())
            .for_each(Topic::begin_again);
    }

    /// Topics that are open.
    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }
}

fn place_of(handle: u32) -> usize {
    usize::try_from(handle).unwrap_or(usize::MAX) % TOPICS_MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use slotbook_book::{AccountUpdate, Book, Gate, MarketId};
    use slotbook_protocol::model::units::{Pubkey, Slot};
    use slotbook_wire::sources::Sources;
    use slotbook_wire::stream::spec::{Channel, Encoding, Timing, TopicSpec};

    /// A book with one market: a perp market's account needs no more than this.
    fn book() -> Book {
        let program = Pubkey([9; 32]);
        let mut book = Book::new(program.into());
        let mut data = vec![0; 1_216];
        data[..8].copy_from_slice(&[0x0a, 0xdf, 0x0c, 0x2c, 0x6b, 0xf5, 0x37, 0xf7]);
        let (pubkey, slot) = (Pubkey([1; 32]), Slot(1));
        let update =
            AccountUpdate { pubkey, owner: program, slot, gate: Gate::Arrival, data: &data };
        book.apply(update).unwrap();
        book
    }

    fn topic(book: &Book, topics: &mut Topics) -> Topic {
        let (channel, sources, timing) = (Channel::Bbo, Sources::NONE, Timing::Off);
        let spec = TopicSpec {
            market: MarketId(0),
            channel,
            sources,
            timing,
            interval_ms: 0,
            encoding: Encoding::Json,
        };
        Topic::open(book, spec, "e", 0, &mut topics.scratch).unwrap()
    }

    #[test]
    fn a_handle_is_of_one_topic_only() {
        let book = book();
        let mut topics = Topics::default();
        let mut handles = Vec::new();
        for _ in 0..100 {
            let topic = topic(&book, &mut topics);
            let handle = topics.add(topic).unwrap();
            assert!(!handles.contains(&handle));
            assert!(topics.get(handle).is_some());
            handles.push(handle);
            assert_eq!(topics.len(), 1);
            assert!(topics.remove(handle));
            assert!(!topics.remove(handle));
            assert!(handles.iter().all(|handle| topics.get(*handle).is_none()));
        }
        assert!(topics.get(u32::MAX).is_none());
    }

    #[test]
    fn handles_stay_positive_to_javascript_however_often_a_place_is_used() {
        let book = book();
        let mut topics = Topics::default();
        let first = topic(&book, &mut topics);
        let first = topics.add(first).unwrap();
        topics.places[0].closed = (HANDLES_END >> PLACE_BITS) - 1;
        let last = (topics.places[0].closed << PLACE_BITS) | first;
        assert!(i32::try_from(last).is_ok());
        assert!(topics.remove(last));
        let again = topic(&book, &mut topics);
        assert_eq!(topics.add(again), Some(first), "after so many topics numbers come again");
    }

    #[test]
    fn a_place_that_is_given_up_can_be_taken_when_all_are() {
        let book = book();
        let mut topics = Topics::default();
        let handles: Vec<u32> = (0..TOPICS_MAX)
            .map(|_| {
                let topic = topic(&book, &mut topics);
                topics.add(topic).unwrap()
            })
            .collect();
        assert!(topics.is_full());
        let more = topic(&book, &mut topics);
        assert_eq!(topics.add(more), None);
        assert!(topics.remove(handles[7]));
        assert!(!topics.is_full());
        let more = topic(&book, &mut topics);
        assert!(topics.add(more).is_some());
    }
}
