//! What a stream asks for.

use std::collections::HashSet;

use tonic::Status;
use yellowstone_grpc_proto::geyser::{
    CommitmentLevel, SlotStatus, SubscribeRequest, SubscribeRequestFilterAccounts,
    SubscribeRequestFilterSlots, SubscribeRequestFilterTransactions, SubscribeUpdateAccountInfo,
    SubscribeUpdateTransactionInfo, subscribe_update::UpdateOneof,
};

type Key = Vec<u8>;

/// The filters of one request by their names. Those of a later request take their place.
#[derive(Default)]
pub(crate) struct Filters {
    accounts: Vec<(String, AccountFilter)>,
    slots: Vec<(String, SlotFilter)>,
    transactions: Vec<(String, TransactionFilter)>,
    blocks: Vec<String>,
    /// Whether the messages of a slot wait until it is confirmed.
    pub(crate) confirmed: bool,
}

/// Keys and owners that are wanted, both where both are given.
struct AccountFilter {
    keys: HashSet<Key>,
    owners: HashSet<Key>,
}

struct SlotFilter {
    /// This status alone, which is that of the request's commitment; none for all.
    alone: Option<SlotStatus>,
    /// Also what comes before a block is processed, and dead slots.
    between_slots: bool,
}

/// Accounts of which a transaction has at least one, all, or none.
struct TransactionFilter {
    include: HashSet<Key>,
    required: HashSet<Key>,
    exclude: HashSet<Key>,
    failed: Option<bool>,
}

impl Filters {
    /// Reads a request.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a key that is none, and `unimplemented` for what this server does not do: a reader
    /// must not take silence for an answer.
    pub(crate) fn read(request: SubscribeRequest) -> Result<Self, Status> {
        refuse_unknown(&request)?;
        let confirmed = request.commitment() == CommitmentLevel::Confirmed;
        let accounts = request.accounts.into_iter();
        let transactions = request.transactions.into_iter();
        Ok(Self {
            accounts: accounts
                .map(|(name, filter)| Ok((name, AccountFilter::read(&filter)?)))
                .collect::<Result<_, Status>>()?,
            slots: request
                .slots
                .into_iter()
                .map(|(name, filter)| (name, SlotFilter::read(filter, confirmed)))
                .collect(),
            transactions: transactions
                .map(|(name, filter)| Ok((name, TransactionFilter::read(&filter)?)))
                .collect::<Result<_, Status>>()?,
            blocks: request.blocks_meta.into_keys().collect(),
            confirmed,
        })
    }

    /// The names of the filters that want a message; none where the stream does not want it.
    pub(crate) fn names_for(&self, update: &UpdateOneof) -> Vec<String> {
        match update {
            UpdateOneof::Account(update) => update.account.as_ref().map_or_else(Vec::new, |info| {
                names(&self.accounts, |filter| filter.wants_account(info))
            }),
            UpdateOneof::Slot(update) => {
                names(&self.slots, |filter| filter.wants_status(update.status()))
            }
            UpdateOneof::Transaction(update) => {
                update.transaction.as_ref().map_or_else(Vec::new, |info| {
                    names(&self.transactions, |filter| filter.wants_transaction(info))
                })
            }
            UpdateOneof::BlockMeta(_) => self.blocks.clone(),
            _ => Vec::new(),
        }
    }
}

impl AccountFilter {
    fn read(filter: &SubscribeRequestFilterAccounts) -> Result<Self, Status> {
        let wants_contents = !filter.filters.is_empty()
            || filter.nonempty_txn_signature.is_some()
            || filter.cuckoo_accounts_filter.is_some();
        if wants_contents {
            return Err(Status::unimplemented("accounts are filtered by key and owner alone"));
        }
        Ok(Self { keys: read_keys(&filter.account)?, owners: read_keys(&filter.owner)? })
    }

    fn wants_account(&self, info: &SubscribeUpdateAccountInfo) -> bool {
        let has = |keys: &HashSet<Key>, key: &Key| keys.is_empty() || keys.contains(key);
        has(&self.keys, &info.pubkey) && has(&self.owners, &info.owner)
    }
}

impl SlotFilter {
    fn read(filter: SubscribeRequestFilterSlots, confirmed: bool) -> Self {
        let own = if confirmed { SlotStatus::SlotConfirmed } else { SlotStatus::SlotProcessed };
        Self {
            alone: filter.filter_by_commitment.unwrap_or(false).then_some(own),
            between_slots: filter.interslot_updates.unwrap_or(false),
        }
    }

    fn wants_status(&self, status: SlotStatus) -> bool {
        if let Some(alone) = self.alone {
            return status == alone;
        }
        let is_main = matches!(
            status,
            SlotStatus::SlotProcessed | SlotStatus::SlotConfirmed | SlotStatus::SlotFinalized
        );
        is_main || self.between_slots
    }
}

impl TransactionFilter {
    fn read(filter: &SubscribeRequestFilterTransactions) -> Result<Self, Status> {
        let wants_more = filter.signature.is_some()
            || filter.cuckoo_account_include.is_some()
            || filter.token_accounts.is_some();
        if wants_more {
            return Err(Status::unimplemented("transactions are filtered by accounts and outcome"));
        }
        Ok(Self {
            include: read_keys(&filter.account_include)?,
            required: read_keys(&filter.account_required)?,
            exclude: read_keys(&filter.account_exclude)?,
            failed: filter.failed,
        })
    }

    /// Votes are not asked about: this chain has none.
    fn wants_transaction(&self, info: &SubscribeUpdateTransactionInfo) -> bool {
        let keys = account_keys(info);
        let has_failed = info.meta.as_ref().is_some_and(|meta| meta.err.is_some());
        let is_included =
            self.include.is_empty() || self.include.iter().any(|key| keys.contains(key));
        is_included
            && self.required.iter().all(|key| keys.contains(key))
            && !self.exclude.iter().any(|key| keys.contains(key))
            && self.failed.is_none_or(|wanted| wanted == has_failed)
    }
}

fn account_keys(info: &SubscribeUpdateTransactionInfo) -> HashSet<&Key> {
    let message = info.transaction.iter().filter_map(|transaction| transaction.message.as_ref());
    let listed = message.flat_map(|message| &message.account_keys);
    let meta = info.meta.iter();
    listed
        .chain(meta.flat_map(|meta| {
            meta.loaded_writable_addresses.iter().chain(&meta.loaded_readonly_addresses)
        }))
        .collect()
}

fn refuse_unknown(request: &SubscribeRequest) -> Result<(), Status> {
    // In the words of a server that stores no slots.
    if request.from_slot.is_some() {
        return Err(Status::internal("from_slot is not supported"));
    }
    if request.commitment() == CommitmentLevel::Finalized {
        return Err(Status::unimplemented("commitment was finalized, must be a lower one"));
    }
    let wants_more = !request.transactions_status.is_empty()
        || !request.blocks.is_empty()
        || !request.entry.is_empty()
        || !request.block_footer.is_empty()
        || !request.accounts_data_slice.is_empty();
    if wants_more {
        let known = "accounts, slots, transactions and blocks_meta";
        return Err(Status::unimplemented(format!("a request asks for {known} alone")));
    }
    Ok(())
}

fn read_keys(texts: &[String]) -> Result<HashSet<Key>, Status> {
    texts
        .iter()
        .map(|text| {
            let bytes = bs58::decode(text).into_vec().ok().filter(|bytes| bytes.len() == 32);
            bytes.ok_or_else(|| {
                Status::invalid_argument(format!("key was {text}, must be base58 of 32 bytes"))
            })
        })
        .collect()
}

fn names<F>(filters: &[(String, F)], wants: impl Fn(&F) -> bool) -> Vec<String> {
    filters.iter().filter(|(_, filter)| wants(filter)).map(|(name, _)| name.clone()).collect()
}
