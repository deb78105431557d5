//! Decodes the text of an RPC response to the bytes of an account, in reused buffers.

use base64_simd::{AsOut, STANDARD};
use slotbook_protocol::model::units::Pubkey;
use zstd::bulk::Decompressor;

use crate::limits::{ACCOUNT_BYTES_MAX, ACCOUNT_TEXT_BYTES_MAX};
use crate::problem::Fault;

/// How an account's data is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Base64 of the bytes.
    Base64,
    /// Base64 of one zstd frame that contains the bytes.
    Base64Zstd,
}

/// The key of zeros in base58.
const ZERO_KEY_TEXT: [u8; 32] = [b'1'; 32];

/// Decodes keys and account data; reuses its buffers from account to account.
pub struct Decoder {
    /// Created with the first compressed account, because most feeds never send one.
    zstd: Option<Decompressor<'static>>,
    packed: Vec<u8>,
    plain: Vec<u8>,
    /// Maximum bytes of an account to decode.
    bytes_max: usize,
    /// The last owner, as text and as key, because nearly all accounts have the same owner. A key
    /// of zeros means that no owner was read.
    owner_text: Vec<u8>,
    owner: Pubkey,
}

impl Default for Decoder {
    /// A decoder of accounts of any size.
    fn default() -> Self {
        Self::of_accounts_up_to(ACCOUNT_BYTES_MAX)
    }
}

impl Decoder {
    /// Creates a decoder for accounts of at most this size.
    #[must_use]
    pub fn of_accounts_up_to(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            zstd: None,
            packed: Vec::new(),
            plain: Vec::new(),
            owner_text: ZERO_KEY_TEXT.to_vec(),
            owner: Pubkey([0; 32]),
        }
    }

    /// The key of a base58 text.
    ///
    /// # Errors
    /// [`Fault::InvalidKey`].
    pub fn owner(&mut self, text: &[u8]) -> Result<Pubkey, Fault> {
        if text != self.owner_text {
            self.owner = key(text)?;
            self.owner_text.clear();
            self.owner_text.extend_from_slice(text);
        }
        Ok(self.owner)
    }

    /// Decodes the bytes of an account, which are valid until the next call.
    ///
    /// # Errors
    /// [`Fault::InvalidBase64`], [`Fault::InvalidZstd`] or [`Fault::AccountBytesExceeded`].
    pub fn data(&mut self, text: &[u8], encoding: Encoding) -> Result<&[u8], Fault> {
        let bytes_max = self.bytes_max;
        match encoding {
            Encoding::Base64 => match base64(text, &mut self.plain)? {
                plain if plain.len() > bytes_max => Err(Fault::AccountBytesExceeded(bytes_max)),
                plain => Ok(plain),
            },
            Encoding::Base64Zstd => {
                let packed = base64(text, &mut self.packed)?;
                unpack(&mut self.zstd, packed, bytes_max, &mut self.plain)
            }
        }
    }
}

/// The key of a base58 text.
///
/// # Errors
/// [`Fault::InvalidKey`].
pub fn key(text: &[u8]) -> Result<Pubkey, Fault> {
    let mut bytes = [0; 32];
    five8::decode_32(text, &mut bytes).map_err(|_| Fault::InvalidKey)?;
    Ok(Pubkey(bytes))
}

/// Decodes into the front of `scratch`, which keeps its length so that it is zeroed only once.
fn base64<'a>(text: &[u8], scratch: &'a mut Vec<u8>) -> Result<&'a [u8], Fault> {
    if text.len() > ACCOUNT_TEXT_BYTES_MAX {
        return Err(Fault::AccountBytesExceeded(ACCOUNT_BYTES_MAX));
    }
    let room = STANDARD.estimated_decoded_length(text.len());
    if scratch.len() < room {
        scratch.resize(room, 0);
    }
    let decoded = STANDARD.decode(text, scratch.as_mut_slice().as_out());
    decoded.map(|bytes| &*bytes).map_err(|_| Fault::InvalidBase64)
}

/// Decompresses into `plain`, whose capacity is the limit; memory is written only as far as it is
/// used.
fn unpack<'a>(
    zstd: &mut Option<Decompressor<'static>>,
    packed: &[u8],
    bytes_max: usize,
    plain: &'a mut Vec<u8>,
) -> Result<&'a [u8], Fault> {
    let zstd = match zstd {
        Some(zstd) => zstd,
        None => zstd.insert(Decompressor::new().map_err(|_| Fault::InvalidZstd)?),
    };
    plain.clear();
    plain.reserve_exact(bytes_max);
    match zstd.decompress_to_buffer(packed, plain) {
        Ok(length) if length <= bytes_max => Ok(plain),
        Ok(_) => Err(Fault::AccountBytesExceeded(bytes_max)),
        Err(_) if is_bomb(packed, bytes_max) => Err(Fault::AccountBytesExceeded(bytes_max)),
        Err(_) => Err(Fault::InvalidZstd),
    }
}

/// Returns whether the frame itself states a size that exceeds an account's maximum.
fn is_bomb(packed: &[u8], bytes_max: usize) -> bool {
    Decompressor::upper_bound(packed).is_some_and(|bound| bound > bytes_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(bytes: &[u8]) -> String {
        STANDARD.encode_to_string(bytes)
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let packed = zstd::bulk::compress(&vec![0; ACCOUNT_BYTES_MAX + 1], 3).unwrap();
        assert!(packed.len() < 10_000);
        let text = text_of(&packed);
        let fault = Decoder::default().data(text.as_bytes(), Encoding::Base64Zstd).unwrap_err();
        assert_eq!(fault, Fault::AccountBytesExceeded(ACCOUNT_BYTES_MAX));
        let packed = zstd::bulk::compress(&vec![0; ACCOUNT_BYTES_MAX], 3).unwrap();
        let text = text_of(&packed);
        let mut decoder = Decoder::default();
        let plain = decoder.data(text.as_bytes(), Encoding::Base64Zstd).unwrap();
        assert_eq!(plain.len(), ACCOUNT_BYTES_MAX);
    }

    #[test]
    fn text_longer_than_an_account_is_refused_before_it_is_decoded() {
        let text = vec![b'A'; ACCOUNT_TEXT_BYTES_MAX + 4];
        let fault = Decoder::default().data(&text, Encoding::Base64).unwrap_err();
        assert_eq!(fault, Fault::AccountBytesExceeded(ACCOUNT_BYTES_MAX));
    }

    #[test]
    fn an_empty_owner_is_no_key_also_to_a_new_decoder() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.owner(b""), Err(Fault::InvalidKey));
        let text = bs58::encode([3; 32]).into_string();
        assert_eq!(decoder.owner(text.as_bytes()), Ok(Pubkey([3; 32])));
        assert_eq!(decoder.owner(b""), Err(Fault::InvalidKey));
        assert_eq!(decoder.owner(text.as_bytes()), Ok(Pubkey([3; 32])));
    }
}
