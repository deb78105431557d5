//! What the chain reports as messages of the protocol.

use agave_geyser_plugin_interface::geyser_plugin_interface::{
    ReplicaAccountInfoV3, ReplicaBlockInfoV4, ReplicaTransactionInfoV3,
};
use yellowstone_grpc_proto::{
    geyser::{
        SlotStatus, SubscribeUpdateAccount, SubscribeUpdateAccountInfo, SubscribeUpdateBlockMeta,
        SubscribeUpdateSlot, SubscribeUpdateTransaction, SubscribeUpdateTransactionInfo,
    },
    solana::storage::confirmed_block::{
        BlockHeight, CompiledInstruction, Message, MessageAddressTableLookup, MessageHeader,
        Transaction, TransactionError, TransactionStatusMeta, UnixTimestamp,
    },
};

/// One write of one account.
pub(crate) fn account(
    account: &ReplicaAccountInfoV3<'_>,
    slot: u64,
    is_startup: bool,
) -> SubscribeUpdateAccount {
    let info = SubscribeUpdateAccountInfo {
        pubkey: account.pubkey.to_vec(),
        lamports: account.lamports,
        owner: account.owner.to_vec(),
        executable: account.executable,
        rent_epoch: account.rent_epoch,
        data: account.data.to_vec(),
        write_version: account.write_version,
        txn_signature: account.txn.map(|transaction| transaction.signature().as_ref().to_vec()),
    };
    SubscribeUpdateAccount { account: Some(info), slot, is_startup, bank_id: None }
}

/// A new status of a slot.
pub(crate) fn slot(slot: u64, parent: Option<u64>, status: SlotStatus) -> SubscribeUpdateSlot {
    SubscribeUpdateSlot { slot, parent, status: status.into(), dead_error: None, bank_id: None }
}

/// The head of a block.
pub(crate) fn block(block: &ReplicaBlockInfoV4<'_>) -> SubscribeUpdateBlockMeta {
    SubscribeUpdateBlockMeta {
        slot: block.slot,
        blockhash: block.blockhash.to_owned(),
        rewards: None,
        block_time: block.block_time.map(|timestamp| UnixTimestamp { timestamp }),
        block_height: block.block_height.map(|block_height| BlockHeight { block_height }),
        parent_slot: block.parent_slot,
        parent_blockhash: block.parent_blockhash.to_owned(),
        executed_transaction_count: block.executed_transaction_count,
        entries_count: block.entry_count,
        bank_id: 0,
    }
}

/// A transaction with what became of it, without its inner instructions and token balances: no reader wants them.
pub(crate) fn transaction(
    info: &ReplicaTransactionInfoV3<'_>,
    slot: u64,
) -> SubscribeUpdateTransaction {
    let transaction = SubscribeUpdateTransactionInfo {
        signature: info.signature.as_ref().to_vec(),
        is_vote: info.is_vote,
        transaction: Some(signed_message(info)),
        meta: Some(outcome(info)),
        index: info.index as u64,
    };
    SubscribeUpdateTransaction { transaction: Some(transaction), slot, bank_id: 0 }
}

fn signed_message(info: &ReplicaTransactionInfoV3<'_>) -> Transaction {
    let message = &info.transaction.message;
    let header = message.header();
    let lookups = message.address_table_lookups();
    Transaction {
        signatures: byte_strings(&info.transaction.signatures),
        message: Some(Message {
            header: Some(MessageHeader {
                num_required_signatures: header.num_required_signatures.into(),
                num_readonly_signed_accounts: header.num_readonly_signed_accounts.into(),
                num_readonly_unsigned_accounts: header.num_readonly_unsigned_accounts.into(),
            }),
            account_keys: byte_strings(message.static_account_keys()),
            recent_blockhash: message.recent_blockhash().as_ref().to_vec(),
            instructions: message
                .instructions()
                .iter()
                .map(|instruction| CompiledInstruction {
                    program_id_index: instruction.program_id_index.into(),
                    accounts: instruction.accounts.clone(),
                    data: instruction.data.clone(),
                })
                .collect(),
            versioned: lookups.is_some(),
            address_table_lookups: lookups
                .unwrap_or_default()
                .iter()
                .map(|lookup| MessageAddressTableLookup {
                    account_key: lookup.account_key.as_ref().to_vec(),
                    writable_indexes: lookup.writable_indexes.clone(),
                    readonly_indexes: lookup.readonly_indexes.clone(),
                })
                .collect(),
            config: None,
        }),
    }
}

fn outcome(info: &ReplicaTransactionInfoV3<'_>) -> TransactionStatusMeta {
    let meta = info.transaction_status_meta;
    // The error in the form of the ledger, as the protocol has it.
    let error = meta
        .status
        .as_ref()
        .err()
        .map(|error| TransactionError { err: bincode::serialize(error).unwrap_or_default() });
    TransactionStatusMeta {
        err: error,
        fee: meta.fee,
        pre_balances: meta.pre_balances.clone(),
        post_balances: meta.post_balances.clone(),
        inner_instructions_none: true,
        log_messages: meta.log_messages.clone().unwrap_or_default(),
        log_messages_none: meta.log_messages.is_none(),
        loaded_writable_addresses: byte_strings(&meta.loaded_addresses.writable),
        loaded_readonly_addresses: byte_strings(&meta.loaded_addresses.readonly),
        return_data_none: true,
        compute_units_consumed: meta.compute_units_consumed,
        cost_units: meta.cost_units,
        ..TransactionStatusMeta::default()
    }
}

fn byte_strings(keys: &[impl AsRef<[u8]>]) -> Vec<Vec<u8>> {
    keys.iter().map(|key| key.as_ref().to_vec()).collect()
}
