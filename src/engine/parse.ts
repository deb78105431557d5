import type { ChainStats, MarketInfo, PerpStats } from '../contract/markets.js';
import type { ProgramName } from '../contract/program.js';

/*
 * The core writes these texts, and the core's tests fix their shape. Only this file asserts types
 * without checking every member.
 */

/** The members of a market that are integers as text. */
const INTEGERS = ['tickSize', 'stepSize', 'minOrderSize'];

/** The quote token of each program, which is that of spot market 0. */
const QUOTE_ASSETS = { drift: 'USDC', velocity: 'USDT' } as const;

/** Parses the markets, indexed by id. */
export function parseMarkets(text: string, program: ProgramName): readonly MarketInfo[] {
  const markets: readonly Omit<MarketInfo, 'quoteAsset'>[] = JSON.parse(text, (name, value) =>
    INTEGERS.includes(name) ? BigInt(value) : value,
  );
  const quote = markets.find((info) => info.marketType === 'spot' && info.marketIndex === 0);
  const quoteAsset = quote?.symbol ?? QUOTE_ASSETS[program];
  return markets.map((market) => ({ ...market, quoteAsset }));
}

type PerpText = Readonly<Record<keyof PerpStats, string>>;

interface ChainStatsText {
  readonly oraclePrice: string;
  readonly takerFee: string;
  readonly makerRebate: string;
  readonly perp: PerpText | null;
  readonly spot: { readonly deposits: string; readonly borrows: string } | null;
}

/** Parses the chain values, indexed by market id. */
export function parseChainStats(text: string): readonly ChainStats[] {
  const markets = JSON.parse(text) as readonly ChainStatsText[];
  return markets.map(({ oraclePrice, takerFee, makerRebate, perp, spot }) => ({
    oraclePrice: BigInt(oraclePrice),
    takerFee: BigInt(takerFee),
    makerRebate: BigInt(makerRebate),
    perp: perp === null ? null : parsePerpStats(perp),
    spot: spot === null ? null : { deposits: BigInt(spot.deposits), borrows: BigInt(spot.borrows) },
  }));
}

function parsePerpStats(text: PerpText): PerpStats {
  return {
    baseLong: BigInt(text.baseLong),
    baseShort: BigInt(text.baseShort),
    fundingRate: BigInt(text.fundingRate),
    fundingRate24h: BigInt(text.fundingRate24h),
    fundingOracleTwap: BigInt(text.fundingOracleTwap),
    fundingTs: BigInt(text.fundingTs),
    marginRatioInitial: BigInt(text.marginRatioInitial),
  };
}

/** Parses a text of which no member needs a conversion. */
export function parseText<Parsed>(text: string): Parsed {
  return JSON.parse(text) as Parsed;
}
