//! The accounts of a segment by number, with their last bytes.

use slotbook_protocol::model::units::Pubkey;

use crate::error::{Fault, check_length};
use crate::input::Gate;
use crate::limits::{ACCOUNT_BYTES_MAX, ACCOUNTS_BYTES_MAX, ACCOUNTS_MAX};
use crate::patch::{Patch, apply_patches, put_packed};

/// The last state of one account. It is stored as patches from zeros, because user accounts are
/// mostly zeros; a reader stores an account uncompressed when its bytes are needed, or take less
/// memory than its patches.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) pubkey: Pubkey,
    pub(crate) owner: Pubkey,
    pub(crate) slot: u64,
    pub(crate) gate: Gate,
    /// Bytes of the account; 0 when it is closed.
    length: usize,
    /// Patches from zeros, one after the other. Unused while plain bytes exist.
    packed: Vec<u8>,
    plain: Option<Vec<u8>>,
}

impl Account {
    /// A new account of which only the key is known.
    pub(crate) fn new(pubkey: Pubkey) -> Self {
        let owner = Pubkey([0; 32]);
        let (slot, gate) = (0, Gate::Arrival);
        Self { pubkey, owner, slot, gate, length: 0, packed: vec![0], plain: None }
    }

    /// Bytes of the account.
    pub(crate) const fn length(&self) -> usize {
        self.length
    }

    /// Returns the patch from zeros to the account's bytes. The account must be stored as one patch.
    pub(crate) fn packed(&self) -> &[u8] {
        &self.packed
    }

    /// The account's bytes, if stored uncompressed.
    pub(crate) fn plain(&self) -> Option<&[u8]> {
        self.plain.as_deref()
    }

    /// Writes the account's bytes to `out`.
    pub(crate) fn unpack(&self, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.clear();
        if let Some(plain) = &self.plain {
            out.extend_from_slice(plain);
            return Ok(());
        }
        out.resize(self.length, 0);
        apply_patches(&self.packed, out)
    }

    /// Replaces the account's bytes. `scratch` is a reused buffer.
    fn replace(&mut self, data: &[u8], scratch: &mut Vec<u8>) {
        scratch.clear();
        put_packed(scratch, data);
        self.length = data.len();
        self.plain = None;
        if self.packed.len() == scratch.len() {
            self.packed.copy_from_slice(scratch);
        } else {
            self.packed = scratch.clone();
        }
    }

    /// Resizes the account and applies a patch. An empty account is then stored as the patch, any
    /// other account uncompressed.
    fn patch(&mut self, length: usize, patch: &Patch<'_>) -> Result<(), Fault> {
        patch.check_length(length)?;
        if self.length == 0 && self.plain.is_none() {
            self.packed = patch.bytes.to_vec();
        } else {
            let plain = self.make_plain()?;
            plain.resize(length, 0);
            apply_patches(patch.bytes, plain)?;
        }
        self.length = length;
        Ok(())
    }

    /// Stores a patch of the same length.
    pub(crate) fn defer(&mut self, patch: &Patch<'_>) -> Result<(), Fault> {
        if self.plain.is_some() || self.packed.len() + patch.bytes.len() > self.length / 2 {
            return self.patch(self.length, patch);
        }
        patch.check_length(self.length)?;
        self.packed.extend_from_slice(patch.bytes);
        Ok(())
    }

    fn make_plain(&mut self) -> Result<&mut Vec<u8>, Fault> {
        if self.plain.is_none() {
            let mut plain = Vec::new();
            self.unpack(&mut plain)?;
            self.packed = Vec::new();
            self.plain = Some(plain);
        }
        Ok(self.plain.get_or_insert_default())
    }
}

/// The accounts by number. Freed numbers are not reused within a segment.
#[derive(Debug, Default)]
pub(crate) struct AccountTable {
    accounts: Vec<Option<Account>>,
    /// The total length of all accounts.
    length: usize,
}

impl AccountTable {
    /// The number of the next new account.
    pub(crate) fn next_number(&self) -> usize {
        self.accounts.len()
    }

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

    /// Replaces the bytes of an account. `scratch` is a reused buffer.
    pub(crate) fn replace(
        &mut self,
        number: usize,
        data: &[u8],
        scratch: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let account = self.resized(number, data.len())?;
        account.replace(data, scratch);
        Ok(())
    }

    /// Resizes an account and applies a patch.
    pub(crate) fn patch(
        &mut self,
        number: usize,
        length: usize,
        patch: &Patch<'_>,
    ) -> Result<(), Fault> {
        self.resized(number, length)?.patch(length, patch)
    }

    /// An account, after checking a new length.
    fn resized(&mut self, number: usize, length: usize) -> Result<&mut Account, Fault> {
        let Some(account) = self.accounts.get_mut(number).and_then(Option::as_mut) else {
            return Err(Fault::Malformed("a record is about an account that was forgotten"));
        };
        let length = self.length - account.length + length;
        check_length("ACCOUNTS_BYTES_MAX", length, ACCOUNTS_BYTES_MAX)?;
        self.length = length;
        Ok(account)
    }

    pub(crate) fn remove(&mut self, number: usize) -> Option<Account> {
        let account = self.accounts.get_mut(number)?.take()?;
        self.length -= account.length;
        Some(account)
    }

    /// Renumbers the accounts consecutively, in the same order.
    pub(crate) fn renumber(&mut self) {
        self.accounts.retain(Option::is_some);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Account> {
        self.accounts.iter().flatten()
    }

    /// The accounts with their numbers.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (usize, &Account)> {
        let accounts = self.accounts.iter().enumerate();
        accounts.filter_map(|(number, account)| Some((number, account.as_ref()?)))
    }

    /// Heap bytes of the table: its rows and the packed accounts.
    pub(crate) fn bytes_held(&self) -> usize {
        let held = |account: &Account| {
            account.packed.capacity() + account.plain.as_ref().map_or(0, Vec::capacity)
        };
        let packed: usize = self.iter().map(held).sum();
        packed + self.accounts.capacity() * size_of::<Option<Account>>()
    }
}

pub(crate) const fn check_account(length: usize) -> Result<(), Fault> {
    check_length("ACCOUNT_BYTES_MAX", length, ACCOUNT_BYTES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::{Fields, put_length};
    use crate::input::Checkpoint;
    use crate::patch::{put_patch, take_patch};
    use crate::reader::Reader;
    use crate::record::{Context, Mention, flag, kind, put_head, put_mention};
    use crate::segment::{BlockMoment, BlockWriter, put_preamble};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_patched_account_has_the_bytes_of_a_replaced_one(
            states in prop::collection::vec(prop::collection::vec(0_u8..3, 0..60), 1..10),
        ) {
            let (mut patched, mut replaced) = (AccountTable::default(), AccountTable::default());
            let (mut scratch, mut bytes, mut expected) = (Vec::new(), Vec::new(), Vec::new());
            for table in [&mut patched, &mut replaced] {
                table.add(Account::new(Pubkey([1; 32]))).unwrap();
            }
            for state in states {
                replaced.get(0).unwrap().unpack(&mut expected).unwrap();
                expected.resize(state.len(), 0);
                let mut patch = Vec::new();
                put_patch(&mut patch, &expected, &state);
                replaced.replace(0, &state, &mut scratch).unwrap();
                let patch = take_patch(&mut Fields::new(&patch), state.len()).unwrap();
                patched.patch(0, state.len(), &patch).unwrap();
                let account = patched.get(0).unwrap();
                account.unpack(&mut bytes).unwrap();
                prop_assert_eq!(&bytes, &state);
                prop_assert_eq!(account.length(), state.len());
                prop_assert_eq!([patched.length, replaced.length], [state.len(); 2]);
            }
        }
    }

    proptest! {
        #[test]
        fn patches_that_wait_are_in_the_bytes(
            changes in prop::collection::vec((0_usize..300, 0_u8..4), 1..40),
        ) {
            let (mut account, mut scratch) = (Account::new(Pubkey([1; 32])), Vec::new());
            let (mut state, mut bytes) = (vec![1; 300], Vec::new());
            account.replace(&state, &mut scratch);
            for (at, byte) in changes {
                let (old, mut patch) = (state.clone(), Vec::new());
                state[at] = byte;
                put_patch(&mut patch, &old, &state);
                let patch = take_patch(&mut Fields::new(&patch), state.len()).unwrap();
                account.defer(&patch).unwrap();
                account.unpack(&mut bytes).unwrap();
                prop_assert_eq!(&bytes, &state);
                prop_assert!(account.packed.len() <= state.len() / 2);
            }
        }
    }

    #[test]
    fn a_checkpoint_of_few_bytes_and_endless_accounts_is_refused() {
        let (seqs, state, epoch) = (&[][..], &[][..], "epoch-1");
        let checkpoint = Checkpoint { epoch, ts_ms: 7, slot: 8, unix_seconds: 9, seqs, state };
        let mut plain = Vec::new();
        put_head(&mut plain, &Pubkey([9; 32]), 3, 300, &checkpoint);
        let mut context = Context::default();
        for number in 0..300 {
            let mention = Mention { number, slot: 8, gate: Gate::Arrival };
            put_mention(&mut plain, (kind::ACCOUNT, flag::NEW), &mention, &mut context);
            plain.extend([number.to_le_bytes()[0]; 64]);
            put_length(&mut plain, ACCOUNT_BYTES_MAX);
            plain.push(0);
        }
        let mut file = Vec::new();
        put_preamble(&mut file);
        let mut blocks = BlockWriter::new().unwrap();
        blocks.put_block(&mut file, &plain, BlockMoment::default()).unwrap();
        assert!(file.len() < 30_000);
        let mut reader = Reader::new();
        reader.push(&file);
        let error = reader.find().unwrap_err();
        assert_eq!(error.fault.code(), "JOURNAL_BYTES_EXCEEDED");
        assert!(reader.origins().count() <= ACCOUNTS_BYTES_MAX / ACCOUNT_BYTES_MAX + 1);
    }
}
