//! Delta encoding of account bytes, as runs of new bytes.
//!
//! A patch is a list of `varint length, varint skip, bytes`, terminated by a length of zero; `skip`
//! counts from the end of the previous run. Bytes between two runs are unchanged.

use crate::error::Fault;
use crate::fields::{Fields, put_length};

/// Number of equal bytes that do not end a run, because a new run costs two bytes.
const GAP_MAX: usize = 2;

/// Bytes per comparison.
const WORD: usize = 8;

/// Appends the patch from `old` to `new`, which have equal lengths.
pub(crate) fn put_patch(out: &mut Vec<u8>, old: &[u8], new: &[u8]) {
    debug_assert_eq!(old.len(), new.len(), "Invariant: a patch is made of equal lengths");
    let mut runs = Runs::new(new);
    let (old_words, old_rest) = old.as_chunks::<WORD>();
    let (new_words, new_rest) = new.as_chunks::<WORD>();
    for (index, (old, new)) in old_words.iter().zip(new_words).enumerate() {
        let differs = u64::from_le_bytes(*old) ^ u64::from_le_bytes(*new);
        runs.note_word(out, index * WORD, differs);
    }
    runs.note_rest(out, old_words.len() * WORD, old_rest, new_rest);
    runs.close(out);
}

/// Appends the patch from zeros to `new`: the stored form of an account.
pub(crate) fn put_packed(out: &mut Vec<u8>, new: &[u8]) {
    let mut runs = Runs::new(new);
    let (words, rest) = new.as_chunks::<WORD>();
    for (index, word) in words.iter().enumerate() {
        runs.note_word(out, index * WORD, u64::from_le_bytes(*word));
    }
    runs.note_rest(out, words.len() * WORD, &[0; WORD][..rest.len()], rest);
    runs.close(out);
}

/// Collects the runs of a patch from its first byte to its last.
struct Runs<'a> {
    new: &'a [u8],
    /// The end of the previous run.
    written: usize,
    /// The start of the run that may still grow.
    start: usize,
    end: usize,
}

impl<'a> Runs<'a> {
    const fn new(new: &'a [u8]) -> Self {
        Self { new, written: 0, start: 0, end: 0 }
    }

    /// Adds the bytes of a word that are not zero in `differs`.
    #[inline]
    fn note_word(&mut self, out: &mut Vec<u8>, at: usize, differs: u64) {
        if differs == 0 {
            return;
        }
        for (index, byte) in differs.to_le_bytes().into_iter().enumerate() {
            if byte != 0 {
                self.note(out, at + index);
            }
        }
    }

    fn note_rest(&mut self, out: &mut Vec<u8>, at: usize, old: &[u8], new: &[u8]) {
        for (index, (old, new)) in old.iter().zip(new).enumerate() {
            if old != new {
                self.note(out, at + index);
            }
        }
    }

    /// Adds the differing byte at `at`.
    #[inline]
    fn note(&mut self, out: &mut Vec<u8>, at: usize) {
        if self.start == self.end || at > self.end + GAP_MAX {
            self.put_run(out);
            self.start = at;
        }
        self.end = at + 1;
    }

    fn put_run(&mut self, out: &mut Vec<u8>) {
        if self.start == self.end {
            return;
        }
        put_length(out, self.end - self.start);
        put_length(out, self.start - self.written);
        out.extend_from_slice(&self.new[self.start..self.end]);
        self.written = self.end;
    }

    fn close(mut self, out: &mut Vec<u8>) {
        self.put_run(out);
        out.push(0);
    }
}

/// Applies patches, one after the other.
pub(crate) fn apply_patches(patches: &[u8], bytes: &mut [u8]) -> Result<(), Fault> {
    let mut fields = Fields::new(patches);
    while !fields.is_done() {
        let mut at = 0_usize;
        while let Some((skip, run)) = take_run(&mut fields, bytes.len())? {
            let start = at.saturating_add(skip);
            at = start.saturating_add(run.len());
            copy_run(bytes.get_mut(start..at).ok_or(OUTSIDE)?, run);
        }
    }
    Ok(())
}

/// Takes the skip and the bytes of the next run; `None` at the end of a patch.
#[inline]
fn take_run<'a>(
    fields: &mut Fields<'a>,
    bytes_max: usize,
) -> Result<Option<(usize, &'a [u8])>, Fault> {
    let length = fields.length(RUN, bytes_max)?;
    if length == 0 {
        return Ok(None);
    }
    let skip = fields.length(RUN, bytes_max)?;
    Ok(Some((skip, fields.take(length)?)))
}

/// Copies a run; most runs are a few bytes, for which a call of `memcpy` is dear.
#[inline]
fn copy_run(to: &mut [u8], from: &[u8]) {
    match from.len() {
        8..=16 => copy_ends::<8>(to, from),
        4..8 => copy_ends::<4>(to, from),
        2 | 3 => copy_ends::<2>(to, from),
        1 => to[0] = from[0],
        _ => to.copy_from_slice(from),
    }
}

/// Copies `N` to `2 * N` bytes.
#[inline]
fn copy_ends<const N: usize>(to: &mut [u8], from: &[u8]) {
    if let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) {
        to.first_chunk_mut().into_iter().for_each(|to| *to = *first);
        to.last_chunk_mut().into_iter().for_each(|to| *to = *last);
    }
}

/// The changes of an account, a patch whose runs were read once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch<'a> {
    pub(crate) bytes: &'a [u8],
    /// The end of the last run.
    end: usize,
}

impl<'a> Patch<'a> {
    /// Checks that the runs are within an account of this length.
    pub(crate) fn check_length(&self, length: usize) -> Result<(), Fault> {
        if self.end <= length { Ok(()) } else { Err(OUTSIDE) }
    }

    /// The position and the bytes of each run, in ascending order.
    pub fn runs(&self) -> impl Iterator<Item = (usize, &'a [u8])> + Clone + use<'a> {
        let (mut fields, end, mut at) = (Fields::new(self.bytes), self.end, 0);
        std::iter::from_fn(move || {
            let (skip, run) = take_run(&mut fields, end).ok()??;
            let start = at + skip;
            at = start + run.len();
            Some((start, run))
        })
    }
}

/// Takes a patch for an account of at most `bytes_max` bytes.
pub(crate) fn take_patch<'a>(
    fields: &mut Fields<'a>,
    bytes_max: usize,
) -> Result<Patch<'a>, Fault> {
    let mut ahead = fields.clone();
    let mut end = 0_usize;
    while let Some((skip, run)) = take_run(&mut ahead, bytes_max)? {
        end = end.saturating_add(skip).saturating_add(run.len());
    }
    Ok(Patch { bytes: fields.take(ahead.at() - fields.at())?, end })
}

const RUN: &str = "bytes of a run";
const OUTSIDE: Fault = Fault::Malformed("a run reaches over the end of its account");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_need_one() {
        let mut patch = Vec::new();
        put_patch(&mut patch, &[7; 100], &[7; 100]);
        assert_eq!(patch, [0]);
    }

    #[test]
    fn runs_that_are_near_are_one() {
        let mut patch = Vec::new();
        put_packed(&mut patch, &[0, 0, 1, 0, 0, 2, 0, 0, 0, 3, 0]);
        assert_eq!(patch, [4, 2, 1, 0, 0, 2, 1, 3, 3, 0]);
    }

    #[test]
    fn a_run_outside_of_its_account_is_refused() {
        assert!(take_patch(&mut Fields::new(&[]), 4).is_err());
        for patch in [&[2, 3, 1, 1, 0][..], &[1, 4, 1, 0], &[1, 0], &[5, 0, 1, 1, 1, 1, 1, 0]] {
            assert!(apply_patches(patch, &mut [0; 4]).is_err(), "{patch:?}");
        }
    }
}
