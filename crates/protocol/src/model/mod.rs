//! Users, orders, markets, oracles and the rules about them, whatever program wrote the accounts.

pub mod amm;
pub mod enums;
pub mod error;
pub mod fees;
pub mod fill;
pub mod oracle;
pub mod order;
pub mod price;
pub mod units;

pub use error::ProtocolError;
