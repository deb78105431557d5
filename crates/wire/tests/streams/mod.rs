//! Streaming topics: a reader that applies every frame has the shown rows.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod binary;
mod bytes;
mod follower;
mod frames;
mod life;
mod steady;
mod world;
