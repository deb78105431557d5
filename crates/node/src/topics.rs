//! The open topics by their handles.

use slotbook_wire::stream::topic::{StreamScratch, Topic};

use crate::limits::TOPICS_MAX;

/// Bits of a handle that say the place; the rest says how often the place was used before, so that
/// the handle of a closed topic is not taken for that of the next one.
const PLACE_BITS: u32 = TOPICS_MAX.trailing_zeros();

/// Handles stay below this: they are positive to JavaScript, also as a signed number.
const HANDLES_END: u32 = 1 << 31;

const _: () = assert!(TOPICS_MAX.is_power_of_two(), "a place fills its bits");

/// A place for a topic.
#[derive(Debug, Default)]
struct Place {
    /// How often a topic was closed here, as far as the handle says it.
    closed: u32,
    topic: Option<Topic>,
}

/// The topics, and what they share.
#[derive(Debug, Default)]
pub(crate) struct Topics {
    places: Vec<Place>,
    free: Vec<usize>,
    pub(crate) scratch: StreamScratch,
    /// The bytes of a frame that is not a delta.
    pub(crate) frame: Vec<u8>,
}

impl Topics {
    /// Keeps a topic; `None` when there are too many.
    pub(crate) fn add(&mut self, topic: Topic) -> Option<u32> {
        let place = match self.free.pop() {
            Some(place) => place,
            None if self.places.len() < TOPICS_MAX => {
                self.places.push(Place::default());
                self.places.len() - 1
            }
            None => return None,
        };
        let kept = &mut self.places[place];
        kept.topic = Some(topic);
        let closed = kept.closed;
        u32::try_from(place).ok().map(|place| (closed << PLACE_BITS) | place)
    }

    /// Whether another topic may be kept.
    pub(crate) fn is_full(&self) -> bool {
        self.free.is_empty() && self.places.len() >= TOPICS_MAX
    }

    /// The topic of a handle, and what it needs to make a frame.
    pub(crate) fn get(&mut self, handle: u32) -> Option<(&mut Topic, &mut StreamScratch)> {
        let place = self.places.get_mut(place_of(handle))?;
        let is_current = place.closed == handle >> PLACE_BITS;
        let topic = place.topic.as_mut().filter(|_| is_current)?;
        Some((topic, &mut self.scratch))
    }

    /// Forgets a topic; answers false when there is none of this handle.
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

    /// Topics that are open.
    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }
}

fn place_of(handle: u32) -> usize {
    usize::try_from(handle).unwrap_or(usize::MAX) % TOPICS_MAX
}
