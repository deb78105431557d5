/** The bodies about the book and about the service, as docs/api.md describes them. */
import {
  base,
  decimal,
  flag,
  integer,
  list,
  type Of,
  object,
  orNull,
  price,
  quote,
  record,
  text,
  whole,
  word,
} from '../fields.js';
import { bookState, level, orderFacts, restingOrder } from '../row-shapes.js';

const feedState = word('starting', 'live', 'lagging', 'stale', 'rebuilding');
const marketType = word('perp', 'spot');

const auction = object({
  orderType: word('market', 'limit', 'triggerMarket', 'triggerLimit', 'oracle'),
  direction: word('long', 'short'),
  /** The limit price that the order names, 0 for none. */
  price,
  /** What can still fill. */
  size: base,
  baseAssetAmount: base,
  baseAssetAmountFilled: base,
  ...orderFacts,
  auctionStartPrice: price,
  auctionEndPrice: price,
  startPrice: orNull(price),
  endPrice: orNull(price),
  currentPrice: orNull(price),
  auctionDuration: whole,
  slotsLeft: whole,
});

/** Without members while the oracle has not been read. */
const oracleReading = object(
  {},
  {
    ...{ price, slot: integer, confidence: price, hasSufficientNumberOfDataPoints: flag },
    ...{ twap: price, twapConfidence: price },
  },
);

const identity = {
  marketName: text,
  marketType,
  marketIndex: whole,
  /** Unix milliseconds. */
  ts: whole,
  slot: whole,
};

const version = {
  oracle: price,
  oracleData: oracleReading,
  mmOracleData: oracleReading,
  marketSlot: whole,
  seq: whole,
  epoch: text,
  state: bookState,
  crossed: flag,
};

/** The turn that a body of a past moment shows. */
const asOf = object({ epoch: text, slot: whole, ts: whole });

const versionReasons = { reason: text, offsetOrdersExcluded: text, asOf };

/** The body of /l2. */
export const l2Book = object(
  {
    bids: list(level),
    asks: list(level),
    ...identity,
    markPrice: price,
    ...version,
    bestBidPrice: orNull(price),
    bestAskPrice: orNull(price),
    /** Percent at 1e6. */
    spreadPct: orNull(integer),
    spreadQuote: orNull(quote),
  },
  versionReasons,
);

/** The body of /l3. */
export const l3Book = object(
  { bids: list(restingOrder), asks: list(restingOrder), ...identity, ...version },
  versionReasons,
);

/** The body of /auctions. */
export const auctionsBook = object(
  { auctions: list(auction), ...identity, ...version },
  versionReasons,
);

const fill = object({
  source: word('jit', 'dlob', 'vamm', 'external'),
  maker: orNull(text),
  orderId: orNull(whole),
  price,
  size: base,
  quote,
  takerFee: quote,
  makerRebate: quote,
});

/** The body of /match. */
export const matchAnswer = object(
  {
    fills: list(fill),
    filledBase: base,
    filledQuote: quote,
    averagePrice: orNull(price),
    worstPrice: orNull(price),
    /** A fraction as decimal text. */
    priceImpact: orNull(text),
    takerFee: quote,
    /** Base where a size was requested, else quote. */
    unfilled: integer,
    rests: orNull(object({ price, size: base, rebateRate: orNull(text) })),
    ...identity,
    seq: whole,
    model: word('spec', 'onchain'),
    epoch: text,
    state: bookState,
  },
  { reason: text, asOf },
);

/** The body of /topMakers, accounts alone. */
export const topMakers = list(text);
/** The body of /topMakers with the bytes of each account. */
export const topMakerAccounts = list(
  object({ userAccountPubKey: text, accountBase64: orNull(text) }),
);

/** The body of /markets. */
export const markets = list(
  object({
    symbol: text,
    marketIndex: whole,
    marketType,
    status: text,
    tick: price,
    /** In the market's own base decimals, as is minOrderSize. */
    step: integer,
    minOrderSize: integer,
    decimals: whole,
    oracle: text,
    oracleSource: text,
    emptyReason: orNull(text),
    baseAsset: text,
    quoteAsset: text,
    /** Of the first fee tier, as parts of the quote; a rebate is negative. */
    fees: object({ maker: decimal, taker: decimal }),
    /** 1 in spot markets. */
    leverageMax: decimal,
  }),
);

const marketStatus = object({
  symbol: text,
  marketIndex: whole,
  marketType,
  seq: whole,
  slot: whole,
  lag: whole,
  state: bookState,
  ordersShown: whole,
  emptyReason: orNull(text),
  vammShown: flag,
  vammReason: orNull(text),
});

const venueMarket = object({
  symbol: text,
  used: flag,
  levels: whole,
  ageMs: orNull(decimal),
  reason: orNull(text),
});

const historyState = word('off', 'starting', 'backfilling', 'live', 'failing');

const historyStatus = object({
  state: historyState,
  /** Why it is not live; null when it is. */
  reason: orNull(text),
  trades: whole,
  fundingRates: whole,
  /** Transactions whose log the node had cut. */
  truncated: whole,
  queued: whole,
  spansOpen: whole,
  /** All before this slot is complete, but for open spans. */
  finalisedSlot: whole,
  newestSlot: whole,
  lagMs: orNull(decimal),
  /** Numbers of fills that are missing between stored ones, by market. */
  missingFills: record(whole),
  storeFailures: whole,
  events: record(whole),
});

const journalState = word('starting', 'writing', 'stopped');

/** A moment of the book: the chain's slot, and Unix milliseconds. */
const moment = object({ slot: whole, ts: whole });

const journalStatus = object({
  state: journalState,
  /** Why nothing is written; null while all is well. */
  reason: orNull(text),
  segments: whole,
  bytes: whole,
  gaps: whole,
  /** Null without any. */
  oldest: orNull(moment),
  newest: orNull(moment),
  queuedBytes: whole,
  events: record(whole),
});

/** The body of /journal. */
export const journal = object({
  state: journalState,
  reason: orNull(text),
  segments: whole,
  bytes: whole,
  /** What is kept without a hole, oldest first. */
  ranges: list(object({ epoch: text, first: moment, last: moment, segments: whole, bytes: whole })),
  /** Between the ranges. */
  gaps: list(object({ from: moment, to: moment, reason: text })),
});

/** The body of /status. */
export const serviceStatus = object(
  {
    state: feedState,
    reason: orNull(text),
    slot: whole,
    slotAgeMs: decimal,
    slotLag: whole,
    epoch: text,
    genesisHash: orNull(text),
    commitment: text,
    node: orNull(text),
    uptimeMs: decimal,
    users: whole,
    orders: whole,
    ordersShown: whole,
    ordersLeftOut: record(whole),
    quarantined: whole,
    lastAudit: orNull(object({ ts: whole, ok: flag, differences: whole })),
    markets: list(marketStatus),
  },
  {
    /** Milliseconds that the service's clock is ahead of the chain's, and why that is too much. */
    clockSkewMs: orNull(decimal),
    clockReason: orNull(text),
    venues: list(object({ name: text, host: text, markets: list(venueMarket) })),
    /** Left out where the service keeps no history. */
    history: historyStatus,
    /** Left out where the service keeps no journal. */
    journal: journalStatus,
  },
);

/** The body of /ready; `history` is left out where the service keeps none. */
export const readyAnswer = object(
  { ready: flag, state: feedState, slot: whole },
  { history: object({ state: historyState, reason: orNull(text) }) },
);

/** The body of /health. */
export const healthAnswer = object({ status: word('ok') });

/** The body of /version. */
export const versionAnswer = object(
  { name: text, version: text, commit: orNull(text), node: text },
  { /** Of the transport. */ uws: text },
);

/** The book by level. */
export type L2Book = Of<typeof l2Book>;
/** The book by order. */
export type L3Book = Of<typeof l3Book>;
/** The orders in auction. */
export type AuctionsBook = Of<typeof auctionsBook>;
/** What an order that is sent now would get. */
export type MatchAnswer = Of<typeof matchAnswer>;
/** A maker's account; null where the node has none. */
export type TopMakerAccount = Of<typeof topMakerAccounts>[number];
/** A market that is served. */
export type MarketInfo = Of<typeof markets>[number];
/** The state of the feed and of every market. */
export type ServiceStatus = Of<typeof serviceStatus>;
/** What the journal of a service keeps. */
export type JournalAnswer = Of<typeof journal>;
/** The book is live. */
export type ReadyAnswer = Of<typeof readyAnswer>;
/** The process lives. */
export type HealthAnswer = Of<typeof healthAnswer>;
/** What was built. */
export type VersionAnswer = Of<typeof versionAnswer>;
