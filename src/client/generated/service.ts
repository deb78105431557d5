// Generated from the schemas of the service: UPDATE_GOLDEN=1 npx vitest run test/client/generated.test.ts
/** The bodies about the service itself, as docs/status.md describes them. */
import { decimal, flag, list, type Of, object, orNull, record, text, whole, word } from '../fields.js';
import { bookState } from './rows.js';

const marketType = word('perp', 'spot');

const moment = object({
  /** The chain's slot. */
  slot: whole,
  /** Unix milliseconds. */
  ts: whole,
});

const feedState = word('starting', 'rebuilding', 'live', 'lagging', 'stale');

const historyState = word('off', 'starting', 'backfilling', 'live', 'failing');

/** The body of /journal. */
export const journal = object({
  /** Whether what moves the book is written. */
  state: word('starting', 'writing', 'stopped'),
  /** Why nothing is written; null while all is well. */
  reason: orNull(text),
  /** Files of all ranges. */
  segments: whole,
  /** Their bytes. */
  bytes: whole,
  /** What is kept without a hole. Oldest first; the newest 1000 at most. */
  ranges: list(object({
    /** The run of the service on the chain. */
    epoch: text,
    /** The first moment that is kept. */
    first: moment,
    /** The last one. */
    last: moment,
    /** Files that hold it. */
    segments: whole,
    /** Their bytes. */
    bytes: whole,
  })),
  /** Between the ranges. Oldest first; the newest 1000 at most. */
  gaps: list(object({
    /** The last moment before it. */
    from: moment,
    /** The first moment after it. */
    to: moment,
    /** Whether another run of the service follows, or the journal was stopped. */
    reason: text,
  })),
});

/** The body of /status. */
export const serviceStatus = object({
  /** How fresh the book is; `starting` until it is live for the first time. */
  state: feedState,
  /** Why the book is not live; null when it is. */
  reason: orNull(text),
  /** The newest slot received. */
  slot: whole,
  /** Time since the last notification of a slot. */
  slotAgeMs: decimal,
  /** Slots behind the newest that a node reported. */
  slotLag: whole,
  /** This run of the service on this chain. */
  epoch: text,
  /** The chain; null until it has been requested. */
  genesisHash: orNull(text),
  /** At which the book is read. */
  commitment: text,
  /** Host of the RPC node in use; null when there is none. */
  node: orNull(text),
  /** Time since the service started. */
  uptimeMs: decimal,
  /** User accounts held. */
  users: whole,
  /** Open orders held. */
  orders: whole,
  /** Open orders that the book shows. */
  ordersShown: whole,
  /** Open orders that the book does not show, by reason. */
  ordersLeftOut: record(whole),
  /** Accounts that could not be decoded. */
  quarantined: whole,
  /** The last comparison of the whole book with the chain; null before the first. */
  lastAudit: orNull(object({
    /** When it ended, in unix milliseconds. */
    ts: whole,
    /** Whether the chain could be read. */
    ok: flag,
    /** User accounts that differed and were repaired. */
    differences: whole,
  })),
  markets: list(object({
    /** Name of the market. */
    symbol: text,
    /** Index among the markets of its type. */
    marketIndex: whole,
    /** Type of the market. */
    marketType,
    /** Changes of the market in this epoch. */
    seq: whole,
    /** The newest slot of its book. */
    slot: whole,
    /** Slots that its book is behind the newest that a node reported. */
    lag: whole,
    /** How fresh the book is. */
    state: bookState,
    /** Orders that its book shows. */
    ordersShown: whole,
    /** Why the book shows nothing; null when it shows its orders. */
    emptyReason: orNull(text),
    /** Whether includeVamm adds levels of its AMM. */
    vammShown: flag,
    /** Why the AMM of a perp market is left out; null when it is not. */
    vammReason: orNull(text),
  })),
}, {
  /** Of a core: whether it writes the log. */
  role: text,
  /** The program whose rules the accounts follow. */
  program: text,
  /** How far this machine's clock is ahead of the chain's; null before it is known. */
  clockSkewMs: orNull(decimal),
  /** Why that is too much; null when it is not. */
  clockReason: orNull(text),
  /** The streams that are merged, in their order; left out where there are none. */
  sources: list(object({
    /** Kind, host and port, never a path, a key or a token. */
    name: text,
    /** A trusted one keeps the book; a distrusted one is compared alone. */
    state: text,
    /** Why it is distrusted, or closed; null when it is neither. */
    reason: orNull(text),
    /** The newest slot that it notified; 0 before the first. */
    slot: whole,
    /** Slots behind the newest of all. */
    slotLag: whole,
    /** States that it notified. */
    states: whole,
    /** The part of them that it notified before all others; null before the first. */
    wonShare: orNull(decimal),
    /** How far it is ahead of the others in the mean, negative behind; null while alone. */
    leadMs: orNull(decimal),
    /** States that others notified, and it did not. */
    misses: whole,
    /** States that it notified otherwise than others, or that no other did. */
    disagreements: whole,
  })),
  /** External venues; left out where there are none. */
  venues: list(object({
    /** Kind of the venue. */
    name: text,
    /** Its host, without path and key. */
    host: text,
    markets: list(object({
      /** Name of the spot market. */
      symbol: text,
      /** Whether /match uses its levels. */
      used: flag,
      /** Levels of both sides. */
      levels: whole,
      /** Age of the oldest of them; null while the market is left out. */
      ageMs: orNull(decimal),
      /** The code of what went wrong; null when nothing did. */
      reason: orNull(text),
    })),
  })),
  history: object({
    /** The state of trades, funding rates and candles. */
    state: historyState,
    /** Why the history is not live, or what it lacks while it is; null when it lacks nothing. */
    reason: orNull(text),
    /** Trades stored. */
    trades: whole,
    /** Funding rates stored. */
    fundingRates: whole,
    /** Transactions whose log the node had cut. */
    truncated: whole,
    /** Transactions that wait to be stored. */
    queued: whole,
    /** Gaps of older signatures that are still to be fetched. */
    spansOpen: whole,
    /** All before this slot is complete, but for open gaps. */
    finalisedSlot: whole,
    /** The newest slot with a trade that was stored in this run; 0 without one. */
    newestSlot: whole,
    /** Time from the last live trade to its being stored; null without one. */
    lagMs: orNull(decimal),
    /** Numbers of fills that are missing between stored ones, by market. */
    missingFills: record(whole),
    /** Writes that the disk refused. */
    storeFailures: whole,
    /** Events of the history, by name. */
    events: record(whole),
  }),
  journal: object({
    /** Whether what moves the book is written. */
    state: word('starting', 'writing', 'stopped'),
    /** Why nothing is written; null while all is well. */
    reason: orNull(text),
    /** Its files. */
    segments: whole,
    /** Their bytes. */
    bytes: whole,
    /** Times between two ranges of which nothing is kept. */
    gaps: whole,
    /** The oldest moment that is kept; null without any. */
    oldest: orNull(moment),
    /** The newest moment that is written; null without any. */
    newest: orNull(moment),
    /** Bytes that wait for its thread, or for NATS. */
    queuedBytes: whole,
    /** Events of the journal in this run, by name. */
    events: record(whole),
  }),
  /** Of a demo: the time whose trades and books were made up before it began; left out where nothing was. */
  seeded: object({
    /** Its begin, in unix milliseconds. */
    fromMs: whole,
    /** Its end, in unix milliseconds. */
    untilMs: whole,
  }),
});

/** The body of /ready. */
export const readyAnswer = object({
  ready: flag,
  /** How fresh the book is; `starting` until it is live for the first time. */
  state: feedState,
  /** The newest slot received. */
  slot: whole,
}, {
  history: object({
    /** The state of trades, funding rates and candles. */
    state: historyState,
    /** Why the history is not live, or what it lacks while it is; null when it lacks nothing. */
    reason: orNull(text),
  }),
});

/** The body of /health. */
export const healthAnswer = object({
  status: word('ok'),
});

/** The body of /version. */
export const versionAnswer = object({
  name: text,
  version: text,
  /** Null outside a checkout. */
  commit: orNull(text),
  /** Version of Node.js. */
  node: text,
}, {
  /** The program whose rules the accounts follow. */
  program: text,
  /** Version of the transport. */
  uws: text,
});

/** What the journal of a service keeps. */
export type JournalAnswer = Of<typeof journal>;

/** The state of the feed and of every market. */
export type ServiceStatus = Of<typeof serviceStatus>;

/** The book is live. */
export type ReadyAnswer = Of<typeof readyAnswer>;

/** The process lives. */
export type HealthAnswer = Of<typeof healthAnswer>;

/** What was built. */
export type VersionAnswer = Of<typeof versionAnswer>;
