//! The base58 texts of keys, cached: to make one costs more than the rest of its line.

use std::cell::RefCell;

use slotbook_protocol::units::Pubkey;

/// Texts in the cache of a thread: 1.3 MiB.
const TEXTS_KEPT: usize = 1 << 14;

/// Base58 text of a 32-byte key is never longer.
pub(crate) const KEY_TEXT_BYTES_MAX: usize = five8::BASE58_ENCODED_32_MAX_LEN;

/// The text of one key; the places behind its length mean nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyText {
    key: Pubkey,
    pub(crate) text: [u8; KEY_TEXT_BYTES_MAX],
    /// 0 before there is a text.
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
    /// The texts of the keys that this thread wrote last, one for each hash; empty before the first.
    static TEXTS: RefCell<Vec<KeyText>> = const { RefCell::new(Vec::new()) };
}

/// Calls `take` with the text of a key. Keys are uniform already, so their first bytes are the hash;
/// texts of keys that collide are made again each time.
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
