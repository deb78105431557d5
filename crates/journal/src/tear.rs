//! Classifies a block with a wrong checksum: if no valid block follows, the file was truncated
//! there; otherwise the file is damaged.

use crate::error::Fault;
use crate::segment::{BLOCK_HEAD_BYTES, BlockHead, whole_block};

/// Maximum positions after a bad block that look like the head of a block. After a power loss there
/// are none, except by a chance of 2^-40 for each byte; each candidate may cost a CRC-32 over a
/// whole block.
const CANDIDATES_MAX: u32 = 64;

/// An end for slots and for Unix milliseconds that real values do not reach for 10,000 years.
const SLOTS_END: u64 = 1 << 40;
const TS_MS_END: u64 = 1 << 48;

#[derive(Debug)]
pub(crate) struct BadBlockSearch {
    /// The defect of the bad block.
    pub(crate) fault: Fault,
    /// Bytes from the start of the bad block that were searched and dropped.
    passed: usize,
    candidates: u32,
}

impl BadBlockSearch {
    pub(crate) const fn new(fault: Fault) -> Self {
        Self { fault, passed: 0, candidates: 0 }
    }

    pub(crate) const fn passed(&self) -> usize {
        self.passed
    }

    /// Searches `bytes`, which continue the bytes of earlier calls, and drops the bytes in which no
    /// block begins. Returns the fault when a valid block is found, because the file is then
    /// damaged. An incomplete candidate waits for more bytes.
    pub(crate) fn search(&mut self, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        self.search_to(bytes, false)
    }

    /// Searches like `search`, at the end of the file.
    pub(crate) fn search_end(&mut self, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        self.search_to(bytes, true)
    }

    fn search_to(&mut self, bytes: &mut Vec<u8>, is_end: bool) -> Result<(), Fault> {
        // The first byte is the start of the bad block itself, so the search begins after it.
        let mut at = usize::from(self.passed == 0);
        while let Some(rest) = bytes.get(at..).filter(|rest| rest.len() >= BLOCK_HEAD_BYTES) {
            if looks_like_block(rest) {
                match whole_block(rest) {
                    Ok(None) if !is_end => break,
                    Ok(Some(_)) => return Err(self.fault),
                    _ => self.candidates += 1,
                }
                if self.candidates > CANDIDATES_MAX {
                    return Err(self.fault);
                }
            }
            at += 1;
        }
        let at = at.min(bytes.len());
        bytes.drain(..at);
        self.passed += at;
        Ok(())
    }
}

/// Returns whether bytes look like a block. A few bytes among zeros look like the head of a block
/// without a moment; only blocks of a checkpoint have no moment, and the last of them has one.
fn looks_like_block(bytes: &[u8]) -> bool {
    BlockHead::read(bytes).is_some_and(|(head, _)| {
        let (slot, ts_ms) = (head.moment.slot, head.moment.ts_ms);
        let is_moment = slot < SLOTS_END && ts_ms < TS_MS_END && (slot, ts_ms) != (0, 0);
        is_moment && head.check_length().is_ok()
    })
}
