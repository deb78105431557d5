/** The oracle's part of the plain book: which price, from which account, and whether it holds. */
import type { PlainMarket } from './plain-book.js';

/**
 * Where the fields of market accounts lie.
 *
 * Source: programs/drift/src/state/{perp_market,spot_market}.rs, by the IDL 2.162.0.
 */
export const MARKET_OFFSETS = {
  perp: {
    name: 1000,
    marketIndex: 1160,
    status: 1162,
    contractType: 1163,
    tier: 1164,
    pausedOperations: 1165,
    expiryTs: 1080,
    tick: 816,
    step: 808,
    oracleSource: 926,
    lastOraclePrice: 72,
    lastOracleTwap: 96,
  },
  spot: {
    name: 136,
    marketIndex: 684,
    status: 688,
    tier: 689,
    pausedOperations: 690,
    expiryTs: 584,
    tick: 600,
    step: 592,
    decimals: 680,
    oracleSource: 687,
    lastOraclePrice: 168,
    lastOracleTwap: 192,
  },
} as const;

/** Names that the bodies use for an empty book and for left-out orders. */
export const REASON = {
  marketStatus: 'marketStatus',
  marketFillPaused: 'marketFillPaused',
  exchangeFillPaused: 'exchangeFillPaused',
  marketExpired: 'marketExpired',
  oracleMissing: 'oracleMissing',
} as const;

interface Reading {
  readonly price: bigint;
  readonly confidence: bigint;
  readonly slot: bigint;
  readonly sequenceId: bigint;
  /** What the SDK shows as `twap` and `twapConfidence`; absent where it shows none. */
  readonly average?: bigint;
}

/** What the oracle says to one market. */
export interface PlainOracle {
  /** The price of oracle-offset orders, 1e6; undefined while they cannot be priced. */
  readonly pricing: bigint | undefined;
  /** Its members in the bodies. */
  readonly head: Readonly<Record<string, unknown>>;
  /** Mark, best and spread of /l2 for these best prices. */
  prices(top: Top): Readonly<Record<string, string>>;
}

interface Top {
  readonly bid: string | undefined;
  readonly ask: string | undefined;
}

/** Reads the oracle of a market: its account, the market makers' price, and the guard rails. */
export function oracleView(given: {
  readonly market: PlainMarket;
  readonly state: Buffer;
  readonly oracles: ReadonlyMap<string, Buffer>;
  readonly slot: bigint;
}): PlainOracle {
  const { market, state, slot } = given;
  const exchange = exchangeReading(market, given.oracles, slot);
  if (exchange === undefined) {
    const shown = market.lastOraclePrice;
    const nothing = { oracle: Number(shown), oracleData: {}, mmOracleData: {} };
    const head = { ...nothing, offsetOrdersExcluded: REASON.oracleMissing };
    return { pricing: undefined, head, prices: (top) => prices(top, undefined, shown) };
  }
  const used = market.isPerp ? mmReading({ market, exchange, state, slot }) : exchange;
  const fault = faultOf({ market, reading: used, state, slot });
  const head = {
    oracle: Number(exchange.price),
    oracleData: shownReading(exchange),
    mmOracleData: shownReading(used),
    ...(fault === undefined ? {} : { offsetOrdersExcluded: fault }),
  };
  const pricing = fault === undefined ? used.price : undefined;
  return { pricing, head, prices: (top) => prices(top, used.price, exchange.price) };
}

function shownReading({ price, confidence, slot, average }: Reading) {
  return {
    price: `${price}`,
    slot: `${slot}`,
    confidence: `${confidence}`,
    hasSufficientNumberOfDataPoints: true,
    ...(average === undefined ? {} : { twap: `${average}`, twapConfidence: `${average}` }),
  };
}

const QUOTE_ASSET = 2;
/** Pyth Lazer sources with what their prices are multiplied by. */
const LAZER_MULTIPLES: ReadonlyMap<number, bigint> = new Map([
  [12, 1n],
  [13, 1_000n],
  [14, 1_000_000n],
]);

/** Source: programs/drift/src/state/oracle.rs get_pyth_price. */
function exchangeReading(
  market: PlainMarket,
  oracles: ReadonlyMap<string, Buffer>,
  slot: bigint,
): Reading | undefined {
  if (market.oracleSource === QUOTE_ASSET) {
    return { price: 1_000_000n, confidence: 1n, slot, sequenceId: 0n };
  }
  const data = oracles.get(market.oracleKey);
  if (data === undefined || data.length === 0) return undefined;
  const multiple = LAZER_MULTIPLES.get(market.oracleSource);
  if (multiple === undefined) throw new Error(`no reader for oracle source ${market.oracleSource}`);
  const precision = 10n ** BigInt(Math.abs(data.readInt32LE(32))) / multiple;
  const scaled = (value: bigint) =>
    precision > 1_000_000n ? value / (precision / 1_000_000n) : value * (1_000_000n / precision);
  const price = scaled(data.readBigInt64LE(8));
  return {
    ...{ price, average: price },
    confidence: scaled(data.readBigUInt64LE(40)),
    slot: data.readBigUInt64LE(24),
    sequenceId: data.readBigUInt64LE(16),
  };
}

interface Judged {
  readonly market: PlainMarket;
  readonly state: Buffer;
  readonly slot: bigint;
}

/**
 * The market makers' price where it is set, sound, as recent as the exchange's and near it.
 *
 * Source: programs/drift/src/state/perp_market.rs get_mm_oracle_price_data.
 */
function mmReading({ market, exchange, state, slot }: Judged & { exchange: Reading }): Reading {
  const mm = {
    price: market.data.readBigInt64LE(912),
    slot: market.data.readBigUInt64LE(832),
    sequenceId: market.data.readBigUInt64LE(936),
  };
  const apart = magnitude(mm.price - exchange.price);
  const isFar = (apart * 1_000_000n) / atLeastOne(magnitude(exchange.price)) > 10_000n;
  if (mm.slot === 0n || mm.price <= 0n || isFar) return exchange;
  if (isVolatile(mm.price, market, state) || isOlder(mm, exchange, slot)) return exchange;
  return { ...mm, confidence: exchange.confidence + apart };
}

/** By sequence id where both have one and the two are within 0.01 %, else by age in slots. */
function isOlder(
  mm: Pick<Reading, 'slot' | 'sequenceId'>,
  exchange: Pick<Reading, 'slot' | 'sequenceId'>,
  slot: bigint,
): boolean {
  const ours = mm.sequenceId;
  const theirs = exchange.sequenceId;
  const isComparable = ours !== 0n && theirs !== 0n && magnitude(ours - theirs) < theirs / 10_000n;
  if (isComparable) return ours < theirs;
  return age(mm.slot, slot) > age(exchange.slot, slot);
}

const PERP_TIER_MULTIPLES = [1n, 1n, 2n, 10n, 50n, 50n];
const SPOT_TIER_MULTIPLES = [1n, 1n, 5n, 50n, 50n];

/**
 * Why orders cannot be priced with this reading; undefined when they can. Staleness for the AMM
 * alone does not matter to them.
 *
 * Source: programs/drift/src/math/oracle.rs oracle_validity, is_oracle_valid_for_action.
 */
function faultOf({ market, reading, state, slot }: Judged & { reading: Reading }) {
  if (reading.price <= 0n) return 'nonPositive';
  if (isVolatile(reading.price, market, state)) return 'tooVolatile';
  const multiples = market.isPerp ? PERP_TIER_MULTIPLES : SPOT_TIER_MULTIPLES;
  const uncertainty = (reading.confidence * 1_000_000n) / reading.price;
  if (uncertainty > state.readBigUInt64LE(920) * (multiples[market.tier] ?? 1n))
    return 'tooUncertain';
  if (age(reading.slot, slot) > state.readBigInt64LE(912)) return 'staleForMargin';
  return undefined;
}

function isVolatile(price: bigint, { lastOracleTwap }: PlainMarket, state: Buffer): boolean {
  const [low, high] = price < lastOracleTwap ? [price, lastOracleTwap] : [lastOracleTwap, price];
  return high / atLeastOne(low) > state.readBigInt64LE(928);
}

/** Source: the incumbent's calculateSpreadBidAskMark; `used` is the reading that prices orders. */
function prices(top: Top, used: bigint | undefined, shown: bigint): Record<string, string> {
  if (top.bid === undefined || top.ask === undefined) return { markPrice: `${shown}` };
  const bid = BigInt(top.bid);
  const ask = BigInt(top.ask);
  const mark = markPrice(bid, ask, used);
  const spread = ask > bid ? ask - bid : 0n;
  return {
    markPrice: `${mark}`,
    bestBidPrice: `${bid}`,
    bestAskPrice: `${ask}`,
    spreadPct: `${(spread * 100_000_000n) / mark}`,
    spreadQuote: `${spread}`,
  };
}

function markPrice(bid: bigint, ask: bigint, oracle: bigint | undefined): bigint {
  if (bid <= ask || oracle === undefined) return (bid + ask) / 2n;
  if (bid > oracle && ask > oracle) return ask;
  if (bid < oracle && ask < oracle) return bid;
  return oracle;
}

const magnitude = (value: bigint) => (value < 0n ? -value : value);
const atLeastOne = (value: bigint) => (value > 1n ? value : 1n);
const age = (published: bigint, now: bigint) => (now > published ? now - published : 0n);
