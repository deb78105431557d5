//! Which state of an account is newer.

use crate::apply::accounts::{AccountUpdate, Gate};

/// The version of the newest state that was applied of one account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) slot: u64,
    write_version: u64,
    /// False until a first state is applied.
    seen: bool,
}

impl Version {
    /// True when the update is to be applied. `replaces` is for snapshots of a book that is being
    /// rebuilt: they win whatever the slots.
    pub(crate) fn admits(&self, update: &AccountUpdate<'_>, replaces: bool) -> bool {
        match update.gate {
            _ if !self.seen => true,
            Gate::Arrival => true,
            Gate::Snapshot => replaces || update.slot.0 > self.slot,
            Gate::WriteVersion(version) => {
                (update.slot.0, version) > (self.slot, self.write_version)
            }
        }
    }

    /// Takes over the version of an update that was admitted.
    pub(crate) fn accept(&mut self, update: &AccountUpdate<'_>) {
        self.slot = update.slot.0;
        self.seen = true;
        self.write_version = match update.gate {
            Gate::WriteVersion(version) => version,
            Gate::Arrival | Gate::Snapshot => 0,
        };
    }
}
