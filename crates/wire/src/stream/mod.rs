//! Streaming topics: a snapshot, then deltas.
//!
//! The principal type is [`topic::Topic`]: it stores the published rows, finds the changes of a
//! turn, and writes them as a frame. [`spec::TopicSpec`] defines the content and the name of a
//! topic, [`binary`] writes binary frames. [`changes`] exposes the same differences as rows.
//!
//! This room does not decide which client gets a frame, or when. The content and the prices are
//! those of the bodies of [`crate::render`].

pub(crate) mod binary;
pub mod changes;
mod checksum;
mod diff;
mod parts;
mod rows;
mod snapshot;
pub mod spec;
pub mod topic;
pub mod user;
mod write;
