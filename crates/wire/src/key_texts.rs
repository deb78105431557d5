//! The base58 texts of keys, cached: to make one costs more than the rest of its line.

use slotbook_protocol::units::Pubkey;

/// Texts in the cache: 1.3 MiB.
const TEXTS: usize = 1 << 14;

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

    pub(crate) fn of(key: &Pubkey) -> Self {
        let mut text = [0; KEY_TEXT_BYTES_MAX];
        let length = five8::encode_32(&key.0, &mut text);
        Self { key: *key, text, length }
    }
}

/// The texts of the keys that were written last, one for each hash. Keys are uniform already, so
/// their first bytes are the hash; texts of keys that collide are made again each time.
#[derive(Debug, Default)]
pub(crate) struct KeyTexts {
    texts: Vec<KeyText>,
}

impl KeyTexts {
    /// The text of a key.
    #[inline]
    pub(crate) fn of(&mut self, key: &Pubkey) -> &KeyText {
        if self.texts.is_empty() {
            self.texts.resize(TEXTS, KeyText::NONE);
        }
        let [first, second, ..] = key.0;
        let text = &mut self.texts[usize::from(u16::from_le_bytes([first, second])) % TEXTS];
        if text.length == 0 || text.key != *key {
            *text = KeyText::of(key);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(texts: &mut KeyTexts, key: &Pubkey) -> String {
        let KeyText { text, length, .. } = texts.of(key);
        String::from_utf8(text[..usize::from(*length)].to_vec()).unwrap()
    }

    #[test]
    fn keys_of_one_hash_have_their_own_texts() {
        let mut texts = KeyTexts::default();
        let keys: Vec<Pubkey> = (0..4)
            .map(|last| {
                let mut key = [0; 32];
                key[31] = last;
                Pubkey(key)
            })
            .collect();
        for key in keys.iter().chain(&keys) {
            assert_eq!(text(&mut texts, key), bs58::encode(key.0).into_string());
            assert_eq!(text(&mut texts, key), bs58::encode(key.0).into_string());
        }
    }
}
