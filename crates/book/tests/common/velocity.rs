//! A book of Velocity, of its captured accounts.

use std::path::PathBuf;

use slotbook_book::{AccountUpdate, Applied, Book, BookConfig, Gate, MarketId};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::units::{Pubkey, Slot, UnixSeconds};

use super::{OrderBytes, key};

/// A slot shortly after the captured oracles.
pub(crate) const SLOT: u64 = 438_024_300;
/// A second at which no order of the converted users has expired.
const NOW: i64 = 1_738_894_000;
/// Key of the captured SOL-PERP.
pub(crate) const PERP: Pubkey = Pubkey([201; 32]);

/// A file of the recorded accounts.
pub(crate) fn golden(file: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../test/golden/velocity");
    std::fs::read(folder.join(file)).expect("a recorded file")
}

pub(crate) fn captured(name: &str) -> Vec<u8> {
    golden(&format!("velocity_{name}.bin"))
}

/// A user with these orders, which are as Drift v2 has them but for the oracle offset.
pub(crate) fn user(orders: &[(OrderBytes, i64)]) -> Vec<u8> {
    let mut data = vec![0; 4_496];
    data[..8].copy_from_slice(&[0x9f, 0x75, 0x5f, 0xe3, 0xef, 0x97, 0x3a, 0xec]);
    for (slot, (OrderBytes(order), offset)) in orders.iter().enumerate() {
        let bytes = &mut data[1_064 + slot * 104..][..104];
        bytes[..72].copy_from_slice(&order[..72]);
        bytes[72..80].copy_from_slice(&offset.to_le_bytes());
        bytes[80..99].copy_from_slice(&order[76..95]);
    }
    data
}

pub(crate) struct Scene {
    pub(crate) book: Book,
    pub(crate) slot: u64,
    /// The accounts as they were put.
    pub(crate) accounts: Vec<(Pubkey, Vec<u8>)>,
}

impl Scene {
    /// A book of the captured state.
    pub(crate) fn new(slot: u64) -> Self {
        let book = Book::new(BookConfig::from(Program::Velocity.id()));
        let mut scene = Self { book, slot, accounts: Vec::new() };
        scene.end_turn_at(slot);
        scene.put(key(200), &captured("state"));
        scene
    }

    /// A book of the captured markets and their oracles.
    pub(crate) fn with_markets(slot: u64) -> Self {
        let mut scene = Self::new(slot);
        scene.put(PERP, &captured("perp_market_0"));
        scene.put(key(202), &captured("spot_market_0"));
        for (of, name) in [(MarketType::Perp, "oracle_perp"), (MarketType::Spot, "oracle_spot")] {
            let id = scene.book.find_market(of, 0).expect("a captured market");
            let oracle = scene.book.market(id).expect("it is known").oracle;
            scene.put(oracle, &captured(name));
        }
        scene.end_turn_at(slot);
        scene
    }

    pub(crate) fn put(&mut self, pubkey: Pubkey, data: &[u8]) -> Applied {
        let (owner, slot, gate) = (Program::Velocity.id(), Slot(self.slot), Gate::Arrival);
        let applied = self.book.apply(AccountUpdate { pubkey, owner, slot, gate, data });
        self.book.check_integrity().expect("every invariant holds");
        self.accounts.push((pubkey, data.to_vec()));
        applied.expect("a well-formed account")
    }

    pub(crate) fn end_turn_at(&mut self, slot: u64) {
        self.slot = slot;
        self.book.set_clock(Slot(slot), UnixSeconds(NOW));
        self.book.end_turn(slot);
        self.book.check_integrity().expect("every invariant holds");
    }

    pub(crate) fn perp(&self) -> MarketId {
        self.book.find_market(MarketType::Perp, 0).expect("SOL-PERP is known")
    }
}
