//! The fields of a perp market's account from which its AMM is quoted.

use crate::layout::leaf;
use crate::model::Program;
use crate::model::pauses::perp_operation;
use crate::model::tables::Tables;

/// Defines the fields: name, type, and name in the tables of the programs. A name that one of the
/// tables lacks, or that has another type there, does not compile. Drift v2 has no rule for the
/// fields of Velocity; these fields are 0 for Drift v2.
macro_rules! perp_amm {
    (
        $($(#[$doc:meta])* $name:ident: $type:tt $path:literal $(or $absent:literal)?;)*
        @velocity $($(#[$own_doc:meta])* $own:ident: $own_type:tt $own_path:literal;)*
    ) => {
        /// A perp market's AMM as stored in the account, with the market fields that affect its
        /// quotes: plain integers without any check. Signed fields count from the users' side: a
        /// positive inventory means that users are net long.
        ///
        /// Source: programs/drift/src/state/perp_market.rs `AMM`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct PerpAmm {
            $($(#[$doc])* pub $name: $type,)*
            /// Whether the contract is a prediction, whose price is between 0 and 1.
            pub is_prediction: bool,
            /// The program whose rules apply.
            pub program: Program,
            /// How risky the contract is, a byte of [`ContractTier`](crate::model::enums::ContractTier).
            pub contract_tier: u8,
            $($(#[$own_doc])* pub $own: $own_type,)*
        }

        impl PerpAmm {
            /// Reads the AMM from the bytes of a market's account, whose length was checked.
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
    /// Percent by which the market's fees differ from the tier's.
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
    /// Quote reserve after the users' net position is closed, 1e9.
    terminal_quote_asset_reserve: u128 "terminalQuoteAssetReserve";
    /// Minimum base reserve, 1e9.
    min_base_asset_reserve: u128 "minBaseAssetReserve";
    /// Maximum base reserve, 1e9.
    max_base_asset_reserve: u128 "maxBaseAssetReserve";
    /// The users' net position against the AMM, 1e9.
    base_asset_amount_with_amm: i128 "baseAssetAmountWithAmm";
    /// The part of that position that liquidity providers have not settled, 1e9.
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
    /// Degree to which the curve adapts: 0 not at all, up to 100 spread and peg, above 100 also the
    /// reference offset.
    curve_update_intensity: u8 "curveUpdateIntensity";
    /// Final adjustment of the spread, percent: positive is wider.
    amm_spread_adjustment: i8 "ammSpreadAdjustment";
    /// Adjustment of the inventory's effect on the spread, percent: positive is larger.
    amm_inventory_spread_adjustment: i8 "ammInventorySpreadAdjustment";
    /// Offset of the quotes from the reserve price as last stored, 1e6.
    reference_price_offset: i32 "referencePriceOffset";
    /// Inventory below which the offset is 0, percent of the liquidity.
    reference_price_offset_deadband_pct: u8 "referencePriceOffsetDeadbandPct";
    /// Slot of the last update on chain.
    last_update_slot: u64 "lastUpdateSlot";
    /// Fees of all trades, 1e6.
    total_exchange_fee: u128 "totalExchangeFee";
    /// Earnings of the AMM that were not distributed, 1e6.
    total_fee_minus_distributions: i128 "totalFeeMinusDistributions";
    /// Earned since the last funding, 1e6.
    net_revenue_since_last_funding: i64 "netRevenueSinceLastFunding";
    /// Seconds between two funding updates, which is also the period of the slow TWAPs.
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
    /// The oracle's confidence as last stored, as a part of the price at 1e6.
    last_oracle_conf_pct: u64 "lastOracleConfPct";
    /// Distance of the reserve price above the oracle price at the last update, as a part of the
    /// reserve price at 1e6.
    last_oracle_reserve_price_spread_pct: i64 "lastOracleReservePriceSpreadPct";
    /// The oracle price that the program used last, 1e6.
    last_oracle_price: i64 "lastOraclePrice";
    /// Oracle price over the funding period, 1e6.
    last_oracle_price_twap: i64 "lastOraclePriceTwap";
    /// Oracle price over five minutes, 1e6.
    last_oracle_price_twap_5min: i64 "lastOraclePriceTwap5min";
    /// Time of the last update of the oracle's TWAPs, unix seconds.
    last_oracle_price_twap_ts: i64 "lastOraclePriceTwapTs";
    /// The market makers' oracle price, 1e6; 0 without one.
    mm_oracle_price: i64 "mmOraclePrice";
    /// Slot of the market makers' oracle price; 0 without one.
    mm_oracle_slot: u64 "mmOracleSlot";
    /// Sequence id of the market makers' oracle, microseconds.
    mm_oracle_sequence_id: u64 "mmOracleSequenceId";
    /// Divisor of the base reserve for the maximum size of one fill.
    max_fill_reserve_fraction: u16 "maxFillReserveFraction";
    /// Intensity of the shares that the AMM takes in matches, percent; 0 for no share.
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
    /// Ratio of the maximum base reserve to the base reserve of a balanced curve, 1e6.
    concentration_coef: u128 "concentrationCoef";
    /// Flags, see [`super::onchain`]: bit 1 keeps k constant.
    market_config: u8 "marketConfig";
    /// Slot of the last update of spreads, offset and the reserves of both quotes.
    last_spread_update_slot: u64 "lastSpreadUpdateSlot";
    /// Per cent by which the spread widens while the AMM pays funding.
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
    /// Returns whether the AMM's fills are paused, so that it has no levels.
    #[must_use]
    pub const fn is_fill_paused(&self) -> bool {
        self.paused_operations & perp_operation::AMM_FILL != 0
    }

    /// Returns the curve as stored, without the update that the next fill makes.
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
