//! The file of a segment: a preamble, then blocks of records in one zstd stream.
//!
//! The preamble is 16 bytes of magic and a `u32` version. A block is the `u32` length of its packed bytes, the
//! `u32` CRC-32 of all that follows, the last moment that is whole with it, as `u64` slot and `u64` Unix
//! milliseconds (0 within a checkpoint), and the packed bytes; all little-endian. So the last moment of a
//! file is found by going from head to head. The zstd stream is flushed at the end of each block, so what
//! lies before a tear can be read, and a block holds whole records. The first block holds the head alone.

use std::io::{self, Write};

use zstd::stream::write::{Decoder, Encoder};

use crate::error::{Fault, check_length};
use crate::limits::{BLOCK_PACKED_BYTES_MAX, BLOCK_PLAIN_BYTES_MAX, WINDOW_LOG_MAX};

/// What every segment begins with.
const MAGIC: [u8; 16] = *b"slotbook journal";

/// The version of the format. A reader of one version reads no other.
pub const VERSION: u32 = 2;

/// Bytes of magic and version.
pub(crate) const PREAMBLE_BYTES: usize = MAGIC.len() + VERSION_BYTES;

const VERSION_BYTES: usize = 4;

/// Bytes of length and CRC-32 before what that is of.
const BLOCK_CRC_BYTES: usize = 8;

/// Bytes of length, CRC-32 and moment before a block's packed bytes.
pub(crate) const BLOCK_HEAD_BYTES: usize = BLOCK_CRC_BYTES + 16;

/// The end of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockMoment {
    /// The chain's slot.
    pub(crate) slot: u64,
    /// Unix milliseconds.
    pub(crate) ts_ms: u64,
}

/// How hard zstd tries.
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

/// Packs blocks of one segment.
pub(crate) struct BlockWriter {
    zstd: Encoder<'static, Vec<u8>>,
}

impl BlockWriter {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { zstd: Encoder::new(Vec::new(), ZSTD_LEVEL)? })
    }

    /// Appends a block of these plain bytes to `out`; `moment` is the last one that is whole with it.
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

/// What stands before a block's packed bytes.
pub(crate) struct BlockHead {
    length: usize,
    crc: u32,
    pub(crate) moment: BlockMoment,
}

impl BlockHead {
    /// The head at the front of `bytes`, and what is behind it; `None` when it is not there as a whole.
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

    /// Returns the fault of a length that no block has.
    pub(crate) fn check_length(&self) -> Result<(), Fault> {
        if self.length == 0 {
            return Err(Fault::Malformed("a block is empty"));
        }
        check_length("BLOCK_PACKED_BYTES_MAX", self.length, BLOCK_PACKED_BYTES_MAX)
    }
}

/// The block at the front of `bytes`, from its head to its end; `None` when it is not there as a whole.
pub(crate) fn whole_block(bytes: &[u8]) -> Result<Option<&[u8]>, Fault> {
    let Some((head, _)) = BlockHead::read(bytes) else { return Ok(None) };
    head.check_length()?;
    let Some(block) = bytes.get(..BLOCK_HEAD_BYTES + head.length) else { return Ok(None) };
    match block.get(BLOCK_CRC_BYTES..) {
        Some(checked) if crc32fast::hash(checked) == head.crc => Ok(Some(block)),
        _ => Err(Fault::CrcMismatch),
    }
}

/// Unpacks the blocks of one segment, in their order.
pub(crate) struct BlockReader {
    zstd: Decoder<'static, Bounded>,
}

impl BlockReader {
    pub(crate) fn new() -> io::Result<Self> {
        let mut zstd = Decoder::new(Bounded::default())?;
        zstd.window_log_max(WINDOW_LOG_MAX)?;
        Ok(Self { zstd })
    }

    /// Appends the plain bytes of a block, which [`whole_block`] found, to `plain`.
    pub(crate) fn unpack_block(&mut self, block: &[u8], plain: &mut Vec<u8>) -> Result<(), Fault> {
        self.unpack(block.get(BLOCK_HEAD_BYTES..).unwrap_or_default(), plain)
    }

    fn unpack(&mut self, packed: &[u8], plain: &mut Vec<u8>) -> Result<(), Fault> {
        let unpacked = self.zstd.write_all(packed).and_then(|()| self.zstd.flush());
        let found = self.zstd.get_mut();
        check_length("BLOCK_PLAIN_BYTES_MAX", found.0.len(), BLOCK_PLAIN_BYTES_MAX)?;
        unpacked.map_err(|_| Fault::Malformed("a block is not zstd"))?;
        plain.append(&mut found.0);
        Ok(())
    }
}

/// Plain bytes of one block, which take nothing more once they are over the limit.
#[derive(Default)]
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() > BLOCK_PLAIN_BYTES_MAX {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
