//! The chain's side: its callbacks become messages.

use std::{fmt, fs, net::TcpListener, time::Duration};

use agave_geyser_plugin_interface::geyser_plugin_interface::{
    GeyserPlugin, GeyserPluginError, ReplicaAccountInfoVersions, ReplicaBlockInfoVersions,
    ReplicaTransactionInfoVersions, Result, SlotStatus as ChainStatus,
};
use tokio::runtime::{Builder, Runtime};
use yellowstone_grpc_proto::geyser::{SlotStatus, subscribe_update::UpdateOneof};

use crate::{messages, server::Hub};

/// One thread takes what the chain reports, the other writes to streams.
const SERVER_THREADS: usize = 2;
/// How long streams may take to end when the plugin is unloaded: their code goes with it.
const UNLOAD_TIME_MAX: Duration = Duration::from_secs(2);

/// The plugin; it serves from its load on.
#[derive(Default)]
pub(crate) struct YellowstonePlugin {
    hub: Hub,
    runtime: Option<Runtime>,
}

impl fmt::Debug for YellowstonePlugin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("YellowstonePlugin").finish_non_exhaustive()
    }
}

impl GeyserPlugin for YellowstonePlugin {
    fn name(&self) -> &'static str {
        "slotbook-geyser"
    }

    /// Serves on the `address` of the file, a loopback address with its port.
    fn on_load(&mut self, config_file: &str, _is_reload: bool) -> Result<()> {
        let listener = TcpListener::bind(read_address(config_file)?)?;
        listener.set_nonblocking(true)?;
        let runtime =
            Builder::new_multi_thread().worker_threads(SERVER_THREADS).enable_all().build()?;
        runtime.spawn(self.hub.clone().serve(listener));
        self.runtime = Some(runtime);
        Ok(())
    }

    fn on_unload(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(UNLOAD_TIME_MAX);
        }
    }

    fn transaction_notifications_enabled(&self) -> bool {
        true
    }

    fn update_account(
        &self,
        account: ReplicaAccountInfoVersions<'_>,
        slot: u64,
        is_startup: bool,
    ) -> Result<()> {
        let ReplicaAccountInfoVersions::V0_0_3(account) = account else {
            return Err(unknown_version("account"));
        };
        self.hub.send(UpdateOneof::Account(messages::account(account, slot, is_startup)));
        Ok(())
    }

    /// Surfpool confirms a slot when it ends and begins the next; a validator says each by itself.
    fn update_slot_status(
        &self,
        slot: u64,
        parent: Option<u64>,
        status: &ChainStatus,
    ) -> Result<()> {
        let send = |slot, parent, status| {
            self.hub.send(UpdateOneof::Slot(messages::slot(slot, parent, status)));
        };
        match status {
            ChainStatus::Confirmed => {
                send(slot, parent, SlotStatus::SlotProcessed);
                send(slot, parent, SlotStatus::SlotConfirmed);
                send(slot + 1, Some(slot), SlotStatus::SlotCreatedBank);
            }
            ChainStatus::Rooted => send(slot, parent, SlotStatus::SlotFinalized),
            ChainStatus::Dead(_) => send(slot, parent, SlotStatus::SlotDead),
            // Surfpool reports none of these.
            ChainStatus::Processed
            | ChainStatus::FirstShredReceived
            | ChainStatus::Completed
            | ChainStatus::CreatedBank => {}
        }
        Ok(())
    }

    fn notify_transaction(
        &self,
        transaction: ReplicaTransactionInfoVersions<'_>,
        slot: u64,
    ) -> Result<()> {
        let ReplicaTransactionInfoVersions::V0_0_3(transaction) = transaction else {
            return Err(unknown_version("transaction"));
        };
        self.hub.send(UpdateOneof::Transaction(messages::transaction(transaction, slot)));
        Ok(())
    }

    fn notify_block_metadata(&self, block: ReplicaBlockInfoVersions<'_>) -> Result<()> {
        let ReplicaBlockInfoVersions::V0_0_4(block) = block else {
            return Err(unknown_version("block"));
        };
        self.hub.send(UpdateOneof::BlockMeta(messages::block(block)));
        Ok(())
    }
}

fn read_address(config_file: &str) -> Result<String> {
    let text = fs::read_to_string(config_file)?;
    let address = serde_json::from_str::<serde_json::Value>(&text)
        .ok()
        .and_then(|config| config.get("address")?.as_str().map(str::to_owned));
    address.ok_or_else(|| GeyserPluginError::ConfigFileReadError {
        msg: format!("{config_file} has no address, must be one such as 127.0.0.1:10000"),
    })
}

fn unknown_version(what: &str) -> GeyserPluginError {
    GeyserPluginError::Custom(format!("the chain reports a {what} of an unknown version").into())
}
