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
  /** Why it is not live, or what is missing while it is live; null for nothing. */
  reason: orNull(text),
  trades: whole,
  fundingRates: whole,
  /** Transactions whose log the node truncated. */
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
  /** Contiguous stored ranges, oldest first. */
  ranges: list(object({ epoch: text, first: moment, last: moment, segments: whole, bytes: whole })),
  /** Between the ranges. */
  gaps: list(object({ from: moment, to: moment, reason: text })),
});

/** One of the merged streams of a service. */
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
  /** The fraction of its states that it reported first, 0 to 1. */
  wonShare: orNull(decimal),
  /** Mean lead over the others, negative for a lag. */
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
    /** The merged streams; omitted when there are none. */
    sources: list(sourceStatus),
    venues: list(object({ name: text, host: text, markets: list(venueMarket) })),
    /** Omitted when the service has no history. */
    history: historyStatus,
    /** Omitted when the service has no journal. */
    journal: journalStatus,
  },
);

/** The body of /ready; `history` is omitted when the service has none. */
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
/** The stored ranges of a service's journal. */
export type JournalAnswer = Of<typeof journal>;
/** The book is live. */
export type ReadyAnswer = Of<typeof readyAnswer>;
/** The process lives. */
export type HealthAnswer = Of<typeof healthAnswer>;
/** The build of the service. */
export type VersionAnswer = Of<typeof versionAnswer>;
