import type { ProgramName } from '../../contract/program.js';
import { type AmmPreset, BTC_AMM, ETH_AMM, SOL_AMM } from './amm-presets.js';
import { ContractTier } from './generated/enums.js';
import { keyOf } from './keys.js';

/** The initial state of a perp market. Prices at 1e6, sizes at 1e9. */
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

/** The initial state of a spot market. `feedId` is undefined for the quote asset, whose price is fixed at 1. */
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

/** A spot market whose orders never change: prices at 1e6. */
export interface StillMarket {
  readonly preset: SpotPreset;
  readonly bids: readonly bigint[];
  readonly asks: readonly bigint[];
}

/** The markets of a simulated chain. */
export interface MarketPresets {
  readonly program: ProgramName;
  readonly perps: readonly PerpPreset[];
  /** The spot markets by market index; the first is the quote asset. */
  readonly spots: readonly SpotPreset[];
  /** Spot markets after those, without traders. */
  readonly stills?: readonly StillMarket[];
  /** Returns the relative number of makers of a market, 1 or more. */
  partsOf(name: string): number;
}

const SOL_FEED = 6;
/** At 1e6. */
export const SOL_START_PRICE = 85_016_400n;

/** SOL-PERP, BTC-PERP and ETH-PERP with mainnet's market indexes, ticks, steps and AMM reserves. */
export const PERP_PRESETS: readonly PerpPreset[] = [
  {
    name: 'SOL-PERP',
    marketIndex: 0,
    feedId: SOL_FEED,
    exponent: -8,
    startPrice: SOL_START_PRICE,
    tick: 100n,
    step: 10_000_000n,
    minOrderSize: 10_000_000n,
    contractTier: ContractTier.B,
    nextFillRecordId: 16_136_406n,
    amm: SOL_AMM,
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
    amm: BTC_AMM,
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
    amm: ETH_AMM,
  },
];

/** USDC, the quote asset, and SOL, which has a book. */
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
    startPrice: SOL_START_PRICE,
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

const FEW_PARTS = new Map([
  ['SOL-PERP', 8],
  ['BTC-PERP', 5],
  ['ETH-PERP', 4],
  ['SOL', 3],
]);

/** Three perpetual markets, SOL and USDC. */
export const FEW_MARKETS: MarketPresets = {
  program: 'drift',
  perps: PERP_PRESETS,
  spots: SPOT_PRESETS,
  partsOf: (name) => FEW_PARTS.get(name) ?? 1,
};

/** The markets of the default demo, which shows an empty and a crossed book as well. */
export const DEMO_MARKETS: MarketPresets = {
  ...FEW_MARKETS,
  stills: [
    { preset: stillPreset('EMPTY', 2), bids: [], asks: [] },
    {
      preset: stillPreset('CROSSED', 3),
      bids: [85_020_000n, 85_015_000n, 85_010_000n, 84_980_000n],
      asks: [85_012_000n, 85_018_000n, 85_025_000n, 85_050_000n],
    },
  ],
};

/** A market with the terms and the oracle of SOL. */
function stillPreset(name: string, marketIndex: number): SpotPreset {
  const sol = SPOT_PRESETS[1];
  if (sol === undefined) throw new Error('Invariant: SOL is the second spot market');
  const mint = keyOf(new Uint8Array(32).fill(marketIndex));
  return { ...sol, name, marketIndex, mint };
}
