//! The programs whose accounts are read.

/// A program that holds an exchange's accounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Program {
    /// Drift v2.
    #[default]
    Drift,
    /// Velocity, which went on from it.
    Velocity,
}
