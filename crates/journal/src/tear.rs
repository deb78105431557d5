//! A block whose checksum is wrong, and what it means: where nothing good comes behind it, the file was torn there;
//! else it is damaged.

use crate::error::Fault;
use crate::segment::{BLOCK_HEAD_BYTES, BlockHead, whole_block};

/// Places behind a bad block that look like the head of a block whose checksum is wrong. What a loss of power leaves has
/// none, but for one in 2^40 bytes; each may cost a CRC-32 of a whole block.
const CANDIDATES_MAX: u32 = 64;

/// A slot and Unix milliseconds that no chain and no clock come to in 10,000 years.
const SLOTS_END: u64 = 1 << 40;
const TS_MS_END: u64 = 1 << 48;

/// The search behind a bad block for a good one.
#[derive(Debug)]
pub(crate) struct BadBlockSearch {
    /// Why the block is bad.
    pub(crate) fault: Fault,
    /// Bytes from its beginning on that were searched and dropped.
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

    /// Searches `bytes`, which follow those that were searched before, and drops them as far as no block begins in
    /// them. Returns the fault when one does: the file is damaged. Blocks that go on behind `bytes` are waited for.
    pub(crate) fn search(&mut self, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        self.search_to(bytes, false)
    }

    /// As `search`, when no bytes come any more.
    pub(crate) fn search_end(&mut self, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        self.search_to(bytes, true)
    }

    fn search_to(&mut self, bytes: &mut Vec<u8>, is_end: bool) -> Result<(), Fault> {
        // The bad block itself begins at the first byte.
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

/// Few bytes in many zeros look like the heads of blocks without a moment. Only blocks of a checkpoint have none, and the last
/// one of it has.
fn looks_like_block(bytes: &[u8]) -> bool {
    BlockHead::read(bytes).is_some_and(|(head, _)| {
        let (slot, ts_ms) = (head.moment.slot, head.moment.ts_ms);
        let is_moment = slot < SLOTS_END && ts_ms < TS_MS_END && (slot, ts_ms) != (0, 0);
        is_moment && head.check_length().is_ok()
    })
}
