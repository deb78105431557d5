//! Streaming topics: what a reader who only follows the frames has, is what the book shows.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod binary;
mod follower;
mod frames;
mod life;
mod market;
mod steady;
mod world;
