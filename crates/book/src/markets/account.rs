//! Market accounts, decoded.

use slotbook_protocol::drift::market::{PerpMarketView, SpotMarketView};
use slotbook_protocol::drift::user::spot_token_amount;
use slotbook_protocol::model::ProtocolError;
use slotbook_protocol::model::amm::PerpAmm;
use slotbook_protocol::model::enums::{ContractType, MarketType, SpotBalanceType};
use slotbook_protocol::model::units::{BaseQty, Price, Pubkey};

use crate::model::market::{MarketId, MarketInfo, PerpStats, SpotStats};

/// The decoded market account, limited to the fields that the book reads.
pub(crate) struct MarketAccount {
    pub(crate) info: MarketInfo,
    pub(crate) oracle_fields: OracleFields,
    pub(crate) interest: Interest,
    pub(crate) amm: Option<PerpAmm>,
    pub(crate) perp_stats: Option<PerpStats>,
    pub(crate) spot_stats: Option<SpotStats>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OracleFields {
    pub(crate) mm_price: i64,
    pub(crate) mm_slot: u64,
    pub(crate) mm_sequence_id: u64,
    /// The last oracle price that the program stored: shown when the oracle's account is absent.
    pub(crate) last_price: i64,
    pub(crate) last_twap: i64,
    /// Mark minus oracle, both over five minutes.
    pub(crate) premium: i64,
    /// Multiplier of the confidence limit for this contract tier.
    pub(crate) confidence_multiplier: u64,
}

/// Interest factors of a spot market, which convert scaled balances to tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interest {
    pub(crate) deposit: u128,
    pub(crate) borrow: u128,
}

/// Decimals of a perp's base size. Source: programs/drift/src/math/constants.rs `BASE_PRECISION`.
const PERP_DECIMALS: u32 = 9;

/// Reads the fields that both kinds of market account share by name, and the given fields. A tick
/// or step of 0, in an account that is still being set up, counts as 1.
macro_rules! market_info {
    ($view:expr, $account:expr, { $($field:ident: $value:expr,)* }) => {
        MarketInfo {
            id: MarketId::NONE,
            account: $account,
            name: $view.name(),
            market_index: $view.market_index(),
            status: $view.status()?,
            tick: Price($view.order_tick_size().0.max(1)),
            step: BaseQty($view.order_step_size().0.max(1)),
            min_order_size: $view.min_order_size(),
            fee_adjustment: $view.fee_adjustment(),
            oracle: $view.oracle(),
            oracle_source: $view.oracle_source()?,
            paused_operations: $view.paused_operations(),
            expiry_ts: $view.expiry_ts(),
            $($field: $value,)*
        }
    };
}

/// Decodes a perp market's account, without its market id.
pub(crate) fn read_perp(
    view: &PerpMarketView<'_>,
    account: Pubkey,
) -> Result<MarketAccount, ProtocolError> {
    Ok(MarketAccount {
        info: market_info!(view, account, {
            market_type: MarketType::Perp,
            decimals: PERP_DECIMALS,
            mint: None,
            is_prediction: view.contract_type()? == ContractType::Prediction,
        }),
        oracle_fields: OracleFields {
            mm_price: view.mm_oracle_price().0,
            mm_slot: view.mm_oracle_slot().0,
            mm_sequence_id: view.mm_oracle_sequence_id(),
            last_price: view.last_oracle_price().0,
            last_twap: view.last_oracle_price_twap().0,
            premium: premium(view),
            confidence_multiplier: view.contract_tier()?.confidence_multiplier(),
        },
        interest: Interest::default(),
        amm: Some(PerpAmm::of(view)),
        perp_stats: Some(perp_stats(view)),
        spot_stats: None,
    })
}

fn perp_stats(view: &PerpMarketView<'_>) -> PerpStats {
    let funding_twap = match view.last_funding_oracle_twap().0 {
        0 => view.last_oracle_price_twap().0,
        twap => twap,
    };
    PerpStats {
        base_long: view.base_long(),
        base_short: view.base_short(),
        users_with_base: view.number_of_users_with_base(),
        funding_rate: view.last_funding_rate(),
        funding_rate_24h: view.last_24h_average_funding_rate(),
        funding_oracle_twap: funding_twap,
        funding_ts: view.last_funding_rate_ts(),
        margin_ratio_initial: view.margin_ratio_initial(),
    }
}

fn spot_stats(view: &SpotMarketView<'_>) -> SpotStats {
    let tokens = |balance, balance_type| {
        let (deposit, borrow) =
            (view.cumulative_deposit_interest(), view.cumulative_borrow_interest());
        spot_token_amount(balance, balance_type, view.decimals(), deposit, borrow).unsigned_abs()
    };
    SpotStats {
        deposits: tokens(view.deposit_balance(), SpotBalanceType::Deposit),
        borrows: tokens(view.borrow_balance(), SpotBalanceType::Borrow),
    }
}

/// Source: sdk/src/dlob/orderBookLevels.ts `uncrossL2`, the term that it adds to the oracle price.
fn premium(view: &PerpMarketView<'_>) -> i64 {
    let mark = i64::try_from(view.last_mark_price_twap_5min().0).unwrap_or(i64::MAX);
    mark.saturating_sub(view.last_oracle_price_twap_5min().0)
}

/// Decodes a spot market's account, without its market id.
pub(crate) fn read_spot(
    view: &SpotMarketView<'_>,
    account: Pubkey,
) -> Result<MarketAccount, ProtocolError> {
    Ok(MarketAccount {
        info: market_info!(view, account, {
            market_type: MarketType::Spot,
            decimals: view.decimals(),
            mint: Some(view.mint()),
            is_prediction: false,
        }),
        oracle_fields: OracleFields {
            last_price: view.last_oracle_price().0,
            last_twap: view.last_oracle_price_twap().0,
            confidence_multiplier: view.asset_tier()?.confidence_multiplier(),
            ..OracleFields::default()
        },
        interest: Interest {
            deposit: view.cumulative_deposit_interest(),
            borrow: view.cumulative_borrow_interest(),
        },
        amm: None,
        perp_stats: None,
        spot_stats: Some(spot_stats(view)),
    })
}
