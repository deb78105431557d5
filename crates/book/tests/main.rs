//! The tests of the public interface, one program.

mod clob;
mod common;
mod differential;
mod hashes;
mod indicative;
mod lacking;
mod left_out;
mod places;
mod resting;
mod restored;
mod rules;
mod turns;
mod vamm;
mod velocity;
