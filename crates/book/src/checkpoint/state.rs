//! The fields of a captured state, in the order of its bytes.

use slotbook_protocol::model::units::{Pubkey, Slot, UnixSeconds};

use super::RestoreError;
use super::bytes::{Field, RawBytes, StateReader, fields, variants};
use crate::Side;
use crate::book::{SnapshotProgress, SnapshotReport};
use crate::markets::market::Change;
use crate::markets::quotes::{IndicativePolicy, MakerQuotes, Quoted};
use crate::model::clock::FeedState;
use crate::model::market::EmptyReason;
use crate::model::update::Version;

/// Format version: restore rejects any other.
pub(crate) const VERSION: u64 = 1;

/// The state that accounts do not contain.
#[derive(Debug)]
pub(crate) struct BookState {
    pub(crate) clock: (Slot, UnixSeconds),
    pub(crate) feed: FeedState,
    pub(crate) last_turn: Option<(Slot, FeedState)>,
    pub(crate) exchange: ExchangeState,
    pub(crate) markets: Vec<MarketState>,
    pub(crate) oracles: Vec<OracleState>,
    pub(crate) indicative: IndicativeState,
    pub(crate) snapshot: SnapshotProgress,
    pub(crate) users: UsersState,
    pub(crate) quarantined: Vec<Pubkey>,
}

/// The exchange's state account with its last well-formed bytes, because a malformed state does not
/// change the terms.
#[derive(Debug)]
pub(crate) struct ExchangeState {
    pub(crate) version: Version,
    pub(crate) data: RawBytes,
}

/// A market, listed in the order of ids.
#[derive(Debug)]
pub(crate) struct MarketState {
    pub(crate) account: Pubkey,
    pub(crate) version: Version,
    pub(crate) unusable: Option<EmptyReason>,
    /// The last well-formed bytes of a closed or malformed account; otherwise empty, because the
    /// accounts contain them.
    pub(crate) data: RawBytes,
    pub(crate) seq: u64,
    pub(crate) ts_ms: u64,
    pub(crate) last_change: Change,
    pub(crate) side_seqs: (u64, u64),
    pub(crate) auctions_revision: u64,
    pub(crate) last_quote_id: u32,
    pub(crate) quotes: Vec<MakerQuotes>,
}

/// An oracle account that a market names. An oracle that no market named when it arrived was not
/// stored.
#[derive(Debug)]
pub(crate) struct OracleState {
    pub(crate) key: Pubkey,
    pub(crate) version: Version,
    pub(crate) has_data: bool,
}

/// Settings and counters shared by all indicative quotes.
#[derive(Debug)]
pub(crate) struct IndicativeState {
    pub(crate) policy: IndicativePolicy,
    pub(crate) due_ms: Option<u64>,
}

/// The user accounts; the checkpoint's accounts contain those that are present.
#[derive(Debug)]
pub(crate) struct UsersState {
    pub(crate) present: usize,
    pub(crate) key_sum: u64,
    /// Closed and malformed accounts, whose keys reject older states.
    pub(crate) absent: Vec<(Pubkey, Version)>,
    /// During a snapshot: for each user, whether the snapshot has contained it, in the order of all
    /// user keys.
    pub(crate) mentioned: Vec<bool>,
}

impl BookState {
    /// Reads a state, which must use up all bytes.
    pub(crate) fn read(state: &[u8]) -> Result<Self, RestoreError> {
        let mut bytes = StateReader(state);
        let version = u64::get(&mut bytes)?;
        if version != VERSION {
            return Err(RestoreError::Version(version));
        }
        let state = Self::get(&mut bytes)?;
        if bytes.0.is_empty() { Ok(state) } else { Err(RestoreError::Malformed("bytes follow it")) }
    }
}

fields!(BookState {
    clock,
    feed,
    last_turn,
    exchange,
    markets,
    oracles,
    indicative,
    snapshot,
    users,
    quarantined,
});
fields!(ExchangeState { version, data });
fields!(MarketState {
    account,
    version,
    unusable,
    data,
    seq,
    ts_ms,
    last_change,
    side_seqs,
    auctions_revision,
    last_quote_id,
    quotes,
});
fields!(OracleState { key, version, has_data });
fields!(IndicativeState { policy, due_ms });
fields!(UsersState { present, key_sum, absent, mentioned });
fields!(Version { slot, write_version, seen });
fields!(SnapshotProgress { generation, slot, is_open, replaces, report });
fields!(SnapshotReport { seen, added, changed, removed });
fields!(MakerQuotes { maker, due_ms, orders });
fields!(Quoted { index, side, is_oracle_offset, price, size, order_id, slot });

variants!(FeedState:
    FeedState::Rebuilding, FeedState::Live, FeedState::Lagging, FeedState::Stale);
variants!(Change: Change::Nothing, Change::Indicative, Change::Quotes, Change::Book);
variants!(Side: Side::Bid, Side::Ask);
variants!(IndicativePolicy: IndicativePolicy::Join, IndicativePolicy::Improve);
variants!(EmptyReason: EmptyReason::MarketMalformed, EmptyReason::MarketClosed);
