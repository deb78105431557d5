/** The bodies about the service itself, as docs/api.md describes them. */
import {
  decimal,
  flag,
  list,
  type Of,
  object,
  orNull,
  record,
  text,
  whole,
  word,
} from '../fields.js';
import { bookState } from '../row-shapes.js';

const marketType = word('perp', 'spot');
const feedState = word('starting', 'live', 'lagging', 'stale', 'rebuilding');

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
  /** Why it is not live, or what it lacks while it is; null when it lacks nothing. */
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

/** One stream of those that a service merges. */
const sourceStatus = object({
  /** Kind, host and port. */
  name: text,
  /** `trusted`, `distrusted`, `joining`, `interrupted` or `closed`, as docs/api.md has them. */
  state: text,
  /** Why it is distrusted or closed; null when it is neither. */
  reason: orNull(text),
  slot: whole,
  slotLag: whole,
  states: whole,
  /** The part of them that it notified before all others, 0 to 1. */
  wonShare: orNull(decimal),
  /** How far it is ahead of the others in the mean, negative behind. */
  leadMs: orNull(decimal),
  misses: whole,
  disagreements: whole,
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
    /** Of a core alone. */
    role: text,
    /** The streams that are merged; left out where there are none. */
    sources: list(sourceStatus),
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
