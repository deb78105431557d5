//! How the bytes of an input become arguments.

/// Bytes that one step of a skip stands for: most fields lie on such a boundary.
const SKIP_BYTES: usize = 8;

/// The rest of an input. Behind its end there are zeros.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    /// An input from its first byte.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next bytes as an array.
    pub fn take<const LEN: usize>(&mut self) -> [u8; LEN] {
        let mut taken = [0; LEN];
        let found = self.take_slice(LEN);
        taken[..found.len()].copy_from_slice(found);
        taken
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let [byte] = self.take();
        byte
    }

    /// The next eight bytes as a number.
    pub fn word(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    /// The next bytes, at most so many.
    pub fn take_slice(&mut self, bytes: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// All that is left.
    #[must_use]
    pub const fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// True when nothing is left.
    #[must_use]
    pub const fn is_over(self) -> bool {
        self.rest.is_empty()
    }

    /// Writes the rest over `bytes` in steps: a byte of eights to skip, a byte of length, and so
    /// many bytes. So a long account with few fields set is a short input.
    pub fn write_over(mut self, bytes: &mut [u8]) {
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

/// The input of [`Input::write_over`] that makes zeros into `bytes`: how seeds are written.
#[must_use]
pub fn steps_of(bytes: &[u8]) -> Vec<u8> {
    let mut steps = Vec::new();
    let (mut skip, mut run): (u8, Vec<u8>) = (0, Vec::new());
    let flush = |skip: &mut u8, run: &mut Vec<u8>, steps: &mut Vec<u8>| {
        if !run.is_empty() || *skip > 0 {
            steps.extend([*skip, u8::try_from(run.len()).unwrap_or(u8::MAX)]);
            steps.append(run);
            *skip = 0;
        }
    };
    for chunk in bytes.chunks(SKIP_BYTES) {
        let is_zero = chunk.iter().all(|byte| *byte == 0);
        if (is_zero && !run.is_empty()) || run.len() + chunk.len() > usize::from(u8::MAX) {
            flush(&mut skip, &mut run, &mut steps);
        }
        match is_zero {
            true if skip == u8::MAX => flush(&mut skip, &mut run, &mut steps),
            _ => {}
        }
        if is_zero { skip += 1 } else { run.extend_from_slice(chunk) }
    }
    if !run.is_empty() {
        flush(&mut skip, &mut run, &mut steps);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_make_the_bytes_again() {
        let mut bytes = vec![0; 5_000];
        bytes[3] = 1;
        bytes[100..400].fill(7);
        bytes[4_990] = 9;
        let mut made = vec![0; bytes.len()];
        Input::new(&steps_of(&bytes)).write_over(&mut made);
        assert!(made == bytes);
    }

    #[test]
    fn an_input_reads_zeros_behind_its_end() {
        let mut input = Input::new(&[1, 2]);
        assert_eq!((input.byte(), input.word(), input.is_over()), (1, 2, true));
        assert_eq!(input.take::<3>(), [0; 3]);
    }
}
