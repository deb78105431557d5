//! Market accounts, decoded.

use slotbook_protocol::model::ProtocolError;
use slotbook_protocol::model::amm::PerpAmm;
use slotbook_protocol::model::enums::{ContractType, MarketType, SpotBalanceType};
use slotbook_protocol::model::market::{MarketTerms, PerpMarket, SpotMarket};
use slotbook_protocol::model::units::{BaseQty, Price, Pubkey};
use slotbook_protocol::model::user::spot_token_amount;
use slotbook_protocol::model::{AccountKind, Program};

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
    /// The last oracle price that the program stored, used when the oracle's account is absent.
    pub(crate) last_price: i64,
    pub(crate) last_twap: i64,
    /// Mark minus oracle, both over five minutes.
    pub(crate) premium: i64,
    /// Multiplier of the confidence limit for the contract tier of this market.
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

/// Decodes a market account of one type; `None` for an account of another type. The market's id is
/// assigned later.
pub(crate) fn read_market(
    program: Program,
    kind: AccountKind,
    account: Pubkey,
    data: &[u8],
) -> Option<Result<MarketAccount, ProtocolError>> {
    match kind {
        AccountKind::PerpMarket => {
            Some(program.perp_market(data).map(|perp| of_perp(perp, account)))
        }
        AccountKind::SpotMarket => {
            Some(program.spot_market(data).map(|spot| of_spot(spot, account)))
        }
        _ => None,
    }
}

/// What differs between the types of market.
struct OfType {
    market_type: MarketType,
    decimals: u32,
    mint: Option<Pubkey>,
    is_prediction: bool,
}

/// A tick or step of 0, in an account that is still being set up, counts as 1.
fn market_info(terms: MarketTerms, account: Pubkey, of_type: OfType) -> MarketInfo {
    let OfType { market_type, decimals, mint, is_prediction } = of_type;
    MarketInfo {
        id: MarketId::NONE,
        account,
        name: terms.name,
        symbol: String::new(),
        market_type,
        market_index: terms.market_index,
        status: terms.status,
        tick: Price(terms.order_tick_size.0.max(1)),
        step: BaseQty(terms.order_step_size.0.max(1)),
        min_order_size: terms.min_order_size,
        decimals,
        mint,
        fee_adjustment: terms.fee_adjustment,
        taker_fee_addon_tenth_bps: terms.taker_fee_addon_tenth_bps,
        is_prediction,
        oracle: terms.oracle,
        oracle_source: terms.oracle_source,
        paused_operations: terms.paused_operations,
        expiry_ts: terms.expiry_ts,
    }
}

fn of_perp(perp: PerpMarket, account: Pubkey) -> MarketAccount {
    let of_type = OfType {
        market_type: MarketType::Perp,
        decimals: PERP_DECIMALS,
        mint: None,
        is_prediction: perp.contract_type == ContractType::Prediction,
    };
    let amm = &perp.amm;
    MarketAccount {
        oracle_fields: OracleFields {
            mm_price: amm.mm_oracle_price,
            mm_slot: amm.mm_oracle_slot,
            mm_sequence_id: amm.mm_oracle_sequence_id,
            last_price: amm.last_oracle_price,
            last_twap: amm.last_oracle_price_twap,
            premium: premium(amm),
            confidence_multiplier: perp.contract_tier.confidence_multiplier(),
        },
        interest: Interest::default(),
        perp_stats: Some(perp_stats(&perp)),
        amm: Some(perp.amm),
        spot_stats: None,
        info: market_info(perp.terms, account, of_type),
    }
}

fn perp_stats(perp: &PerpMarket) -> PerpStats {
    let funding_twap = match perp.last_funding_oracle_twap {
        0 => perp.amm.last_oracle_price_twap,
        twap => twap,
    };
    PerpStats {
        base_long: perp.base_long,
        base_short: perp.base_short,
        users_with_base: perp.number_of_users_with_base,
        funding_rate: perp.last_funding_rate,
        funding_rate_24h: perp.amm.last_24h_avg_funding_rate,
        funding_oracle_twap: funding_twap,
        funding_ts: perp.last_funding_rate_ts,
        margin_ratio_initial: perp.amm.margin_ratio_initial,
    }
}

/// Returns the amount that is added to the oracle price. Source: sdk/src/dlob/orderBookLevels.ts
/// `uncrossL2`.
fn premium(amm: &PerpAmm) -> i64 {
    let mark = i64::try_from(amm.last_mark_price_twap_5min).unwrap_or(i64::MAX);
    mark.saturating_sub(amm.last_oracle_price_twap_5min)
}

fn of_spot(spot: SpotMarket, account: Pubkey) -> MarketAccount {
    let of_type = OfType {
        market_type: MarketType::Spot,
        decimals: spot.decimals,
        mint: Some(spot.mint),
        is_prediction: false,
    };
    MarketAccount {
        oracle_fields: OracleFields {
            last_price: spot.last_oracle_price,
            last_twap: spot.last_oracle_price_twap,
            confidence_multiplier: spot.asset_tier.confidence_multiplier(),
            ..OracleFields::default()
        },
        interest: Interest {
            deposit: spot.cumulative_deposit_interest,
            borrow: spot.cumulative_borrow_interest,
        },
        amm: None,
        perp_stats: None,
        spot_stats: Some(spot_stats(&spot)),
        info: market_info(spot.terms, account, of_type),
    }
}

fn spot_stats(spot: &SpotMarket) -> SpotStats {
    let tokens = |balance, balance_type| {
        let (deposit, borrow) = (spot.cumulative_deposit_interest, spot.cumulative_borrow_interest);
        spot_token_amount(balance, balance_type, spot.decimals, deposit, borrow).unsigned_abs()
    };
    SpotStats {
        deposits: tokens(spot.deposit_balance, SpotBalanceType::Deposit),
        borrows: tokens(spot.borrow_balance, SpotBalanceType::Borrow),
    }
}
