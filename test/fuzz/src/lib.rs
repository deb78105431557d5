//! What reads bytes from outside, as functions that a fuzzer and a test feed with inputs.
//!
//! A target takes any bytes and panics when a property of the decoder under it does not hold. The
//! fuzzer in `libfuzzer/` looks for such inputs; `corpora.rs` runs those that it kept in `corpora/`, and those in
//! `seeds/`, with which it began. `input` says how the bytes of an input become arguments.
//!
//! This crate does not know a decoder's inside: each property is one that its callers rely on.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "a property that does not hold is a panic")]

mod account;
mod amm;
mod batch;
mod book;
mod checkpoint;
#[cfg(test)]
mod corpora;
mod event;
mod fees;
mod input;
mod journal;
mod logs;
mod oracle;
mod order;
mod reencode;
mod snapshot;
mod state;
mod text;

/// A function that a fuzzer feeds.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, which is also that of its files in `corpora` and `seeds`.
    pub name: &'static str,
    /// Checks every property for one input.
    ///
    /// # Panics
    /// When a property does not hold.
    pub run: fn(&[u8]),
    /// Most bytes of an input that the fuzzer makes.
    pub input_bytes_max: usize,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "account", run: account::run, input_bytes_max: 6_144 },
    Target { name: "order", run: order::run, input_bytes_max: 256 },
    Target { name: "oracle", run: oracle::run, input_bytes_max: 1_024 },
    Target { name: "event", run: event::run, input_bytes_max: 2_048 },
    Target { name: "logs", run: logs::run, input_bytes_max: 4_096 },
    Target { name: "amm", run: amm::run, input_bytes_max: 2_048 },
    Target { name: "fees", run: fees::run, input_bytes_max: 1_536 },
    Target { name: "text", run: text::run, input_bytes_max: 4_096 },
    Target { name: "batch", run: batch::run, input_bytes_max: 8_192 },
    Target { name: "snapshot", run: snapshot::run, input_bytes_max: 4_096 },
    Target { name: "book", run: book::run, input_bytes_max: 16_384 },
    Target { name: "journal", run: journal::run, input_bytes_max: 4_096 },
    Target { name: "state", run: state::run, input_bytes_max: 8_192 },
    Target { name: "checkpoint", run: checkpoint::run, input_bytes_max: 8_192 },
];
