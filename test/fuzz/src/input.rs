//! How the bytes of an input become arguments.

/// Bytes that one step of a skip stands for: most fields lie on such a boundary.
const SKIP_BYTES: usize = 8;

/// The rest of an input. Behind its end there are zeros.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    /// An input from its first byte.
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next bytes as an array.
    pub(crate) fn take<const LEN: usize>(&mut self) -> [u8; LEN] {
        let mut taken = [0; LEN];
        let found = self.take_slice(LEN);
        taken[..found.len()].copy_from_slice(found);
        taken
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> u8 {
        let [byte] = self.take();
        byte
    }

    /// The next eight bytes as a number.
    pub(crate) fn word(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    /// The next bytes, at most so many.
    pub(crate) fn take_slice(&mut self, bytes: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// All that is left.
    pub(crate) const fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// True when nothing is left.
    pub(crate) const fn is_over(self) -> bool {
        self.rest.is_empty()
    }

    /// Writes the rest over `bytes` in steps: a byte of eights to skip, a byte of length, and so
    /// many bytes. So a long account with few fields set is a short input.
    pub(crate) fn write_over(mut self, bytes: &mut [u8]) {
        let mut at = 0;
        while !self.is_over() && at < bytes.len() {
            at += usize::from(self.byte()) * SKIP_BYTES;
            let length = usize::from(self.byte());
            let found = self.take_slice(length);
            let end = bytes.len().min(at + found.len());
            if at < end {
                bytes[at..end].copy_from_slice(&found[..end - at]);
            }
            at += found.len().next_multiple_of(SKIP_BYTES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_skips_eights_and_writes_up_to_the_end() {
        let mut bytes = [0; 20];
        Input::new(&[1, 2, 7, 8, 0, 9, 5, 5, 5, 5, 5, 5, 5, 5, 5]).write_over(&mut bytes);
        assert_eq!(bytes[8..], [7, 8, 0, 0, 0, 0, 0, 0, 5, 5, 5, 5]);
    }

    #[test]
    fn an_input_reads_zeros_behind_its_end() {
        let mut input = Input::new(&[1, 2]);
        assert_eq!((input.byte(), input.word(), input.is_over()), (1, 2, true));
        assert_eq!(input.take::<3>(), [0; 3]);
    }
}
