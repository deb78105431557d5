//! The fields of a perp market's account that its AMM is quoted from.

use crate::layout::leaf;
use crate::model::Program;
use crate::model::pauses::perp_operation;
use crate::model::tables::Tables;

/// Defines the fields once: name, type, and name in the tables of programs. A name that is not
/// in the table of each, or is of another type there, does not compile. Drift v2 knows no rule for
/// the fields of Velocity, which are 0 there.
macro_rules! perp_amm {
    (
        $($(#[$doc:meta])* $name:ident: $type:tt $path:literal $(or $absent:literal)?;)*
        @velocity $($(#[$own_doc:meta])* $own:ident: $own_type:tt $own_path:literal;)*
    ) => {
        /// A perp market's AMM as the account stores it, and what of the market goes with it: plain
        /// integers, any of them possible. Signed fields count from the users' side: a positive
        /// inventory is what users hold long.
        ///
        /// Source: programs/drift/src/state/perp_market.rs `AMM`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct PerpAmm {
            $($(#[$doc])* pub $name: $type,)*
            /// The contract is a prediction, whose price lies between 0 and 1.
            pub is_prediction: bool,
            /// The program whose rules apply.
            pub program: Program,
            /// How risky the contract is, a byte of [`ContractTier`](crate::model::enums::ContractTier).
            pub contract_tier: u8,
            $($(#[$own_doc])* pub $own: $own_type,)*
        }

        impl PerpAmm {
            /// The AMM in the bytes of a market's account, whose length was checked.
            pub(crate) fn read<T: Tables>(bytes: &[u8], is_prediction: bool) -> Self {
                let is_drift = matches!(T::PROGRAM, Program::Drift);
                Self {
                    $($name: leaf!(T::PERP_MARKET, bytes, $type $path $(or $absent)?),)*
                    is_prediction,
                    program: T::PROGRAM,
                    contract_tier: leaf!(T::PERP_MARKET, bytes, enum "contractTier"),
                    $($own: match is_drift {
                        true => 0,
                        false => leaf!(T::PERP_MARKET, bytes, $own_type $own_path or 0),
                    },)*
                }
            }

            /// Appends every field in its own width, little-endian, in the order of the struct.
            pub fn append_bytes(&self, out: &mut Vec<u8>) {
                $(out.extend_from_slice(&self.$name.to_le_bytes());)*
                out.push(u8::from(self.is_prediction));
                if self.program == Program::Velocity {
                    out.push(self.contract_tier);
                    $(out.extend_from_slice(&self.$own.to_le_bytes());)*
                }
            }
        }
    };
}

perp_amm! {
    /// Operations paused, see [`perp_operation`].
    paused_operations: u8 "pausedOperations";
    /// Fees of the market above (or below) the tier's, percent.
    fee_adjustment: i16 "feeAdjustment";
    /// Initial margin, 1e4.
    margin_ratio_initial: u32 "marginRatioInitial";
    /// Base asset reserve, 1e9.
    base_asset_reserve: u128 "baseAssetReserve";
    /// Quote asset reserve, 1e9.
    quote_asset_reserve: u128 "quoteAssetReserve";
    /// Square root of the invariant k, 1e9.
    sqrt_k: u128 "sqrtK";
    /// Peg multiplier, 1e6.
    peg_multiplier: u128 "pegMultiplier";
    /// Quote reserve when the users' net position is closed, 1e9.
    terminal_quote_asset_reserve: u128 "terminalQuoteAssetReserve";
    /// The base reserve does not go below this, 1e9.
    min_base_asset_reserve: u128 "minBaseAssetReserve";
    /// The base reserve does not go above this, 1e9.
    max_base_asset_reserve: u128 "maxBaseAssetReserve";
    /// The users' net position that the AMM is the other side of, 1e9.
    base_asset_amount_with_amm: i128 "baseAssetAmountWithAmm";
    /// What of it liquidity providers have not settled, 1e9.
    base_asset_amount_with_unsettled_lp: i128 "baseAssetAmountWithUnsettledLp" or 0;
    /// Smallest size step, 1e9.
    order_step_size: u64 "orderStepSize";
    /// Smallest price step, 1e6.
    order_tick_size: u64 "orderTickSize";
    /// Smallest order, 1e9.
    min_order_size: u64 "minOrderSize";
    /// Least spread, both sides together, 1e6.
    base_spread: u32 "baseSpread";
    /// Most spread, both sides together, 1e6.
    max_spread: u32 "maxSpread";
    /// The ask's spread as last stored, 1e6.
    long_spread: u32 "longSpread";
    /// The bid's spread as last stored, 1e6.
    short_spread: u32 "shortSpread";
    /// How much the curve adapts: 0 never, to 100 spread and peg, above 100 the reference offset.
    curve_update_intensity: u8 "curveUpdateIntensity";
    /// Makes the spread wider or narrower at the end, percent.
    amm_spread_adjustment: i8 "ammSpreadAdjustment";
    /// Makes the spread's share that comes of inventory larger or smaller, percent.
    amm_inventory_spread_adjustment: i8 "ammInventorySpreadAdjustment";
    /// Offset of the quotes from the reserve price as last stored, 1e6.
    reference_price_offset: i32 "referencePriceOffset";
    /// Inventory below which there is no offset, percent of the liquidity.
    reference_price_offset_deadband_pct: u8 "referencePriceOffsetDeadbandPct";
    /// Slot of the last update on chain.
    last_update_slot: u64 "lastUpdateSlot";
    /// Fees of all trades, 1e6.
    total_exchange_fee: u128 "totalExchangeFee";
    /// What the AMM has earned and not given away, 1e6.
    total_fee_minus_distributions: i128 "totalFeeMinusDistributions";
    /// Earned since the last funding, 1e6.
    net_revenue_since_last_funding: i64 "netRevenueSinceLastFunding";
    /// Seconds between fundings, and the period of the slow TWAPs.
    funding_period: i64 "fundingPeriod";
    /// Average funding rate of 24 hours, 1e9.
    last_24h_avg_funding_rate: i64 "last24hAvgFundingRate";
    /// Mark price over the funding period, 1e6.
    last_mark_price_twap: u64 "lastMarkPriceTwap";
    /// Mark price over five minutes, 1e6.
    last_mark_price_twap_5min: u64 "lastMarkPriceTwap5min";
    /// Bid price over the funding period, 1e6.
    last_bid_price_twap: u64 "lastBidPriceTwap";
    /// Ask price over the funding period, 1e6.
    last_ask_price_twap: u64 "lastAskPriceTwap";
    /// Deviation of the mark price, 1e6.
    mark_std: u64 "markStd";
    /// Deviation of the oracle price, 1e6.
    oracle_std: u64 "oracleStd";
    /// Recent volume of longs, 1e6.
    long_intensity_volume: u64 "longIntensityVolume";
    /// Recent volume of shorts, 1e6.
    short_intensity_volume: u64 "shortIntensityVolume";
    /// Volume of 24 hours, 1e6.
    volume_24h: u64 "volume24h";
    /// The oracle's confidence as last stored, a part of the price at 1e6.
    last_oracle_conf_pct: u64 "lastOracleConfPct";
    /// How far the reserve price was above the oracle's at the last update, a part of it at 1e6.
    last_oracle_reserve_price_spread_pct: i64 "lastOracleReservePriceSpreadPct";
    /// The oracle price that the program saw last, 1e6.
    last_oracle_price: i64 "lastOraclePrice";
    /// Oracle price over the funding period, 1e6.
    last_oracle_price_twap: i64 "lastOraclePriceTwap";
    /// Oracle price over five minutes, 1e6.
    last_oracle_price_twap_5min: i64 "lastOraclePriceTwap5min";
    /// When the oracle's TWAPs were last moved, unix seconds.
    last_oracle_price_twap_ts: i64 "lastOraclePriceTwapTs";
    /// The market makers' oracle price, 1e6; 0 when there is none.
    mm_oracle_price: i64 "mmOraclePrice";
    /// Slot of the market makers' oracle; 0 when there is none.
    mm_oracle_slot: u64 "mmOracleSlot";
    /// Sequence id of the market makers' oracle, microseconds.
    mm_oracle_sequence_id: u64 "mmOracleSequenceId";
    /// A fill takes at most the base reserve divided by this.
    max_fill_reserve_fraction: u16 "maxFillReserveFraction";
    /// How much of a match the AMM takes a share in, percent; 0 for none.
    amm_jit_intensity: u8 "ammJitIntensity";
    /// Base reserve of the ask as last stored, 1e9.
    ask_base_asset_reserve: u128 "askBaseAssetReserve";
    /// Quote reserve of the ask as last stored, 1e9.
    ask_quote_asset_reserve: u128 "askQuoteAssetReserve";
    /// Base reserve of the bid as last stored, 1e9.
    bid_base_asset_reserve: u128 "bidBaseAssetReserve";
    /// Quote reserve of the bid as last stored, 1e9.
    bid_quote_asset_reserve: u128 "bidQuoteAssetReserve";
    @velocity
    /// Ratio of the largest base reserve to that of a balanced curve, 1e6.
    concentration_coef: u128 "concentrationCoef";
    /// Flags, see [`super::onchain`]: bit 1 keeps k as it is.
    market_config: u8 "marketConfig";
    /// Slot of the last update of spreads, offset and the reserves of both quotes.
    last_spread_update_slot: u64 "lastSpreadUpdateSlot";
    /// How much the spread widens while the AMM pays funding, per cent.
    funding_bias_sensitivity: u8 "fundingBiasSensitivity";
    /// The oracle's average price at the last funding, 1e6.
    last_funding_oracle_twap: i64 "lastFundingOracleTwap";
    /// How old, in units of 400 ms, the oracle's price may be for a fill of a newer order: 0 for no such
    /// fill, less for the time that the program knows.
    oracle_slot_delay_override: i8 "oracleSlotDelayOverride";
    /// How old, in units of 400 ms, the oracle's price may be for other fills of the AMM; 0 for the
    /// exchange's limit.
    oracle_low_risk_slot_delay_override: i8 "oracleLowRiskSlotDelayOverride";
}

impl PerpAmm {
    /// The AMM does not fill, so it shows nothing.
    #[must_use]
    pub const fn is_fill_paused(&self) -> bool {
        self.paused_operations & perp_operation::AMM_FILL != 0
    }

    /// The curve as it is stored, without the update that the next fill makes.
    #[must_use]
    pub const fn reserves(&self) -> super::curve::Reserves {
        super::curve::Reserves {
            base: self.base_asset_reserve,
            quote: self.quote_asset_reserve,
            sqrt_k: self.sqrt_k,
            peg: self.peg_multiplier,
        }
    }
}
