//! Decodes a whole RPC response outside of the event loop, and stores it in Rust until it is
//! applied.

use napi::bindgen_prelude::{AsyncTask, ObjectFinalize, Uint8Array};
use napi::{Env, Result, Task};
use napi_derive::napi;
use slotbook_core::snapshot::decode;

use crate::convert::count;

/// The accounts of one RPC response, decoded. Opaque to JavaScript; see `Core.applySnapshot`.
#[napi(custom_finalize)]
pub struct PackedSnapshot {
    pub(crate) snapshot: slotbook_core::snapshot::PackedSnapshot,
}

#[napi]
impl PackedSnapshot {
    /// The slot at which the node read these accounts.
    #[napi(getter)]
    pub fn slot(&self) -> f64 {
        self.snapshot.slot() as f64
    }

    /// The number of accounts in the snapshot; accounts with invalid text are excluded and counted
    /// as problems.
    #[napi(getter)]
    pub fn count(&self) -> u32 {
        count(self.snapshot.count())
    }

    /// The number of the users' perp positions, which the market accounts count as well.
    #[napi(getter)]
    pub fn positions(&self) -> u32 {
        self.snapshot.positions()
    }

    /// Accounts that could not be decoded.
    #[napi(getter)]
    pub fn problem_count(&self) -> u32 {
        self.snapshot.problem_count()
    }

    /// The first problems as a JSON array of `{pubkey, code, message}`.
    #[napi]
    pub fn problems(&self) -> String {
        self.snapshot.problems()
    }

    /// Null when the response could be read, otherwise a code: `MALFORMED_SNAPSHOT`, `RPC_ERROR`,
    /// `SNAPSHOT_KEYS_MISMATCH` or `SNAPSHOT_BYTES_EXCEEDED`.
    #[napi(getter)]
    pub fn failure_code(&self) -> Option<String> {
        self.snapshot.failure().map(|failure| failure.code.to_owned())
    }

    /// What was wrong, for a log.
    #[napi(getter)]
    pub fn failure_message(&self) -> Option<String> {
        self.snapshot.failure().map(|failure| failure.message.clone())
    }

    /// Frees the memory of the accounts immediately instead of at the next garbage collection. The
    /// snapshot is empty afterwards.
    #[napi]
    pub fn release(&mut self, env: Env) -> Result<()> {
        let held = self.bytes_held();
        self.snapshot.release();
        env.adjust_external_memory(-held)?;
        Ok(())
    }
}

impl ObjectFinalize for PackedSnapshot {
    fn finalize(mut self, env: Env) -> Result<()> {
        self.release(env)
    }
}

impl PackedSnapshot {
    /// Bytes that this small object holds outside of the JavaScript heap, reported to the garbage
    /// collector.
    fn bytes_held(&self) -> i64 {
        i64::try_from(self.snapshot.bytes_held()).unwrap_or(i64::MAX)
    }
}

/// The work of `decodeSnapshot`, done on a thread of libuv's pool.
pub struct DecodeSnapshot {
    body: Uint8Array,
    keys: Vec<String>,
}

impl Task for DecodeSnapshot {
    type Output = PackedSnapshot;
    type JsValue = PackedSnapshot;

    fn compute(&mut self) -> Result<PackedSnapshot> {
        Ok(PackedSnapshot { snapshot: decode(self.body.as_ref(), &self.keys) })
    }

    fn resolve(&mut self, env: Env, output: PackedSnapshot) -> Result<PackedSnapshot> {
        env.adjust_external_memory(output.bytes_held())?;
        Ok(output)
    }
}

/// Decodes the body of getProgramAccounts (requested with context), or of getMultipleAccounts when
/// `keys` are its keys, on another thread. Never rejects: see `PackedSnapshot.failureCode`.
///
/// The body must not change until the promise settles.
#[napi(ts_return_type = "Promise<PackedSnapshot>")]
pub fn decode_snapshot(body: Uint8Array, keys: Vec<String>) -> AsyncTask<DecodeSnapshot> {
    AsyncTask::new(DecodeSnapshot { body, keys })
}
