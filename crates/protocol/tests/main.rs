//! The tests of the public interface, one program.

mod accounts;
mod amm;
mod bad_bytes;
mod client_layouts;
mod events;
mod oracles;
mod support;
mod velocity;
