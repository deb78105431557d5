/** The two types of markets that the program has. */
export type MarketType = 'perp' | 'spot';

/** Identifies a market: its type and its index among the markets of that type. */
export type MarketKey = `perp_${number}` | `spot_${number}`;

/** The facts of a market. Prices at 1e6, sizes in the market's own `decimals`. */
export interface MarketInfo {
  /** The engine's id of the market. */
  readonly id: number;
  readonly symbol: string;
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
  /** The base token's mint; null for perps. */
  readonly mint: string | null;
  readonly oracle: string;
  readonly oracleSource: string;
  /** Why a rule empties the book; null when none does. */
  readonly emptyReason: string | null;
}

/** Statistics of a market from accounts and oracles. Prices at 1e6, base at 1e9. */
export interface ChainStats {
  /** From the oracle's account; if unreadable, the program's last price, else 0. */
  readonly oraclePrice: bigint;
  /** The first tier's taker fee and maker rebate, as a fraction of the quote at 1e9. */
  readonly takerFee: bigint;
  readonly makerRebate: bigint;
  /** Null for spot markets. */
  readonly perp: PerpStats | null;
  /** Deposits and borrows with interest, in the token's decimals; null for perp markets. */
  readonly spot: { readonly deposits: bigint; readonly borrows: bigint } | null;
}

/** The part of {@link ChainStats} for perp markets. */
export interface PerpStats {
  /** Sums of the users' positions; the shorts' sum is not above zero. */
  readonly baseLong: bigint;
  readonly baseShort: bigint;
  /** The last funding rate, quote for a base and hour, at 1e9. */
  readonly fundingRate: bigint;
  /** The program's running 24-hour average of funding rates. */
  readonly fundingRate24h: bigint;
  /** The oracle's average price at the last funding. */
  readonly fundingOracleTwap: bigint;
  /** When the rate was last set, unix seconds; 0 before the first. */
  readonly fundingTs: bigint;
  /** Initial margin as a fraction of the position's value, at 1e4. */
  readonly marginRatioInitial: bigint;
}
