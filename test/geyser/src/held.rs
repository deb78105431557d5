//! What waits until its slot is confirmed.

use std::{mem, sync::Arc};

use tonic::Status;
use yellowstone_grpc_proto::geyser::{SlotStatus, subscribe_update::UpdateOneof};

use crate::server::{BEHIND_MAX, Notice};

/// The messages of one stream whose slots are not confirmed yet.
#[derive(Default)]
pub(crate) struct HeldNotices {
    confirmed: u64,
    waiting: Vec<Arc<Notice>>,
}

impl HeldNotices {
    /// Takes a message, and returns those that are due then, in their order: before the status that confirms a slot
    /// all that was in it.
    ///
    /// # Errors
    ///
    /// `data_loss` when more wait than a stream may be behind.
    pub(crate) fn take_due(&mut self, notice: Arc<Notice>) -> Result<Vec<Arc<Notice>>, Status> {
        let Some(slot) = slot_of(&notice.update) else {
            return Ok(self.confirm(notice));
        };
        if slot <= self.confirmed {
            return Ok(vec![notice]);
        }
        if self.waiting.len() == BEHIND_MAX {
            return Err(Status::data_loss(format!("{BEHIND_MAX} messages wait for their slots")));
        }
        self.waiting.push(notice);
        Ok(Vec::new())
    }

    fn confirm(&mut self, notice: Arc<Notice>) -> Vec<Arc<Notice>> {
        let UpdateOneof::Slot(update) = &notice.update else { return vec![notice] };
        if update.status() != SlotStatus::SlotConfirmed {
            return vec![notice];
        }
        self.confirmed = update.slot;
        let (mut due, waiting) = mem::take(&mut self.waiting)
            .into_iter()
            .partition::<Vec<_>, _>(|held| slot_of(&held.update) <= Some(update.slot));
        self.waiting = waiting;
        due.push(Arc::clone(&notice));
        due
    }
}

/// The slot of what is in one; none for the status of a slot.
fn slot_of(update: &UpdateOneof) -> Option<u64> {
    match update {
        UpdateOneof::Account(update) => Some(update.slot),
        UpdateOneof::Transaction(update) => Some(update.slot),
        UpdateOneof::BlockMeta(update) => Some(update.slot),
        _ => None,
    }
}
