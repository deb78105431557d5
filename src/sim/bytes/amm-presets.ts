/** The curve and the spread of a perp market's AMM, captured from mainnet. Prices at 1e6, reserves at 1e9. */
export interface AmmPreset {
  readonly baseAssetReserve: bigint;
  readonly quoteAssetReserve: bigint;
  readonly concentrationCoef: bigint;
  readonly minBaseAssetReserve: bigint;
  readonly maxBaseAssetReserve: bigint;
  readonly sqrtK: bigint;
  /** The peg at the start price of the preset; it follows the oracle. */
  readonly pegMultiplier: bigint;
  readonly terminalQuoteAssetReserve: bigint;
  readonly baseAssetAmountLong: bigint;
  readonly baseAssetAmountShort: bigint;
  readonly baseAssetAmountWithAmm: bigint;
  readonly maxOpenInterest: bigint;
  readonly askBaseAssetReserve: bigint;
  readonly askQuoteAssetReserve: bigint;
  readonly bidBaseAssetReserve: bigint;
  readonly bidQuoteAssetReserve: bigint;
  readonly lastFundingRate: bigint;
  readonly last24hAvgFundingRate: bigint;
  readonly totalFeeMinusDistributions: bigint;
  readonly cumulativeFundingRateLong: bigint;
  readonly cumulativeFundingRateShort: bigint;
  readonly quoteAssetAmount: bigint;
  readonly totalFee: bigint;
  readonly totalExchangeFee: bigint;
  readonly netRevenueSinceLastFunding: bigint;
  readonly volume24h: bigint;
  readonly longIntensityVolume: bigint;
  readonly shortIntensityVolume: bigint;
  readonly markStd: bigint;
  readonly oracleStd: bigint;
  readonly baseSpread: number;
  readonly maxSpread: number;
  readonly longSpread: number;
  readonly shortSpread: number;
  readonly maxFillReserveFraction: number;
  readonly maxSlippageRatio: number;
  readonly curveUpdateIntensity: number;
  readonly ammJitIntensity: number;
  readonly oracleLowRiskSlotDelayOverride: number;
  readonly oracleSlotDelayOverride: number;
  readonly ammSpreadAdjustment: number;
  readonly ammInventorySpreadAdjustment: number;
  readonly referencePriceOffset: number;
  readonly referencePriceOffsetDeadbandPct: number;
}

/**
 * SOL-PERP as of March 2026, without the offset of its reference price (-400 at an intensity of
 * 104), which would move the AMM across the tight quotes of the simulated makers.
 */
export const SOL_AMM: AmmPreset = {
  baseAssetReserve: 41_162_518_495_048_903n,
  quoteAssetReserve: 41_157_621_692_707_207n,
  concentrationCoef: 1_004_142n,
  minBaseAssetReserve: 40_990_312_849_227_403n,
  maxBaseAssetReserve: 41_330_579_837_400_055n,
  sqrtK: 41_160_070_021_056_650n,
  pegMultiplier: 85_026_589n,
  terminalQuoteAssetReserve: 41_160_045_317_079_224n,
  baseAssetAmountLong: 422_751_350_000_000n,
  baseAssetAmountShort: -425_175_120_000_000n,
  baseAssetAmountWithAmm: -2_423_770_000_000n,
  maxOpenInterest: 2_000_000_000_000_000n,
  askBaseAssetReserve: 41_152_105_512_884_713n,
  askQuoteAssetReserve: 41_168_036_070_665_887n,
  bidBaseAssetReserve: 41_214_295_247_872_863n,
  bidQuoteAssetReserve: 41_105_916_137_816_872n,
  lastFundingRate: -987_625n,
  last24hAvgFundingRate: -1_206_903n,
  totalFeeMinusDistributions: 14_310_981_199_627n,
  cumulativeFundingRateLong: 44_901_176_776n,
  cumulativeFundingRateShort: 44_694_977_101n,
  quoteAssetAmount: 3_072_454_866_813n,
  totalFee: 28_460_696_309_761n,
  totalExchangeFee: 17_509_158_982_540n,
  netRevenueSinceLastFunding: -116_575_600n,
  volume24h: 21_702_819_705_585n,
  longIntensityVolume: 443_691_853_551n,
  shortIntensityVolume: 775_996_643_163n,
  markStd: 91_311n,
  oracleStd: 98_260n,
  baseSpread: 200,
  maxSpread: 20_000,
  longSpread: 906,
  shortSpread: 2_112,
  maxFillReserveFraction: 25_000,
  maxSlippageRatio: 50,
  curveUpdateIntensity: 100,
  ammJitIntensity: 100,
  oracleLowRiskSlotDelayOverride: 20,
  oracleSlotDelayOverride: -1,
  ammSpreadAdjustment: 100,
  ammInventorySpreadAdjustment: -20,
  referencePriceOffset: 0,
  referencePriceOffsetDeadbandPct: 0,
};

/** BTC-PERP as of June 2025. */
export const BTC_AMM: AmmPreset = {
  baseAssetReserve: 95_143_718_161_383n,
  quoteAssetReserve: 95_087_545_796_170n,
  concentrationCoef: 1_000_828n,
  minBaseAssetReserve: 95_036_339_819_245n,
  maxBaseAssetReserve: 95_193_785_153_380n,
  sqrtK: 95_115_627_832_068n,
  pegMultiplier: 105_028_782_206n,
  terminalQuoteAssetReserve: 95_116_225_759_278n,
  baseAssetAmountLong: 268_481_100_000n,
  baseAssetAmountShort: -297_171_000_000n,
  baseAssetAmountWithAmm: -28_689_900_000n,
  maxOpenInterest: 3_500_000_000_000n,
  askBaseAssetReserve: 95_142_195_886_250n,
  askQuoteAssetReserve: 95_089_067_196_902n,
  bidBaseAssetReserve: 95_162_085_674_542n,
  bidQuoteAssetReserve: 95_069_192_670_172n,
  lastFundingRate: 665_012_916n,
  last24hAvgFundingRate: 446_352_648n,
  totalFeeMinusDistributions: 3_148_174_162_921n,
  cumulativeFundingRateLong: 29_261_829_943_966n,
  cumulativeFundingRateShort: 29_261_369_516_483n,
  quoteAssetAmount: 3_838_749_326_928n,
  totalFee: 3_889_008_867_898n,
  totalExchangeFee: 2_050_633_406_045n,
  netRevenueSinceLastFunding: -8_791_452_300n,
  volume24h: 34_657_750_071_538n,
  longIntensityVolume: 814_085_677_957n,
  shortIntensityVolume: 1_013_091_631_797n,
  markStd: 238_678_196n,
  oracleStd: 232_346_726n,
  baseSpread: 4,
  maxSpread: 800,
  longSpread: 32,
  shortSpread: 387,
  maxFillReserveFraction: 1_500,
  maxSlippageRatio: 50,
  curveUpdateIntensity: 100,
  ammJitIntensity: 100,
  oracleLowRiskSlotDelayOverride: 5,
  oracleSlotDelayOverride: 5,
  ammSpreadAdjustment: -75,
  ammInventorySpreadAdjustment: 0,
  referencePriceOffset: 0,
  referencePriceOffsetDeadbandPct: 0,
};

/** ETH-PERP as of March 2026. */
export const ETH_AMM: AmmPreset = {
  baseAssetReserve: 23_638_981_749_946n,
  quoteAssetReserve: 23_638_943_655_027n,
  concentrationCoef: 1_002_071n,
  minBaseAssetReserve: 23_590_107_637_029n,
  maxBaseAssetReserve: 23_687_919_041_801n,
  sqrtK: 23_638_962_702_479n,
  pegMultiplier: 2_026_594_355n,
  terminalQuoteAssetReserve: 23_638_962_655_012n,
  baseAssetAmountLong: 3_843_204_000_000n,
  baseAssetAmountShort: -3_843_223_000_000n,
  baseAssetAmountWithAmm: -19_000_000n,
  maxOpenInterest: 50_000_000_000_000n,
  askBaseAssetReserve: 23_626_714_504_617n,
  askQuoteAssetReserve: 23_651_217_249_863n,
  bidBaseAssetReserve: 23_778_034_583_769n,
  bidQuoteAssetReserve: 23_500_704_218_448n,
  lastFundingRate: -8_150_541n,
  last24hAvgFundingRate: -8_885_540n,
  totalFeeMinusDistributions: -564_046_417_913n,
  cumulativeFundingRateLong: 1_181_515_781_081n,
  cumulativeFundingRateShort: 1_179_889_156_104n,
  quoteAssetAmount: 1_280_763_483_121n,
  totalFee: 4_108_941_612_921n,
  totalExchangeFee: 2_255_682_489_302n,
  netRevenueSinceLastFunding: 210_863n,
  volume24h: 3_204_975_862_829n,
  longIntensityVolume: 52_841_844_803n,
  shortIntensityVolume: 27_078_388_298n,
  markStd: 2_421_424n,
  oracleStd: 2_731_921n,
  baseSpread: 175,
  maxSpread: 10_000,
  longSpread: 1_039,
  shortSpread: 11_662,
  maxFillReserveFraction: 20_000,
  maxSlippageRatio: 50,
  curveUpdateIntensity: 101,
  ammJitIntensity: 0,
  oracleLowRiskSlotDelayOverride: 20,
  oracleSlotDelayOverride: -1,
  ammSpreadAdjustment: 27,
  ammInventorySpreadAdjustment: 0,
  referencePriceOffset: 0,
  referencePriceOffsetDeadbandPct: 5,
};

/**
 * Velocity's SOL-PERP in August 2026, at the price of the simulation and without its reference
 * price offset.
 *
 * Source: the account FDejXbUrSy6zayBCL5xuk2SXLHZgr8ppfFTLcHbyJorY at slot 438,024,290, test/golden/velocity.
 */
export const VELOCITY_SOL_AMM: AmmPreset = {
  ...SOL_AMM,
  baseAssetReserve: 85_829_141_300_233n,
  quoteAssetReserve: 85_761_716_700_339n,
  minBaseAssetReserve: 85_441_114_205_195n,
  maxBaseAssetReserve: 86_150_374_237_038n,
  sqrtK: 85_795_422_376_861n,
  pegMultiplier: 85_083_239n,
  terminalQuoteAssetReserve: 85_795_833_455_458n,
  baseAssetAmountLong: 202_040_000_000n,
  baseAssetAmountShort: -236_170_000_000n,
  baseAssetAmountWithAmm: -34_130_000_000n,
  maxOpenInterest: 1_359_780_000_000n,
  askBaseAssetReserve: 85_842_018_890_825n,
  askQuoteAssetReserve: 85_748_851_156_280n,
  bidBaseAssetReserve: 85_921_035_455_800n,
  bidQuoteAssetReserve: 85_669_992_939_163n,
  totalFeeMinusDistributions: 24_200_421_131n,
  quoteAssetAmount: 1_717_114_083n,
  totalFee: 146_076_830n,
  totalExchangeFee: 34_603_647n,
  netRevenueSinceLastFunding: -58_887n,
  lastFundingRate: -1_165_333n,
  last24hAvgFundingRate: 3_939_848n,
  cumulativeFundingRateLong: -2_337_636_903n,
  cumulativeFundingRateShort: -2_337_636_903n,
  volume24h: 6_226_338_865n,
  longIntensityVolume: 765_954n,
  shortIntensityVolume: 0n,
  markStd: 176_663n,
  oracleStd: 173_390n,
  baseSpread: 200,
  maxSpread: 20_000,
  longSpread: 100,
  shortSpread: 1_738,
  maxFillReserveFraction: 100,
  oracleLowRiskSlotDelayOverride: 0,
  ammSpreadAdjustment: 0,
  ammInventorySpreadAdjustment: -25,
};
