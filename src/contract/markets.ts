/** The two types of markets that the program has. */
export type MarketType = 'perp' | 'spot';

/** Identifies a market: its type and its index among the markets of that type. */
export type MarketKey = `perp_${number}` | `spot_${number}`;

/** The facts about a market. Prices are at 1e6, sizes in the market's own `decimals`. */
export interface MarketInfo {
  /** The engine's id of the market. */
  readonly id: number;
  /** Its name in bodies and topics, of this market alone: that on chain, or its key, as `perp_7`. */
  readonly symbol: string;
  /** The name on chain, any text; several markets may have one. */
  readonly name: string;
  readonly account: string;
  readonly marketType: MarketType;
  readonly marketIndex: number;
  readonly status: string;
  /** Price steps. */
  readonly tickSize: bigint;
  /** Size steps. */
  readonly stepSize: bigint;
  readonly minOrderSize: bigint;
  readonly decimals: number;
  /** Whether no price may be above 1. */
  readonly isPrediction: boolean;
  /** The base token's mint; null for perps. */
  readonly mint: string | null;
  readonly oracle: string;
  readonly oracleSource: string;
  /** The token in which prices are quoted, which is that of spot market 0. */
  readonly quoteAsset: string;
  /** The rule that empties the book; null when no rule does. */
  readonly emptyReason: string | null;
}

/** Statistics of a market from its accounts and oracles. Prices are at 1e6, base at 1e9. */
export interface ChainStats {
  /** The oracle's price; if its account is unreadable, the program's last price, otherwise 0. */
  readonly oraclePrice: bigint;
  /** Taker fee and maker rebate of the first fee tier, as fractions of the quote at 1e9. */
  readonly takerFee: bigint;
  readonly makerRebate: bigint;
  /** Null for spot markets. */
  readonly perp: PerpStats | null;
  /** Deposits and borrows including interest, in the token's decimals; null for perp markets. */
  readonly spot: { readonly deposits: bigint; readonly borrows: bigint } | null;
}

/** The part of {@link ChainStats} for perp markets. */
export interface PerpStats {
  /** Sums of the users' long and short positions; the sum of the shorts is negative or 0. */
  readonly baseLong: bigint;
  readonly baseShort: bigint;
  /** The last funding rate, quote per base and hour, at 1e9. */
  readonly fundingRate: bigint;
  /** The 24-hour average of funding rates that the program stores. */
  readonly fundingRate24h: bigint;
  /** The oracle's average price at the last funding update. */
  readonly fundingOracleTwap: bigint;
  /** The time of the last funding update, unix seconds; 0 before the first. */
  readonly fundingTs: bigint;
  /** The initial margin as a fraction of the position's value, at 1e4. */
  readonly marginRatioInitial: bigint;
}
