//! The formats of records, and how a member of one is written.

use crate::order_lives::Outcome;

/// A format of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Slotbook's own.
    Spec,
    /// That of the Drift v2 data API.
    Records,
    /// Its placed orders: actions come before them, oldest first, and are not written themselves.
    Orders,
    /// That of its older paths: the program's integers as text, and trades as JSON in a string.
    Named,
    /// Of the market data stream, in human units.
    Stream,
    /// Of the compatible channel of trades.
    Channel,
    /// The members of `Records` as lines of RFC 4180.
    Csv,
}

/// The value of a member.
#[derive(Clone, Copy, Debug)]
pub(crate) enum From {
    /// A value of the record: the struct that has it, or empty, and its field.
    Value(&'static str, &'static str),
    /// The signature of the transaction.
    Signature,
    /// The index of the record among the program's events of the transaction.
    Index,
    /// The slot of the transaction.
    Slot,
    /// The name of the market.
    Symbol,
    /// The price of a fill.
    Price,
    /// A funding rate as a fraction of the price.
    Fraction,
    /// What became of a placed order.
    Outcome(Outcome),
}

/// How a value is written. Keys, names and truth values are written alike in all of these.
#[derive(Clone, Copy, Debug)]
pub(crate) enum How {
    /// The integer; `null` without a value.
    Plain,
    /// The integer; 0 without a value.
    Whole,
    /// The integer in quotes; `null` without a value.
    Text,
    /// The integer in quotes; an empty text without a value.
    Word,
    /// All decimals in quotes; an empty text without a value.
    Fixed(u32),
    /// A number without zeros at its end; `null` without a value.
    Decimal(u32),
    /// As `Whole`, `Fixed` and `Decimal`, of a base amount scaled to nine decimals.
    BaseWhole,
    BaseFixed,
    BaseDecimal,
    /// As `Fixed`, with the decimals of the market's token.
    TokenFixed,
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Member {
    /// The object within the record that has the member; empty for the record itself.
    pub(crate) group: &'static str,
    pub(crate) name: &'static str,
    pub(crate) from: From,
    pub(crate) how: How,
}

const fn told(name: &'static str, from: From) -> Member {
    Member { group: "", name, from, how: How::Plain }
}

/// A member with the name of its value.
pub(crate) const fn own(name: &'static str, how: How) -> Member {
    Member { group: "", name, from: From::Value("", name), how }
}

/// A member of another name.
pub(crate) const fn of(name: &'static str, value: &'static str, how: How) -> Member {
    Member { group: "", name, from: From::Value("", value), how }
}

/// A member of the order in a record of a new order.
pub(crate) const fn order(name: &'static str, how: How) -> Member {
    Member { group: "", name, from: From::Value("order", name), how }
}

/// What became of the order in a record of a new order.
pub(crate) const fn outcome(name: &'static str, of: Outcome, how: How) -> Member {
    Member { group: "", name, from: From::Outcome(of), how }
}

/// A member of an object within the record.
pub(crate) const fn inside(group: &'static str, name: &'static str, how: How) -> Member {
    Member { group, name, from: From::Value(group, name), how }
}

pub(crate) const TS: Member = own("ts", How::Plain);
pub(crate) const SIGNATURE: Member = told("txSig", From::Signature);
pub(crate) const INDEX: Member = told("txSigIndex", From::Index);
pub(crate) const SLOT: Member = told("slot", From::Slot);
pub(crate) const SYMBOL: Member = told("symbol", From::Symbol);
pub(crate) const MARKET: Member = own("marketIndex", How::Plain);
