//! The topics of accounts: opened, closed, and their frames.

use slotbook_protocol::model::units::Pubkey;
use slotbook_wire::account::AccountSource;
use slotbook_wire::stream::topic::SnapshotReply;
use slotbook_wire::stream::user::{UserFrame, UserScratch, UserTopic};

use crate::core::Core;
use crate::watched::WatchedUsers;

impl Core {
    /// Opens the topic of an account as it is now, in place of an open one; `now_ms` are unix
    /// milliseconds. Returns false for an account that neither the book nor the source has.
    pub fn watch_user(&mut self, source: AccountSource<'_>, now_ms: u64) -> bool {
        let WatchedUsers { topics, scratch, .. } = &mut self.users;
        let topic = UserTopic::open(&self.book, source, (&self.epoch, now_ms), scratch);
        topic.is_some_and(|topic| {
            topics.insert(*source.key, topic);
            true
        })
    }

    /// Closes the topic of an account.
    pub fn unwatch_user(&mut self, key: &Pubkey) {
        self.users.topics.remove(key);
        self.users.touched.remove(key);
        if self.users.topics.is_empty() {
            self.users.scratch = UserScratch::default();
        }
    }

    /// Returns the watched accounts that were written since the last call.
    pub fn take_touched(&mut self) -> Vec<Pubkey> {
        self.users.touched.drain().collect()
    }

    /// Adds what became of a fill, as JSON, to the next frame of a watched account.
    pub fn note_user_trade(&mut self, key: &Pubkey, text: String) {
        if let Some(topic) = self.users.topics.get_mut(key) {
            topic.note_trade(text);
        }
    }

    /// Publishes the changes of a watched account; `None` when there are none.
    pub fn user_frame(&mut self, source: AccountSource<'_>, now_ms: u64) -> Option<&UserFrame> {
        let WatchedUsers { topics, scratch, unsent, .. } = &mut self.users;
        let topic = topics.get_mut(source.key)?;
        let times = (self.epoch.as_str(), now_ms);
        let is_published = unsent.take() == Some(*source.key)
            || topic.publish(&self.book, source.data, times, scratch);
        is_published.then_some(&scratch.frame)
    }

    /// Returns the frame that was published last at the next call for its account.
    pub fn keep_user_frame(&mut self, key: &Pubkey) {
        self.users.unsent = Some(*key);
    }

    /// Returns the last publication of a watched account as a snapshot.
    #[must_use]
    pub fn user_snapshot(&self, key: &Pubkey, reply: SnapshotReply<'_>) -> Option<String> {
        let mut out = Vec::new();
        self.users.topics.get(key)?.write_snapshot(reply, &mut out);
        Some(String::from_utf8_lossy(&out).into_owned())
    }

    /// Returns a heartbeat of a watched account.
    #[must_use]
    pub fn user_heartbeat(&self, key: &Pubkey, now_ms: u64) -> Option<String> {
        let mut out = Vec::new();
        self.users.topics.get(key)?.write_heartbeat(&self.book, now_ms, &mut out);
        Some(String::from_utf8_lossy(&out).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slotbook_book::{AccountUpdate, Book, Gate};
    use slotbook_protocol::model::units::Slot;
    use slotbook_wire::stream::topic::Reset;

    const KEY: Pubkey = Pubkey([2; 32]);

    /// A book with one account, all of whose members are 0.
    fn book() -> Book {
        let owner = Pubkey([9; 32]);
        let mut data = vec![0; 4_376];
        data[..8].copy_from_slice(&[0x9f, 0x75, 0x5f, 0xe3, 0xef, 0x97, 0x3a, 0xec]);
        let (slot, gate) = (Slot(1), Gate::Arrival);
        let mut book = Book::new(owner.into());
        book.apply(AccountUpdate { pubkey: KEY, owner, slot, gate, data: &data }).unwrap();
        book
    }

    fn text_of(frame: &UserFrame) -> &str {
        std::str::from_utf8(&frame.text).unwrap()
    }

    #[test]
    fn messages_beyond_their_maximum_drop_the_oldest_and_begin_again_with_a_snapshot() {
        let (book, mut scratch) = (book(), UserScratch::default());
        let source = AccountSource { key: &KEY, data: None };
        let mut topic = UserTopic::open(&book, source, ("e", 1), &mut scratch).unwrap();
        let mut publish = |topic: &mut UserTopic, now_ms| {
            let is_published = topic.publish(&book, None, ("e", now_ms), &mut scratch);
            is_published.then(|| scratch.frame.clone())
        };
        for number in 0..1_000 {
            topic.note_trade(format!("\"t{number}\""));
        }
        let frame = publish(&mut topic, 2).unwrap();
        assert_eq!((frame.reset, text_of(&frame).matches("\"t").count() > 999), (Reset::No, true));
        for number in 0..1_001 {
            topic.note_trade(format!("\"t{number}\""));
        }
        let frame = publish(&mut topic, 3).unwrap();
        assert_eq!(frame.reset, Reset::Yes);
        let text = text_of(&frame);
        assert!(text.contains("\"type\":\"snapshot\"") && text.contains("\"reset\":true"));
        let frame = publish(&mut topic, 4).unwrap();
        assert_eq!((frame.prev, frame.reset), (3, Reset::No));
        let text = text_of(&frame);
        assert!(!text.contains("\"t0\"") && text.contains("\"t1\",\"t2\""));
        assert!(text.contains("\"t1000\"]"));
        assert!(publish(&mut topic, 5).is_none());
    }
}
