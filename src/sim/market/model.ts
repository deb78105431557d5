import type { MarketAddresses } from '../bytes/accounts.js';
import type { FundingFields, OpenPositions } from '../bytes/amm-bytes.js';
import type { MarketType } from '../bytes/generated/enums.js';
import type { PerpPreset, SpotPreset } from '../bytes/market-presets.js';
import type { OrderFields } from '../bytes/user-account.js';

/** A random-walk price at 1e6. */
export interface Feed {
  readonly pubkey: string;
  readonly exponent: number;
  readonly tick: bigint;
  price: bigint;
  postedSlot: bigint;
  publishTimeUs: bigint;
}

/** A market with a book. */
export interface SimulatedMarket {
  readonly name: string;
  readonly marketType: MarketType;
  readonly marketIndex: number;
  readonly tick: bigint;
  readonly step: bigint;
  readonly minOrderSize: bigint;
  readonly feed: Feed;
  readonly addresses: MarketAddresses;
  readonly preset: PerpPreset | SpotPreset;
  status: number;
  pausedOperations: number;
  mmOracle: { price: bigint; slot: bigint; sequenceId: bigint };
  lastFillPrice: bigint;
  nextFillRecordId: bigint;
  volume24h: bigint;
  lastTradeTs: bigint;
  /** Perp markets only. */
  funding: FundingFields;
  positions: OpenPositions;
}

/** A perp position. Base at 1e9, quote at 1e6. */
export interface PerpHolding {
  readonly base: bigint;
  readonly quote: bigint;
}

/** A token balance: a signed amount in its decimals. */
export interface TokenHolding {
  readonly preset: SpotPreset;
  readonly amount: bigint;
}

/** The owner of an account: a maker that quotes, or a trader that also takes. */
export interface Maker {
  readonly pubkey: string;
  readonly authority: string;
  readonly name: string;
  /** Markets quoted; never empty. */
  readonly markets: readonly SimulatedMarket[];
  readonly isTrader: boolean;
  readonly quotesTarget: number;
  /** Share of oracle-offset quotes in percent. */
  readonly floatingPercent: number;
  readonly orders: (OrderFields | undefined)[];
  /** Perp positions by market index, in the order of the account; at most eight. */
  readonly perps: Map<number, PerpHolding>;
  /** Token balances by spot market index, USDC first; at most eight. */
  readonly tokens: Map<number, TokenHolding>;
  status: number;
  nextOrderId: number;
  lastActiveSlot: bigint;
}
