//! The JavaScript interface of the topics of accounts.

use napi::bindgen_prelude::{Buffer, BufferSlice};
use napi_derive::napi;
use slotbook_core::text;
use slotbook_protocol::model::units::Pubkey;
use slotbook_wire::account::AccountSource;
use slotbook_wire::stream::topic::{Reset, SnapshotReply};

use crate::convert::{copy_out, maker_of, whole};
use crate::core::Core;
use crate::streams::{CALL_WORDS, WORD_BYTES};

#[napi]
impl Core {
    /// Opens the topic of a user account (base58) as it is at these unix milliseconds, of the given
    /// bytes where the book does not hold it. Returns false for an account of neither.
    #[napi]
    pub fn watch_user(&mut self, account: String, now_ms: f64, data: Option<Buffer>) -> bool {
        key_of(&account).is_some_and(|key| {
            let source = AccountSource { key: &key, data: data.as_deref() };
            self.core.watch_user(source, whole(now_ms))
        })
    }

    /// Closes the topic of a user account.
    #[napi]
    pub fn unwatch_user(&mut self, account: String) {
        if let Some(key) = key_of(&account) {
            self.core.unwatch_user(&key);
        }
    }

    /// Returns the watched accounts that were written since the last call, as a JSON array of base58
    /// keys.
    #[napi]
    pub fn take_touched_users(&mut self) -> String {
        text::keys(&self.core.take_touched())
    }

    /// Adds what became of a fill, as JSON, to the next frame of a watched account.
    #[napi]
    pub fn note_user_trade(&mut self, account: String, text: String) {
        if let Some(key) = key_of(&account) {
            self.core.note_user_trade(&key, text);
        }
    }

    /// Publishes the changes of a watched account, of the given bytes where the book does not hold
    /// it: writes the frame into `out`. `call_words` are three 64-bit words in the machine's byte
    /// order: unix milliseconds go in; prev, seq, and 1 for a snapshot of another epoch, come out.
    /// Returns the length of the frame; 0 when there is nothing to publish; a negative number is the
    /// negative of the length that `out` must have, and the next call for the account returns the
    /// frame.
    #[napi]
    pub fn user_frame(
        &mut self,
        account: String,
        mut call_words: BufferSlice<'_>,
        mut out: BufferSlice<'_>,
        data: Option<Buffer>,
    ) -> i32 {
        let Some(key) = key_of(&account) else { return 0 };
        let source = AccountSource { key: &key, data: data.as_deref() };
        let (words, _) = call_words.as_chunks_mut::<WORD_BYTES>();
        let Some(words) = words.first_chunk_mut::<CALL_WORDS>() else { return 0 };
        let [now_ms, ..] = words.map(u64::from_ne_bytes);
        let Some(frame) = self.core.user_frame(source, now_ms) else { return 0 };
        let reset = u64::from(frame.reset == Reset::Yes);
        *words = [frame.prev, frame.seq, reset].map(u64::to_ne_bytes);
        let written = copy_out(Some(&frame.text), &mut out);
        if written < 0 {
            self.core.keep_user_frame(&key);
        }
        written
    }

    /// Returns the last publication of a watched account as a snapshot; `id` is the JSON text of the
    /// request's id, empty for none. Null for an account that is not watched.
    #[napi]
    pub fn user_snapshot(&self, account: String, id: String, reset: bool) -> Option<String> {
        let reply = SnapshotReply { id: &id, reset: Reset::from(reset) };
        self.core.user_snapshot(&key_of(&account)?, reply)
    }

    /// Returns a heartbeat of a watched account; null for an account that is not watched.
    #[napi]
    pub fn user_heartbeat(&self, account: String, now_ms: f64) -> Option<String> {
        self.core.user_heartbeat(&key_of(&account)?, whole(now_ms))
    }
}

fn key_of(account: &str) -> Option<Pubkey> {
    maker_of(account).ok().flatten()
}
