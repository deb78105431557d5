/**
 * The markets of mainnet for the simulated chain. Ticks, sizes, feeds and AMMs follow from rules
 * and are not mainnet's values; each AMM is that of SOL-PERP, scaled to the market's price. The
 * markets of the default demo are unchanged.
 */
import { type AmmPreset, SOL_AMM, VELOCITY_SOL_AMM } from './amm-presets.js';
import { ContractTier } from './generated/enums.js';
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
/**
 * The value of a minimum order, quote at 1e6: the smallest power of ten of base worth half a dollar
 * is the minimum.
 */
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

/** Returns mainnet's markets, created on demand, because few demos use them. */
export function mainnetMarkets(): MarketPresets {
  return {
    program: 'drift',
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

/** Velocity's quote asset: USDT. */
const USDT: Pick<SpotPreset, 'name' | 'mint'> = {
  name: 'USDT',
  mint: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
};
const VELOCITY_PERPS = ['SOL-PERP', 'BTC-PERP', 'ETH-PERP', 'HYPE-PERP', 'ZEC-PERP'];
const VELOCITY_PARTS = new Map([
  ['SOL-PERP', 8],
  ['BTC-PERP', 5],
  ['ETH-PERP', 4],
  ['HYPE-PERP', 3],
]);

/** Velocity's five perpetual markets, quoted in USDT, with the curve of its SOL-PERP. */
export function velocityMarkets(): MarketPresets {
  const quote = FEW_MARKETS.spots[0];
  if (quote === undefined) throw new Error('Invariant: there is a quote asset');
  return {
    program: 'velocity',
    perps: VELOCITY_PERPS.map((name, index) => {
      const dollars = MAINNET_PERPS.find(([other]) => other === name)?.[1] ?? 1;
      const preset = FEW_MARKETS.perps[index] ?? perpPreset(name, index, priceOf(dollars));
      return { ...preset, amm: ammAt(preset.startPrice, VELOCITY_SOL_AMM) };
    }),
    spots: [{ ...quote, ...USDT }],
    partsOf: (name) => VELOCITY_PARTS.get(name) ?? 1,
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

/**
 * Returns the curve of SOL-PERP scaled to another base price: equal depth in dollars, and no
 * history.
 */
function ammAt(price: bigint, sol = SOL_AMM): AmmPreset {
  const base = (amount: bigint): bigint => (amount * SOL_START_PRICE) / price;
  const quote = (amount: bigint): bigint => (amount * price) / SOL_START_PRICE;
  return {
    ...sol,
    baseAssetReserve: base(sol.baseAssetReserve),
    quoteAssetReserve: base(sol.quoteAssetReserve),
    minBaseAssetReserve: base(sol.minBaseAssetReserve),
    maxBaseAssetReserve: base(sol.maxBaseAssetReserve),
    sqrtK: base(sol.sqrtK),
    pegMultiplier: quote(sol.pegMultiplier),
    terminalQuoteAssetReserve: base(sol.terminalQuoteAssetReserve),
    baseAssetAmountLong: base(sol.baseAssetAmountLong),
    baseAssetAmountShort: base(sol.baseAssetAmountShort),
    baseAssetAmountWithAmm: base(sol.baseAssetAmountWithAmm),
    maxOpenInterest: base(sol.maxOpenInterest),
    askBaseAssetReserve: base(sol.askBaseAssetReserve),
    askQuoteAssetReserve: base(sol.askQuoteAssetReserve),
    bidBaseAssetReserve: base(sol.bidBaseAssetReserve),
    bidQuoteAssetReserve: base(sol.bidQuoteAssetReserve),
    lastFundingRate: quote(sol.lastFundingRate),
    last24hAvgFundingRate: quote(sol.last24hAvgFundingRate),
    volume24h: 0n,
    markStd: quote(sol.markStd),
    oracleStd: quote(sol.oracleStd),
  };
}
