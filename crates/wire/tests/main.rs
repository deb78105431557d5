//! The tests of the public interface, one program.

mod allocations;
mod bodies;
#[path = "../../book/tests/common/mod.rs"]
#[allow(dead_code, reason = "the tests of the book use the rest")]
mod common;
mod records;
mod streams;
mod uncross;
mod velocity;
mod walk;
