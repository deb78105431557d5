//! `onchain-maker-order`: where the program's search puts makers of equal price.

use serde_json::Value;
use slotbook_matching::onchain::makers::{Ranked, insert};
use slotbook_protocol::model::units::Price;

use super::fees::direction;
use crate::report::Outcome;
use crate::value::{Malformed, integer_of, list};

/// The insert indexes in the resulting order.
pub(super) fn judge_order(case: &Value) -> Result<Outcome, Malformed> {
    let side = direction(case, "makerDirection")?;
    let mut ranked = Vec::new();
    for (index, price) in numbers(case, "pricesInInsertOrder")?.into_iter().enumerate() {
        insert(&mut ranked, Ranked { index, price: Price(price) }, side);
    }
    let ours: Vec<u64> = ranked.iter().map(|maker| maker.index as u64).collect();
    let recorded = numbers(case, "expectedInsertIndexOrder")?;
    Ok(Outcome::compare("order", &ours, &recorded))
}

fn numbers(value: &Value, key: &str) -> Result<Vec<u64>, Malformed> {
    let number = |value: &Value| {
        integer_of(value)
            .and_then(|number| u64::try_from(number).ok())
            .ok_or_else(|| Malformed(format!("{key} holds {value}")))
    };
    list(value, key)?.iter().map(number).collect()
}
