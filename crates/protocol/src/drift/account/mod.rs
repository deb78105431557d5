//! One layout table a kind of account: the tables are the only place where an offset is written down.

pub mod common;
pub mod oracles;
pub mod perp_market;
pub mod small;
pub mod spot_market;
pub mod state;
pub mod user;
pub mod variable;

use crate::layout::Layout;
use crate::model::account::AccountKind;

/// The table of a kind.
pub(super) const fn layout(kind: AccountKind) -> &'static Layout {
    match kind {
        AccountKind::User => &user::USER,
        AccountKind::UserStats => &user::USER_STATS,
        AccountKind::PerpMarket => &perp_market::PERP_MARKET,
        AccountKind::SpotMarket => &spot_market::SPOT_MARKET,
        AccountKind::State => &state::STATE,
        AccountKind::PythLazerOracle => &oracles::PYTH_LAZER_ORACLE,
        AccountKind::PrelaunchOracle => &oracles::PRELAUNCH_ORACLE,
        AccountKind::SignedMsgUserOrders => &variable::SIGNED_MSG_USER_ORDERS,
        AccountKind::HighLeverageModeConfig => &small::HIGH_LEVERAGE_MODE_CONFIG,
        AccountKind::ProtectedMakerModeConfig => &small::PROTECTED_MAKER_MODE_CONFIG,
        AccountKind::InsuranceFundStake => &small::INSURANCE_FUND_STAKE,
        AccountKind::ReferrerName => &small::REFERRER_NAME,
        AccountKind::FuelOverflow => &small::FUEL_OVERFLOW,
        AccountKind::RevenueShare => &variable::REVENUE_SHARE,
        AccountKind::RevenueShareEscrow => &variable::REVENUE_SHARE_ESCROW,
    }
}
