//! The program's own sequence.

pub mod makers;
pub mod methods;
pub mod program;

use crate::liquidity::Liquidity;
use crate::taker::Taker;
use crate::tally::Tally;

/// Fills the taker as the program does.
pub(crate) fn walk(taker: &Taker, liquidity: Liquidity<'_>, tally: &mut Tally) {
    // Without an AMM and offers the program's sequence is that of the specification.
    crate::spec::walk(taker, liquidity, tally);
}
