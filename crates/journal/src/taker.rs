//! Takers of the inputs of a turn.

use crate::input::{Input, Origin};
use crate::patch::Patch;

/// Takes the inputs of a turn.
pub trait TakeInputs {
    /// Takes an input; `account` is the number of its account in the segment.
    fn take(&mut self, input: Input<'_>, account: Option<u32>);

    /// Takes a new state of an account by its changes since the state that was taken last. Returns
    /// false, and takes nothing, when the changes are not enough; the input is then given to
    /// `take`.
    fn take_changes(&mut self, changes: &AccountChanges<'_>) -> bool;
}

/// Takes every account with all its bytes.
pub(crate) struct WholeInputs<F>(pub(crate) F);

impl<F: FnMut(Input<'_>)> TakeInputs for WholeInputs<F> {
    fn take(&mut self, input: Input<'_>, _account: Option<u32>) {
        self.0(input);
    }

    fn take_changes(&mut self, _changes: &AccountChanges<'_>) -> bool {
        false
    }
}

/// A new state of an account that has the owner and the length of its last state.
#[derive(Clone, Copy, Debug)]
pub struct AccountChanges<'a> {
    /// The account's number in the segment.
    pub number: u32,
    /// The account and the version of the new state.
    pub origin: Origin,
    /// Bytes of the account.
    pub length: usize,
    /// Its changes.
    pub patch: Patch<'a>,
}
