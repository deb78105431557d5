//! The topics of accounts: opened, closed, and their frames.

use slotbook_protocol::model::units::Pubkey;
use slotbook_wire::account::AccountSource;
use slotbook_wire::stream::topic::SnapshotReply;
use slotbook_wire::stream::user::{UserFrame, UserTopic};

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
    pub fn user_frame(&mut self, source: AccountSource<'_>, now_ms: u64) -> Option<UserFrame> {
        let WatchedUsers { topics, scratch, .. } = &mut self.users;
        topics.get_mut(source.key)?.publish(&self.book, source.data, (&self.epoch, now_ms), scratch)
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
