//! Recorded answers of the program and of the incumbent, put to the native core.
//!
//! [`run`] walks a folder, recognises each file's family by its content, and reports per file how many
//! cases passed, failed, or departed. A case departs when our rules differ on purpose: then the
//! naive book must agree with ours, and the recorded answer must follow from a named rule of the
//! incumbent's ([`slotbook_naive::Readings`]). Anything else is a failure. No decision looks at a
//! file's name.
//!
//! What this room does not judge is reported with the reason, as not yet due or not ours.
//!
//! ```
//! let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/prices");
//! let report = slotbook_golden::run(&folder).expect("the folder can be read");
//! assert_eq!(report.totals().failed, 0);
//! ```
#![forbid(unsafe_code)]

mod accounts;
mod amm;
mod dlob;
mod events;
mod group;
mod manifest;
mod margin;
mod onchain;
mod oracles;
mod order;
mod prices;
mod report;
mod run;
#[cfg(test)]
mod tests;
mod uncross;
mod value;

pub use report::{Case, FileReport, FolderReport, Outcome, Totals};
pub use run::run;
