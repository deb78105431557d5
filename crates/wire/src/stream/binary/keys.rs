//! Keys of a frame, in full or as back-references, and order ids.

use slotbook_protocol::model::units::Pubkey;

use super::MAKERS_NAMED_MAX;
use super::bytes::ByteReader;
use super::error::DecodeError;

const KEY_BYTES: usize = 32;

/// The keys of one frame, the newest last.
#[derive(Debug)]
pub(super) struct Keys {
    known: Vec<Pubkey>,
}

impl Keys {
    pub(super) const fn new() -> Self {
        Self { known: Vec::new() }
    }

    /// Reads the next key, and stores it for back-references if it is new.
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

pub(super) fn read_order_id(reader: &mut ByteReader<'_>) -> Result<u32, DecodeError> {
    u32::try_from(reader.varint()?).map_err(|_| DecodeError::TooLarge)
}
