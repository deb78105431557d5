//! Order books of other projects on the same accounts as slotbook's: the same orders, changed in the same way.
//!
//! Theirs take orders, ours takes accounts: [`accounts::AccountReader`] makes one of the other, as a program that
//! keeps their book of this exchange would have to.
#![forbid(unsafe_code)]

pub mod accounts;
pub mod books;
pub mod market;
