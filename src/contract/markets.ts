/** The two types of markets that the program has. */
export type MarketType = 'perp' | 'spot';

/** Names a market: its type and its index among the markets of that type. */
export type MarketKey = `perp_${number}` | `spot_${number}`;

/** What is known of a market. Prices at 1e6, sizes in the market's own `decimals`. */
export interface MarketInfo {
  /** The engine's index of the market. */
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
  /** The token that is traded; null for perps. */
  readonly mint: string | null;
  readonly oracle: string;
  readonly oracleSource: string;
  /** Why the book shows no orders whatever is on chain; null when it shows them. */
  readonly emptyReason: string | null;
}

/** What accounts and oracles say of a market for statistics. Prices at 1e6, base at 1e9. */
export interface ChainStats {
  /** From the oracle's account; while that cannot be read what the program read last, else 0. */
  readonly oraclePrice: bigint;
  /** What the first tier's taker pays and its maker gets, as a part of the quote at 1e9. */
  readonly takerFee: bigint;
  readonly makerRebate: bigint;
  /** Null for spot markets. */
  readonly perp: PerpStats | null;
  /** Deposits and borrows with interest, in the token's decimals; null for perp markets. */
  readonly spot: { readonly deposits: bigint; readonly borrows: bigint } | null;
}

/** The part of {@link ChainStats} that only perp markets have. */
export interface PerpStats {
  /** Sums of the users' positions; that of the shorts is not above zero. */
  readonly baseLong: bigint;
  readonly baseShort: bigint;
  /** The last funding rate, quote for a base and hour, at 1e9. */
  readonly fundingRate: bigint;
  /** The program's own running average of the rates of 24 hours. */
  readonly fundingRate24h: bigint;
  /** The oracle's average price of the last funding. */
  readonly fundingOracleTwap: bigint;
  /** When the rate was last set, unix seconds; 0 before the first. */
  readonly fundingTs: bigint;
  /** Initial margin of a position as a part of its value, at 1e4. */
  readonly marginRatioInitial: bigint;
}
