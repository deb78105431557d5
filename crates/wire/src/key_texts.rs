//! A cache of base58 texts of keys: encoding a key costs more than the rest of its row.

use std::cell::RefCell;

use slotbook_protocol::model::units::Pubkey;

/// Cached texts per thread: 1.3 MiB.
const TEXTS_KEPT: usize = 1 << 14;

/// Maximum base58 length of a 32-byte key.
pub(crate) const KEY_TEXT_BYTES_MAX: usize = five8::BASE58_ENCODED_32_MAX_LEN;

/// The text of one key; the bytes after the text are unspecified.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyText {
    key: Pubkey,
    pub(crate) text: [u8; KEY_TEXT_BYTES_MAX],
    /// 0 for an empty entry.
    pub(crate) length: u8,
}

impl KeyText {
    const NONE: Self = Self { key: Pubkey([0; 32]), text: [0; KEY_TEXT_BYTES_MAX], length: 0 };

    fn of(key: &Pubkey) -> Self {
        let mut text = [0; KEY_TEXT_BYTES_MAX];
        let length = five8::encode_32(&key.0, &mut text);
        Self { key: *key, text, length }
    }
}

thread_local! {
    /// The texts of keys that this thread has written recently, one entry for each hash.
    static TEXTS: RefCell<Vec<KeyText>> = const { RefCell::new(Vec::new()) };
}

/// Calls `take` with the text of a key. Keys are uniformly distributed, so their first bytes serve
/// as the hash; colliding keys replace each other.
#[inline]
pub(crate) fn with_key_text(key: &Pubkey, take: impl FnOnce(&KeyText)) {
    TEXTS.with_borrow_mut(|texts| {
        if texts.is_empty() {
            texts.resize(TEXTS_KEPT, KeyText::NONE);
        }
        let [first, second, ..] = key.0;
        let text = &mut texts[usize::from(u16::from_le_bytes([first, second])) % TEXTS_KEPT];
        if text.length == 0 || text.key != *key {
            *text = KeyText::of(key);
        }
        take(text);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(key: &Pubkey) -> String {
        let mut found = String::new();
        with_key_text(key, |KeyText { text, length, .. }| {
            found.push_str(str::from_utf8(&text[..usize::from(*length)]).unwrap());
        });
        found
    }

    #[test]
    fn keys_of_one_hash_have_their_own_texts() {
        let keys: Vec<Pubkey> = (0..4)
            .map(|last| {
                let mut key = [0; 32];
                key[31] = last;
                Pubkey(key)
            })
            .collect();
        for key in keys.iter().chain(&keys) {
            assert_eq!(text(key), bs58::encode(key.0).into_string());
            assert_eq!(text(key), bs58::encode(key.0).into_string());
        }
    }
}
