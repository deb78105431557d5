//! Streaming topics: a snapshot of what is shown, then only what has changed.
//!
//! The principal type is [`topic::Topic`]: it keeps the rows that were published last, finds what a
//! turn of the book has changed of them, and writes the frame that says so. [`spec::TopicSpec`]
//! says what a topic shows and gives it its name, [`binary`] writes its frames as bytes. [`changes`] are the same differences as rows.
//!
//! This room does not decide which client gets a frame, or when; and what is shown, and at which
//! price, is what the bodies of [`crate::render`] show.

pub mod binary;
pub mod changes;
mod checksum;
mod diff;
mod parts;
mod rows;
mod snapshot;
pub mod spec;
pub mod topic;
mod write;
