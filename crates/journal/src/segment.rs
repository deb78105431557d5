//! The file of a segment: a preamble, then blocks of records in one zstd stream.
//!
//! The preamble is 16 bytes of magic and a `u32` version. A block consists of the `u32` length of
//! its compressed bytes, the `u32` CRC-32 of the rest, the last turn that the block completes, as
//! `u64` slot and `u64` Unix milliseconds (0 within a checkpoint), and the compressed bytes; all
//! little-endian. Reading the block heads is enough to find the last turn of a file. The zstd
//! stream is flushed at the end of each block, so all blocks before a truncation can be read, and a
//! block contains whole records. The first block contains only the head. A file whose writer closed
//! it ends with an end mark: a block head of length 0.

use std::io::{self, Write};

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};
use zstd::stream::write::Encoder;

use crate::error::{Fault, check_length};
use crate::limits::{
    BLOCK_PACKED_BYTES_MAX, BLOCK_PLAIN_BYTES_MAX, BLOCK_TARGET_BYTES, WINDOW_LOG_MAX,
};

/// The magic bytes of a segment.
const MAGIC: [u8; 16] = *b"slotbook journal";

/// The format version. A reader supports exactly one.
pub const VERSION: u32 = 2;

/// Bytes of magic and version.
pub(crate) const PREAMBLE_BYTES: usize = MAGIC.len() + VERSION_BYTES;

const VERSION_BYTES: usize = 4;

/// Bytes of length and CRC-32 at the start of a block.
const BLOCK_CRC_BYTES: usize = 8;

/// Bytes of length, CRC-32 and moment before a block's compressed bytes.
pub(crate) const BLOCK_HEAD_BYTES: usize = BLOCK_CRC_BYTES + 16;

/// The last turn that ends in or before a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockMoment {
    /// The chain's slot.
    pub(crate) slot: u64,
    /// Unix milliseconds.
    pub(crate) ts_ms: u64,
}

/// zstd compression level.
const ZSTD_LEVEL: i32 = 3;

/// Appends magic and version.
pub(crate) fn put_preamble(out: &mut Vec<u8>) {
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
}

/// Checks magic and version at the front of a file.
pub(crate) fn check_preamble(bytes: &[u8; PREAMBLE_BYTES]) -> Result<(), Fault> {
    match bytes.strip_prefix(&MAGIC).and_then(<[u8]>::first_chunk) {
        Some(version) => match u32::from_le_bytes(*version) {
            VERSION => Ok(()),
            found => Err(Fault::VersionMismatch { found, known: VERSION }),
        },
        None => Err(Fault::Malformed("the file is no segment of a journal")),
    }
}

pub(crate) struct BlockWriter {
    zstd: Encoder<'static, Vec<u8>>,
}

impl BlockWriter {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { zstd: Encoder::new(Vec::new(), ZSTD_LEVEL)? })
    }

    /// Appends a block of these uncompressed bytes to `out`; `moment` is the last turn that it
    /// completes.
    pub(crate) fn put_block(
        &mut self,
        out: &mut Vec<u8>,
        plain: &[u8],
        moment: BlockMoment,
    ) -> io::Result<()> {
        self.zstd.write_all(plain)?;
        self.zstd.flush()?;
        let packed = self.zstd.get_mut();
        let length = u32::try_from(packed.len()).map_err(io::Error::other)?;
        out.extend_from_slice(&length.to_le_bytes());
        let crc_at = out.len();
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&moment.slot.to_le_bytes());
        out.extend_from_slice(&moment.ts_ms.to_le_bytes());
        out.append(packed);
        let (head, rest) = out.split_at_mut(crc_at + 4);
        head[crc_at..].copy_from_slice(&crc32fast::hash(rest).to_le_bytes());
        Ok(())
    }
}

pub(crate) struct BlockHead {
    length: usize,
    crc: u32,
    pub(crate) moment: BlockMoment,
}

impl BlockHead {
    /// Reads the head at the start of `bytes`; returns it with the rest, or `None` when it is
    /// incomplete.
    pub(crate) fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (crc, rest) = rest.split_first_chunk()?;
        let (slot, rest) = rest.split_first_chunk()?;
        let (ts_ms, rest) = rest.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let (slot, ts_ms) = (u64::from_le_bytes(*slot), u64::from_le_bytes(*ts_ms));
        let moment = BlockMoment { slot, ts_ms };
        Some((Self { length, crc: u32::from_le_bytes(*crc), moment }, rest))
    }

    pub(crate) fn check_length(&self) -> Result<(), Fault> {
        if self.length == 0 {
            return Err(Fault::Malformed("a block is empty"));
        }
        check_length("BLOCK_PACKED_BYTES_MAX", self.length, BLOCK_PACKED_BYTES_MAX)
    }
}

/// The complete block at the start of `bytes`, with its head; `None` when it is incomplete.
pub(crate) fn whole_block(bytes: &[u8]) -> Result<Option<&[u8]>, Fault> {
    let Some((head, _)) = BlockHead::read(bytes) else { return Ok(None) };
    head.check_length()?;
    let Some(block) = bytes.get(..BLOCK_HEAD_BYTES + head.length) else { return Ok(None) };
    match block.get(BLOCK_CRC_BYTES..) {
        Some(checked) if crc32fast::hash(checked) == head.crc => Ok(Some(block)),
        _ => Err(Fault::CrcMismatch),
    }
}

/// Returns whether `bytes` begin with an end mark. A block head of zeros, which a power loss can
/// leave, is not an end mark.
pub(crate) fn is_end_mark(bytes: &[u8]) -> bool {
    BlockHead::read(bytes).is_some_and(|(head, _)| {
        head.length == 0 && crc32fast::hash(&bytes[BLOCK_CRC_BYTES..BLOCK_HEAD_BYTES]) == head.crc
    })
}

pub(crate) struct BlockReader {
    zstd: Decoder<'static>,
}

impl BlockReader {
    pub(crate) fn new() -> io::Result<Self> {
        let mut zstd = Decoder::new()?;
        zstd.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX))?;
        Ok(Self { zstd })
    }

    /// Decompresses a block of [`whole_block`] and appends it to `plain`.
    pub(crate) fn unpack_block(&mut self, block: &[u8], plain: &mut Vec<u8>) -> Result<(), Fault> {
        let start = plain.len();
        let mut packed = InBuffer::around(block.get(BLOCK_HEAD_BYTES..).unwrap_or_default());
        loop {
            plain.reserve(BLOCK_TARGET_BYTES);
            let (end, room) = (plain.len(), plain.capacity());
            let mut out = OutBuffer::around_pos(plain, end);
            let unpacked = self.zstd.run(&mut packed, &mut out);
            let is_full = out.pos() == room;
            check_length("BLOCK_PLAIN_BYTES_MAX", plain.len() - start, BLOCK_PLAIN_BYTES_MAX)?;
            unpacked.map_err(|_| Fault::Malformed("a block is not zstd"))?;
            if !is_full && packed.pos() == packed.src.len() {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_unpacks_to_its_maximum_behind_others_and_to_no_more() {
        let unpacked = |length| {
            let mut block = Vec::new();
            let mut writer = BlockWriter::new().unwrap();
            writer.put_block(&mut block, &vec![0; length], BlockMoment::default()).unwrap();
            let mut plain = vec![0; BLOCK_PLAIN_BYTES_MAX / 2];
            BlockReader::new().unwrap().unpack_block(&block, &mut plain)
        };
        assert_eq!(unpacked(BLOCK_PLAIN_BYTES_MAX), Ok(()));
        let refused = unpacked(BLOCK_PLAIN_BYTES_MAX + 1);
        assert!(matches!(refused, Err(Fault::BytesExceeded { .. })), "{refused:?}");
    }
}
