import { ContractTier } from './chain-enums.js';

/** The curve and the spread of a perp market's AMM, as captured from mainnet. Prices at 1e6, reserves at 1e9. */
export interface AmmPreset {
  readonly baseAssetReserve: bigint;
  readonly quoteAssetReserve: bigint;
  readonly concentrationCoef: bigint;
  readonly minBaseAssetReserve: bigint;
  readonly maxBaseAssetReserve: bigint;
  readonly sqrtK: bigint;
  /** The peg at the preset's start price; it moves with the oracle. */
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
  readonly referencePriceOffset: number;
}

/** A perp market as it is set up. Prices at 1e6, sizes at 1e9. */
export interface PerpPreset {
  readonly name: string;
  readonly marketIndex: number;
  /** Id of the Pyth Lazer feed; the oracle account is derived from it. */
  readonly feedId: number;
  /** Exponent of the feed's prices, negative. */
  readonly exponent: number;
  readonly startPrice: bigint;
  readonly tick: bigint;
  readonly step: bigint;
  readonly minOrderSize: bigint;
  readonly contractTier: number;
  readonly nextFillRecordId: bigint;
  readonly amm: AmmPreset;
}

/** A spot market as it is set up. `feedId` undefined is the quote asset, whose price is fixed at 1. */
export interface SpotPreset {
  readonly name: string;
  readonly marketIndex: number;
  readonly feedId: number | undefined;
  readonly mint: string;
  readonly startPrice: bigint;
  readonly decimals: number;
  readonly tick: bigint;
  readonly step: bigint;
  readonly minOrderSize: bigint;
  readonly ordersEnabled: boolean;
  readonly depositBalance: bigint;
  readonly borrowBalance: bigint;
  /** Interest indexes at 1e10. */
  readonly cumulativeDepositInterest: bigint;
  readonly cumulativeBorrowInterest: bigint;
  readonly initialAssetWeight: number;
  readonly maintenanceAssetWeight: number;
  readonly initialLiabilityWeight: number;
  readonly maintenanceLiabilityWeight: number;
  readonly nextFillRecordId: bigint;
}

const SOL_FEED = 6;

/** SOL-PERP, BTC-PERP and ETH-PERP with mainnet's market indexes, ticks, steps and AMM reserves. */
export const PERP_PRESETS: readonly PerpPreset[] = [
  {
    name: 'SOL-PERP',
    marketIndex: 0,
    feedId: SOL_FEED,
    exponent: -8,
    startPrice: 85_016_400n,
    tick: 100n,
    step: 10_000_000n,
    minOrderSize: 10_000_000n,
    contractTier: ContractTier.B,
    nextFillRecordId: 16_136_406n,
    amm: {
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
      markStd: 91_311n,
      oracleStd: 98_260n,
      baseSpread: 200,
      maxSpread: 20_000,
      longSpread: 906,
      shortSpread: 2_112,
      maxFillReserveFraction: 25_000,
      maxSlippageRatio: 50,
      curveUpdateIntensity: 104,
      ammJitIntensity: 100,
      referencePriceOffset: -400,
    },
  },
  {
    name: 'BTC-PERP',
    marketIndex: 1,
    feedId: 1,
    exponent: -8,
    startPrice: 104_966_700_000n,
    tick: 100_000n,
    step: 100_000n,
    minOrderSize: 100_000n,
    contractTier: ContractTier.A,
    nextFillRecordId: 5_347_514n,
    amm: {
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
      referencePriceOffset: 0,
    },
  },
  {
    name: 'ETH-PERP',
    marketIndex: 2,
    feedId: 2,
    exponent: -6,
    startPrice: 2_024_720_000n,
    tick: 10_000n,
    step: 1_000_000n,
    minOrderSize: 1_000_000n,
    contractTier: ContractTier.B,
    nextFillRecordId: 6_051_083n,
    amm: {
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
      totalFeeMinusDistributions: 564_046_417_913n,
      cumulativeFundingRateLong: 1_181_515_781_081n,
      cumulativeFundingRateShort: 1_179_889_156_104n,
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
      referencePriceOffset: 0,
    },
  },
];

/** USDC, the quote asset, and SOL, which has a book of its own. */
export const SPOT_PRESETS: readonly SpotPreset[] = [
  {
    name: 'USDC',
    marketIndex: 0,
    feedId: undefined,
    mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    startPrice: 1_000_000n,
    decimals: 6,
    tick: 0n,
    step: 0n,
    minOrderSize: 0n,
    ordersEnabled: false,
    depositBalance: 110_620_005_629_232_962n,
    borrowBalance: 48_161_686_444_869_411n,
    cumulativeDepositInterest: 12_012_201_110n,
    cumulativeBorrowInterest: 13_964_019_777n,
    initialAssetWeight: 10_000,
    maintenanceAssetWeight: 10_000,
    initialLiabilityWeight: 10_000,
    maintenanceLiabilityWeight: 10_000,
    nextFillRecordId: 1n,
  },
  {
    name: 'SOL',
    marketIndex: 1,
    feedId: SOL_FEED,
    mint: 'So11111111111111111111111111111111111111112',
    startPrice: 85_016_400n,
    decimals: 9,
    tick: 100n,
    step: 100_000n,
    minOrderSize: 100_000_000n,
    ordersEnabled: true,
    depositBalance: 246_991_204_540_850n,
    borrowBalance: 135_734_183_536_337n,
    cumulativeDepositInterest: 10_620_222_934n,
    cumulativeBorrowInterest: 11_605_890_567n,
    initialAssetWeight: 8_000,
    maintenanceAssetWeight: 9_000,
    initialLiabilityWeight: 12_000,
    maintenanceLiabilityWeight: 11_000,
    nextFillRecordId: 2_052_900n,
  },
];
