//! The accounts of a segment by their numbers, each with its last bytes.

use slotbook_protocol::units::Pubkey;

use crate::error::{Fault, check_length};
use crate::input::Gate;
use crate::limits::{ACCOUNT_BYTES_MAX, ACCOUNTS_MAX};
use crate::patch::{apply_patch, put_packed};

/// One account as of its last record. Its bytes are stored as a patch of zeros: user accounts are mostly
/// zeros.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) pubkey: Pubkey,
    pub(crate) owner: Pubkey,
    pub(crate) slot: u64,
    pub(crate) gate: Gate,
    /// Bytes of the account; 0 when it is closed.
    length: usize,
    packed: Box<[u8]>,
}

impl Account {
    /// An account of which nothing is known but its key.
    pub(crate) fn new(pubkey: Pubkey) -> Self {
        let owner = Pubkey([0; 32]);
        let (slot, gate) = (0, Gate::Arrival);
        Self { pubkey, owner, slot, gate, length: 0, packed: Box::new([0]) }
    }

    /// Bytes of the account.
    pub(crate) const fn length(&self) -> usize {
        self.length
    }

    /// The patch from zeros to the account's bytes.
    pub(crate) fn packed(&self) -> &[u8] {
        &self.packed
    }

    /// Writes the account's bytes into `out`.
    pub(crate) fn unpack(&self, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.clear();
        out.resize(self.length, 0);
        apply_patch(&self.packed, out)
    }

    /// Replaces the account's bytes. `scratch` is memory that is used again.
    pub(crate) fn replace(&mut self, data: &[u8], scratch: &mut Vec<u8>) {
        scratch.clear();
        put_packed(scratch, data);
        self.length = data.len();
        if self.packed.len() == scratch.len() {
            self.packed.copy_from_slice(scratch);
        } else {
            self.packed = Box::from(&scratch[..]);
        }
    }
}

/// The accounts by number. A number that was given up is not used again within a segment.
#[derive(Debug, Default)]
pub(crate) struct AccountTable {
    accounts: Vec<Option<Account>>,
}

impl AccountTable {
    /// The number that the next new account gets.
    pub(crate) fn next_number(&self) -> usize {
        self.accounts.len()
    }

    /// Adds an account; returns its number.
    pub(crate) fn add(&mut self, account: Account) -> Result<usize, Fault> {
        check_length("ACCOUNTS_MAX", self.accounts.len() + 1, ACCOUNTS_MAX)?;
        self.accounts.push(Some(account));
        Ok(self.accounts.len() - 1)
    }

    pub(crate) fn get(&self, number: usize) -> Option<&Account> {
        self.accounts.get(number)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, number: usize) -> Option<&mut Account> {
        self.accounts.get_mut(number)?.as_mut()
    }

    pub(crate) fn remove(&mut self, number: usize) -> Option<Account> {
        self.accounts.get_mut(number)?.take()
    }

    /// Gives the accounts new numbers, without holes and in the same order.
    pub(crate) fn renumber(&mut self) {
        self.accounts.retain(Option::is_some);
    }

    /// The accounts in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Account> {
        self.accounts.iter().flatten()
    }

    /// Bytes that the table holds on the heap: its rows and the packed accounts.
    pub(crate) fn bytes_held(&self) -> usize {
        let packed: usize = self.iter().map(|account| account.packed.len()).sum();
        packed + self.accounts.capacity() * size_of::<Option<Account>>()
    }
}

/// Checks the length of an account.
pub(crate) const fn check_account(length: usize) -> Result<(), Fault> {
    check_length("ACCOUNT_BYTES_MAX", length, ACCOUNT_BYTES_MAX)
}
