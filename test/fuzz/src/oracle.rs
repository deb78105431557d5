//! Oracle accounts of every source, and what their readings are worth.

use slotbook_protocol::drift::PROGRAM_ID;
use slotbook_protocol::model::Program;
use slotbook_protocol::model::clock::SlotClock;
use slotbook_protocol::model::enums::OracleSource;
use slotbook_protocol::model::error::ProtocolError;
use slotbook_protocol::model::oracle::{
    MmOracle, OracleGuardRails, OracleReading, OracleValidity, PYTH_PROGRAM, PYTH_RECEIVER_PROGRAM,
    SWITCHBOARD_ON_DEMAND_PROGRAM, SWITCHBOARD_PROGRAM, mm_oracle_reading,
    usable_for_offset_orders, validity,
};
use slotbook_protocol::model::units::{OraclePrice, PRICE_PRECISION, Pubkey, Slot};

use crate::input::Input;

/// Bytes of an account that an input can describe: more than the longest kind has.
const ACCOUNT_BYTES_MAX: u16 = 4_096;

/// An owner of oracles, the least bytes of its accounts, and whether they may be longer.
const OWNERS: [(Pubkey, usize, bool); 6] = [
    (PYTH_PROGRAM, 240, true),
    (PYTH_RECEIVER_PROGRAM, 133, true),
    (SWITCHBOARD_PROGRAM, 3_851, true),
    (SWITCHBOARD_ON_DEMAND_PROGRAM, 3_208, true),
    (PROGRAM_ID, 48, false),
    (Pubkey([7; 32]), 0, true),
];

/// When and beside what a reading is judged.
struct Moment {
    slot: Slot,
    twap: OraclePrice,
    confidence_multiplier: u64,
    mm: MmOracle,
}

/// A byte of source, one of owner, the moment, two bytes of length, and the steps of the account.
pub(crate) fn run(input: &[u8]) {
    let mut input = Input::new(input);
    let source = OracleSource::ALL[usize::from(input.byte()) % OracleSource::ALL.len()];
    let (owner, bytes_min, may_be_longer) = OWNERS[usize::from(input.byte()) % OWNERS.len()];
    let moment = Moment {
        slot: Slot(input.word()),
        twap: OraclePrice(input.word().cast_signed()),
        confidence_multiplier: input.word() % 100,
        mm: MmOracle {
            price: OraclePrice(input.word().cast_signed()),
            slot: Slot(input.word()),
            sequence_id: input.word(),
        },
    };
    let length = u16::from_le_bytes(input.take()) % ACCOUNT_BYTES_MAX;
    let mut data = vec![0; length.into()];
    input.write_over(&mut data);
    let Ok(reading) = Program::Drift.oracle(source, &owner, &data) else {
        return;
    };
    let again = |data: &[u8]| Program::Drift.oracle(source, &owner, data);
    let longer = [&data[..], &[1]].concat();
    assert_eq!(again(&longer).ok(), may_be_longer.then_some(reading), "what follows is not read");
    assert!(data.len() >= bytes_min, "an account has its least length");
    for cut in [bytes_min - 1, bytes_min / 2, 0] {
        assert!(again(&data[..cut]).is_err(), "a cut account is an error");
    }
    let stranger = Program::Drift.oracle(source, &Pubkey([9; 32]), &data);
    assert_eq!(stranger, Err(ProtocolError::WrongOwner { owner: Pubkey([9; 32]) }));
    check_reading(&reading, source, &moment);
}

fn check_reading(reading: &OracleReading, source: OracleSource, moment: &Moment) {
    let rails = OracleGuardRails::default();
    let at = |slot| {
        let multiplier = moment.confidence_multiplier;
        let published = Program::Drift.published(reading, slot, source);
        let age = SlotClock::from(slot).units_since(published);
        validity(reading, &rails, moment.twap, multiplier, age, source)
    };
    let now = at(moment.slot);
    let is_positive = reading.price.0 > 0;
    assert_eq!(is_positive, now != OracleValidity::NonPositive, "no price is worth nothing");
    let later = at(Slot(moment.slot.0.saturating_add(1)));
    assert!(later <= now, "a price does not get better by waiting");
    let _ = usable_for_offset_orders(now);
    let mm = mm_oracle_reading(reading, &moment.mm, &rails, moment.twap, moment.slot);
    assert!(mm.confidence >= reading.confidence, "the makers' oracle is not the surer one");
    let is_stable = matches!(
        source,
        OracleSource::PythStableCoin
            | OracleSource::PythStableCoinPull
            | OracleSource::PythLazerStableCoin
    );
    let one = PRICE_PRECISION.cast_signed();
    let is_near = reading.price.0.abs_diff(one) <= reading.confidence.min(500);
    assert!(!is_stable || !is_near || reading.price.0 == one, "near one is one");
}
