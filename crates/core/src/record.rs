//! The batch buffer: records one after the other, little-endian.
//!
//! A record: `u32` bytes of the rest, `u8` form, `u8` gate, `u8` bytes of the key, `u8` bytes of
//! the owner, `u64` slot, then the key, the owner and the data.

use slotbook_book::{AccountUpdate, Gate};
use slotbook_protocol::model::units::{Pubkey, Slot};

use crate::decode::{Decoder, Encoding, key};
use crate::problem::Fault;

/// Bytes of the length field.
const LENGTH_BYTES: usize = 4;

/// Bytes between the length field and the key.
const HEAD_BYTES: usize = 12;

const FORM_BINARY: u8 = 0;
const FORM_BASE64: u8 = 1;
const FORM_BASE64_ZSTD: u8 = 2;
const FORM_CLOSED: u8 = 3;
const FORM_BYTES: u8 = 4;

const GATE_ARRIVAL: u8 = 0;
const GATE_SNAPSHOT: u8 = 1;

/// One record, still encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// How key, owner and data are written.
    pub form: u8,
    /// Whether the account arrived live or in a snapshot.
    pub gate: Gate,
    /// The slot of this state.
    pub slot: Slot,
    /// The account's key.
    pub key: &'a [u8],
    /// The owner's key.
    pub owner: &'a [u8],
    /// The account's bytes.
    pub data: &'a [u8],
}

impl<'a> Record<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, Fault> {
        let (head, rest) = bytes.split_first_chunk::<HEAD_BYTES>().ok_or(Fault::MalformedRecord)?;
        let [form, gate, key_length, owner_length, slot @ ..] = *head;
        let gate = match gate {
            GATE_ARRIVAL => Gate::Arrival,
            GATE_SNAPSHOT => Gate::Snapshot,
            _ => return Err(Fault::MalformedRecord),
        };
        let (key, rest) = split(rest, key_length)?;
        let (owner, data) = split(rest, owner_length)?;
        Ok(Self { form, gate, slot: Slot(u64::from_le_bytes(slot)), key, owner, data })
    }

    /// Parses the account's key, which may be valid in an otherwise invalid record.
    ///
    /// # Errors
    /// [`Fault::InvalidKey`].
    pub fn pubkey(&self) -> Result<Pubkey, Fault> {
        match self.form {
            FORM_BINARY => binary_key(self.key),
            _ => key(self.key),
        }
    }

    /// Decodes the update of the record. Its data is in the decoder's buffers.
    ///
    /// # Errors
    /// [`Fault`] for an invalid text or form.
    pub fn decode(
        &self,
        pubkey: Pubkey,
        decoder: &'a mut Decoder,
    ) -> Result<AccountUpdate<'a>, Fault> {
        let closed = self.closed(pubkey);
        match self.form {
            FORM_BINARY => {
                Ok(AccountUpdate { owner: binary_key(self.owner)?, data: self.data, ..closed })
            }
            FORM_BASE64 => self.text(closed, Encoding::Base64, decoder),
            FORM_BASE64_ZSTD => self.text(closed, Encoding::Base64Zstd, decoder),
            FORM_CLOSED => Ok(closed),
            FORM_BYTES => {
                Ok(AccountUpdate { owner: decoder.owner(self.owner)?, data: self.data, ..closed })
            }
            _ => Err(Fault::MalformedRecord),
        }
    }

    /// The record without its bytes.
    pub(crate) fn closed(&self, pubkey: Pubkey) -> AccountUpdate<'a> {
        let owner = Pubkey([0; 32]);
        AccountUpdate { pubkey, owner, slot: self.slot, gate: self.gate, data: &[] }
    }

    fn text(
        &self,
        closed: AccountUpdate<'a>,
        encoding: Encoding,
        decoder: &'a mut Decoder,
    ) -> Result<AccountUpdate<'a>, Fault> {
        let owner = decoder.owner(self.owner)?;
        let data = decoder.data(self.data, encoding)?;
        Ok(AccountUpdate { owner, data, ..closed })
    }
}

fn split(bytes: &[u8], length: u8) -> Result<(&[u8], &[u8]), Fault> {
    bytes.split_at_checked(usize::from(length)).ok_or(Fault::MalformedRecord)
}

fn binary_key(bytes: &[u8]) -> Result<Pubkey, Fault> {
    bytes.try_into().map(Pubkey).map_err(|_| Fault::InvalidKey)
}

/// Iterates over the records of a batch. An invalid record does not stop the iteration; a record
/// that exceeds the batch is the last.
#[derive(Debug)]
pub struct Records<'a> {
    rest: &'a [u8],
}

impl<'a> Records<'a> {
    /// Iterates over a batch from its first byte.
    #[must_use]
    pub const fn new(batch: &'a [u8]) -> Self {
        Self { rest: batch }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let cut = self.rest.split_first_chunk::<LENGTH_BYTES>().and_then(|(length, rest)| {
            let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
            rest.split_at_checked(length)
        });
        let Some((record, rest)) = cut else {
            self.rest = &[];
            return Some(Err(Fault::MalformedRecord));
        };
        self.rest = rest;
        Some(Record::parse(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of the given parts with an honest length.
    fn record(form: u8, gate: u8, key: &[u8], owner: &[u8], data: &[u8]) -> Vec<u8> {
        let lengths = [u8::try_from(key.len()).unwrap(), u8::try_from(owner.len()).unwrap()];
        let slot = 7_u64.to_le_bytes();
        let head: [&[u8]; 6] = [&[form, gate], &lengths, &slot, key, owner, data];
        let body = head.concat();
        [u32::try_from(body.len()).unwrap().to_le_bytes().to_vec(), body].concat()
    }

    /// Key, owner and data of a record.
    type Decoded = Result<(Pubkey, Pubkey, Vec<u8>), Fault>;

    fn decoded(batch: &[u8]) -> Vec<Decoded> {
        let mut decoder = Decoder::default();
        Records::new(batch)
            .map(|record| {
                let record = record?;
                let update = record.decode(record.pubkey()?, &mut decoder)?;
                assert_eq!(update.slot, Slot(7));
                Ok((update.pubkey, update.owner, update.data.to_vec()))
            })
            .collect()
    }

    #[test]
    fn every_form_comes_back() {
        let (key, owner) = ([1; 32], [2; 32]);
        let texts = [key, owner].map(|bytes| bs58::encode(bytes).into_string());
        let [key_text, owner_text] = [texts[0].as_bytes(), texts[1].as_bytes()];
        let packed = zstd::bulk::compress(b"abc", 0).unwrap();
        let packed = base64_simd::STANDARD.encode_to_string(packed);
        let batch = [
            record(FORM_BINARY, 0, &key, &owner, b"abc"),
            record(FORM_BASE64, 0, key_text, owner_text, b"YWJj"),
            record(FORM_BASE64_ZSTD, 1, key_text, owner_text, packed.as_bytes()),
            record(FORM_BYTES, 0, key_text, owner_text, b"abc"),
            record(FORM_CLOSED, 0, key_text, b"", b""),
        ]
        .concat();
        let account = Ok((Pubkey(key), Pubkey(owner), b"abc".to_vec()));
        let closed = Ok((Pubkey(key), Pubkey([0; 32]), Vec::new()));
        let accounts = [account.clone(), account.clone(), account.clone(), account, closed];
        assert_eq!(decoded(&batch), accounts);
    }

    #[test]
    fn a_bad_record_does_not_stop_the_next() {
        let good = record(FORM_BINARY, 0, &[1; 32], &[2; 32], b"abc");
        let bad = [
            record(9, 0, &[1; 32], &[2; 32], b""),
            record(FORM_BINARY, 9, &[1; 32], &[2; 32], b""),
            record(FORM_BINARY, 0, &[1; 31], &[2; 32], b""),
            record(FORM_BASE64, 0, b"0OIl", b"1", b""),
            record(FORM_BASE64, 0, &[b'1'; 32], &[b'1'; 32], b"!!!!"),
            vec![1, 0, 0, 0, 0],
            vec![0, 0, 0, 0],
        ];
        for bad in bad {
            let results = decoded(&[bad.clone(), good.clone()].concat());
            assert_eq!(results.len(), 2, "{bad:?}");
            assert!(results[0].is_err() && results[1].is_ok(), "{bad:?}");
        }
    }

    #[test]
    fn every_cut_of_a_record_is_one_fault() {
        let good = record(FORM_BINARY, 0, &[1; 32], &[2; 32], b"abc");
        for length in 1..good.len() {
            assert_eq!(decoded(&good[..length]), [Err(Fault::MalformedRecord)]);
        }
    }
}
