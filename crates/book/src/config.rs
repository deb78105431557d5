//! The configuration of a book.

use slotbook_protocol::model::Program;
use slotbook_protocol::model::units::Pubkey;

/// Configuration of a book.
#[derive(Clone, Copy, Debug)]
pub struct BookConfig {
    /// The address of the program, which owns user and market accounts.
    pub program: Pubkey,
    /// The program whose rules and layouts the book uses.
    pub rules: Program,
}

/// Uses the rules of the program at this address, see [`Program::of`].
impl From<Pubkey> for BookConfig {
    fn from(program: Pubkey) -> Self {
        Self { program, rules: Program::of(&program) }
    }
}
