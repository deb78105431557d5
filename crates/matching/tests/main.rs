//! The tests of the public interface, one program.

mod common;
mod margin;
mod onchain;
mod properties;
mod sequence;
mod taker;
