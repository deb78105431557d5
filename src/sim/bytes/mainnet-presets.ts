/**
 * The markets of mainnet for the simulated chain. Ticks, sizes, feeds and AMMs are derived by rules
 * instead of mainnet's values; each AMM is SOL-PERP's, scaled to the market's price. The markets of
 * the default demo are unchanged.
 */
import { type AmmPreset, SOL_AMM } from './amm-presets.js';
import { ContractTier } from './chain-enums.js';
import { MAINNET_PERPS, MAINNET_SPOTS } from './mainnet-markets.js';
import {
  FEW_MARKETS,
  type MarketPresets,
  type PerpPreset,
  SOL_START_PRICE,
  type SpotPreset,
} from './market-presets.js';

/** Maximum price in ticks; ticks are powers of ten. */
const TICKS_MAX = 1_000_000n;
/** The minimum order is the smallest power of ten of base worth half a dollar. */
const ORDER_WORTH_MIN = 500_000n;
/** First feed ids, unique per market. */
const PERP_FEEDS = 10_000;
const SPOT_FEEDS = 20_000;
/** The relative maker counts of busy markets; every other market has one. */
const BUSY_PARTS = new Map([
  ['SOL-PERP', 10],
  ['BTC-PERP', 5],
  ['ETH-PERP', 4],
  ['SOL', 3],
]);

/** Mainnet's markets, created on demand, because few demos use them. */
export function mainnetMarkets(): MarketPresets {
  return {
    perps: MAINNET_PERPS.map(
      ([name, dollars], index) =>
        FEW_MARKETS.perps[index] ?? perpPreset(name, index, priceOf(dollars)),
    ),
    spots: MAINNET_SPOTS.map(
      ([name, dollars, decimals], index) =>
        FEW_MARKETS.spots[index] ?? spotPreset(name, index, { decimals, price: priceOf(dollars) }),
    ),
    partsOf: (name) => BUSY_PARTS.get(name) ?? 1,
  };
}

function perpPreset(name: string, marketIndex: number, startPrice: bigint): PerpPreset {
  const step = smallestOrder(startPrice, 9);
  return {
    name,
    marketIndex,
    startPrice,
    step,
    feedId: PERP_FEEDS + marketIndex,
    exponent: -8,
    tick: tickOf(startPrice),
    minOrderSize: step,
    contractTier: ContractTier.B,
    nextFillRecordId: 1n,
    amm: ammAt(startPrice),
  };
}

function spotPreset(
  name: string,
  marketIndex: number,
  { decimals, price }: { readonly decimals: number; readonly price: bigint },
): SpotPreset {
  const sol = FEW_MARKETS.spots[1];
  if (sol === undefined) throw new Error('Invariant: SOL is the second spot market');
  const step = smallestOrder(price, decimals);
  return {
    ...sol,
    name,
    marketIndex,
    decimals,
    step,
    feedId: SPOT_FEEDS + marketIndex,
    startPrice: price,
    tick: tickOf(price),
    minOrderSize: step,
    nextFillRecordId: 1n,
  };
}

function priceOf(dollars: number): bigint {
  return BigInt(Math.round(dollars * 1_000_000));
}

function tickOf(price: bigint): bigint {
  let tick = 1n;
  while (price / tick >= TICKS_MAX) tick *= 10n;
  return tick;
}

function smallestOrder(price: bigint, decimals: number): bigint {
  const token = 10n ** BigInt(decimals);
  let size = 1n;
  while ((size * price) / token < ORDER_WORTH_MIN) size *= 10n;
  return size;
}

/** SOL-PERP's curve scaled to another base price: equal depth in dollars, and no history. */
function ammAt(price: bigint): AmmPreset {
  const base = (amount: bigint): bigint => (amount * SOL_START_PRICE) / price;
  const quote = (amount: bigint): bigint => (amount * price) / SOL_START_PRICE;
  return {
    ...SOL_AMM,
    baseAssetReserve: base(SOL_AMM.baseAssetReserve),
    quoteAssetReserve: base(SOL_AMM.quoteAssetReserve),
    minBaseAssetReserve: base(SOL_AMM.minBaseAssetReserve),
    maxBaseAssetReserve: base(SOL_AMM.maxBaseAssetReserve),
    sqrtK: base(SOL_AMM.sqrtK),
    pegMultiplier: quote(SOL_AMM.pegMultiplier),
    terminalQuoteAssetReserve: base(SOL_AMM.terminalQuoteAssetReserve),
    baseAssetAmountLong: base(SOL_AMM.baseAssetAmountLong),
    baseAssetAmountShort: base(SOL_AMM.baseAssetAmountShort),
    baseAssetAmountWithAmm: base(SOL_AMM.baseAssetAmountWithAmm),
    maxOpenInterest: base(SOL_AMM.maxOpenInterest),
    askBaseAssetReserve: base(SOL_AMM.askBaseAssetReserve),
    askQuoteAssetReserve: base(SOL_AMM.askQuoteAssetReserve),
    bidBaseAssetReserve: base(SOL_AMM.bidBaseAssetReserve),
    bidQuoteAssetReserve: base(SOL_AMM.bidQuoteAssetReserve),
    lastFundingRate: quote(SOL_AMM.lastFundingRate),
    last24hAvgFundingRate: quote(SOL_AMM.last24hAvgFundingRate),
    cumulativeFundingRateLong: quote(SOL_AMM.cumulativeFundingRateLong),
    cumulativeFundingRateShort: quote(SOL_AMM.cumulativeFundingRateShort),
    volume24h: 0n,
    markStd: quote(SOL_AMM.markStd),
    oracleStd: quote(SOL_AMM.oracleStd),
  };
}
