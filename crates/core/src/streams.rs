//! Streaming topics: opened, closed, and their frames.

use slotbook_book::Book;
use slotbook_wire::stream::spec::TopicSpec;
use slotbook_wire::stream::topic::{FrameTimes, Pending, SnapshotReply, Topic};

use crate::core::Core;

/// Why a topic was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotOpened {
    /// The market is unknown.
    UnknownMarket,
    /// There is no room for another topic.
    TopicsExceeded,
}

/// There is no topic of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownTopic;

impl Core {
    /// Opens a topic whose first publication is the current book; `received_ns` is the receipt time
    /// of its newest part. Returns the handle.
    ///
    /// # Errors
    /// [`NotOpened`].
    pub fn open_topic(&mut self, spec: TopicSpec, received_ns: u64) -> Result<u32, NotOpened> {
        if self.topics.is_full() {
            return Err(NotOpened::TopicsExceeded);
        }
        self.book.refresh_quotes(spec.market);
        let scratch = &mut self.topics.scratch;
        let topic = Topic::open(&self.book, spec, &self.epoch, received_ns, scratch);
        self.topics.add(topic.ok_or(NotOpened::UnknownMarket)?).ok_or(NotOpened::TopicsExceeded)
    }

    /// Closes a topic. Returns false when there is no topic with this handle.
    pub fn close_topic(&mut self, handle: u32) -> bool {
        self.topics.remove(handle)
    }

    /// Topics that are open.
    #[must_use]
    pub fn topic_count(&self) -> usize {
        self.topics.len()
    }

    /// Returns the changes since the last publication of a topic; `None` when there are none.
    /// [`Pending::publish`] marks them as published.
    ///
    /// # Errors
    /// [`UnknownTopic`].
    pub fn topic_frame(
        &mut self,
        handle: u32,
        times: FrameTimes,
    ) -> Result<Option<Pending<'_>>, UnknownTopic> {
        let (topic, scratch) = self.topics.get(handle).ok_or(UnknownTopic)?;
        if topic.has_quotes() {
            self.book.refresh_quotes(topic.market());
        }
        Ok(topic.next_frame(&self.book, &self.epoch, times, scratch))
    }

    /// Returns the snapshot of a topic's last publication; empty for an unknown topic.
    pub fn topic_snapshot(&mut self, handle: u32, reply: SnapshotReply<'_>, sent_ns: u64) -> &[u8] {
        self.write_frame(handle, |topic, _, frame| topic.write_snapshot(reply, sent_ns, frame))
    }

    /// Returns a heartbeat of a topic; empty for an unknown topic.
    pub fn topic_heartbeat(&mut self, handle: u32) -> &[u8] {
        self.write_frame(handle, |topic, book, frame| topic.write_heartbeat(book, frame))
    }

    fn write_frame(
        &mut self,
        handle: u32,
        write: impl FnOnce(&Topic, &Book, &mut Vec<u8>),
    ) -> &[u8] {
        let mut frame = std::mem::take(&mut self.topics.frame);
        frame.clear();
        if let Some((topic, _)) = self.topics.get(handle) {
            write(topic, &self.book, &mut frame);
        }
        self.topics.frame = frame;
        &self.topics.frame
    }
}
