//! Keys of a frame, each in full or as one that came before, and the ids of orders beside them.

use slotbook_protocol::units::Pubkey;

use super::MAKERS_NAMED_MAX;
use super::bytes::ByteReader;
use super::error::DecodeError;

/// Bytes of a key.
const KEY_BYTES: usize = 32;

/// The keys of one frame that came, the newest last.
#[derive(Debug)]
pub(super) struct Keys {
    known: Vec<Pubkey>,
}

impl Keys {
    /// None came yet.
    pub(super) const fn new() -> Self {
        Self { known: Vec::new() }
    }

    /// The next key, which is put to the others where it is a new one.
    pub(super) fn read(&mut self, reader: &mut ByteReader<'_>) -> Result<Pubkey, DecodeError> {
        let ago = usize::try_from(reader.varint()?).map_err(|_| DecodeError::TooLarge)?;
        if ago > MAKERS_NAMED_MAX {
            return Err(DecodeError::TooLarge);
        }
        if ago > 0 {
            let place = self.known.len().checked_sub(ago).ok_or(DecodeError::TooLarge)?;
            return Ok(self.known[place]);
        }
        let key = Pubkey(*reader.raw(KEY_BYTES)?.first_chunk().ok_or(DecodeError::Cut)?);
        self.known.push(key);
        Ok(key)
    }
}

/// The id of an order, which its user counts.
pub(super) fn read_order_id(reader: &mut ByteReader<'_>) -> Result<u32, DecodeError> {
    u32::try_from(reader.varint()?).map_err(|_| DecodeError::TooLarge)
}
