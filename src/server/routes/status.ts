/** /status: the state of the feed and of every market. */
import { Type } from '@sinclair/typebox';
import type { SourceStatus } from '../../contract/feed-status.js';
import type { HistoryStats } from '../../contract/history-source.js';
import { state } from '../api/book-parts.js';
import { journalStatus } from '../api/journal-schemas.js';
import { sortedMarkets } from '../api/market-directory.js';
import { wordSchema } from '../api/param-parts.js';
import { count, marketType, mayMiss, readAs, text, textOrNull } from '../api/schema-parts.js';
import { feedState, historyStatus as historySchema, programName } from '../api/service-parts.js';
import { sourceStatuses } from '../api/source-schemas.js';
import { bodyOf } from '../api/written-body.js';
import { venueStatus } from '../metrics/venue-metrics.js';
import { jsonReply, type Reply } from '../transport/reply.js';
import type { Path, PathService } from './path.js';

const marketSchema = Type.Object({
  symbol: text('Name of the market.'),
  marketIndex: count('Index among the markets of its type.'),
  marketType,
  seq: count('Changes of the market in this epoch.'),
  slot: count('The newest slot of its book.'),
  lag: count('Slots that its book is behind the newest that a node reported.'),
  state,
  ordersShown: count('Orders that its book shows.'),
  emptyReason: textOrNull('Why the book shows nothing; null when it shows its orders.'),
  vammShown: Type.Boolean({ description: 'Whether includeVamm adds levels of its AMM.' }),
  vammReason: textOrNull('Why the AMM of a perp market is left out; null when it is not.'),
});

const venueSchema = Type.Object({
  name: text('Kind of the venue.'),
  host: text('Its host, without path and key.'),
  markets: Type.Array(
    Type.Object({
      symbol: text('Name of the spot market.'),
      used: Type.Boolean({ description: 'Whether /match uses its levels.' }),
      levels: count('Levels of both sides.'),
      ageMs: readAs(
        'orNull(decimal)',
        Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
          description: 'Age of the oldest of them; null while the market is left out.',
        }),
      ),
      reason: textOrNull('The code of what went wrong; null when nothing did.'),
    }),
  ),
});

const lastAudit = Type.Object({
  ts: count('When it ended, in unix milliseconds.'),
  ok: Type.Boolean({ description: 'Whether the chain could be read.' }),
  differences: count('User accounts that differed and were repaired.'),
});

const statusSchema = Type.Object({
  state: feedState,
  reason: textOrNull('Why the book is not live; null when it is.'),
  slot: count('The newest slot received.'),
  slotAgeMs: readAs('decimal', count('Time since the last notification of a slot.')),
  slotLag: count('Slots behind the newest that a node reported.'),
  role: Type.Optional(
    readAs(
      'text',
      wordSchema(['core', 'standby'], { description: 'Of a core: whether it writes the log.' }),
    ),
  ),
  program: programName,
  epoch: text('This run of the service on this chain.'),
  genesisHash: textOrNull('The chain; null until it has been requested.'),
  commitment: readAs(
    'text',
    wordSchema(['processed'], { description: 'At which the book is read.' }),
  ),
  node: textOrNull('Host of the RPC node in use; null when there is none.'),
  clockSkewMs: mayMiss(
    readAs(
      'orNull(decimal)',
      Type.Union([Type.Integer(), Type.Null()], {
        description:
          "How far this machine's clock is ahead of the chain's; null before it is known.",
      }),
    ),
  ),
  clockReason: mayMiss(textOrNull('Why that is too much; null when it is not.')),
  uptimeMs: readAs('decimal', count('Time since the service started.')),
  users: count('User accounts held.'),
  orders: count('Open orders held.'),
  ordersShown: count('Open orders that the book shows.'),
  ordersLeftOut: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: 'Open orders that the book does not show, by reason.',
  }),
  quarantined: count('Accounts that could not be decoded.'),
  lastAudit: Type.Union([lastAudit, Type.Null()], {
    description: 'The last comparison of the whole book with the chain; null before the first.',
  }),
  sources: Type.Optional(sourceStatuses),
  venues: Type.Optional(
    Type.Array(venueSchema, { description: 'External venues; left out where there are none.' }),
  ),
  history: Type.Optional(historySchema),
  journal: Type.Optional(journalStatus),
  seeded: Type.Optional(
    Type.Object(
      {
        fromMs: count('Its begin, in unix milliseconds.'),
        untilMs: count('Its end, in unix milliseconds.'),
      },
      {
        description:
          'Of a demo: the time whose trades and books were made up before it began; left out where nothing was.',
      },
    ),
  ),
  markets: Type.Array(marketSchema),
});

/** The path. */
export const statusPath = {
  summary: 'The state of the feed and of every market',
  kind: 'service',
  body: {
    name: 'Status',
    schema: statusSchema,
  },
  open: (service) => () => statusReply(service),
} as const satisfies Path;

/** The members of the feed that a feed without a node, or before its first reading, does not say. */
const UNKNOWN = { slotLag: 0, genesisHash: null, node: null, clockReason: null, lastAudit: null };

function statusReply({ book, directory, readiness, history, journal, ...of }: PathService): Reply {
  const { sources, clockSkewMs = null, ...metrics } = { ...UNKNOWN, ...of.feed() };
  const { shown, shownByMarket, vammByMarket, leftOut, ...counts } = book.stats();
  const external = of.venues?.().map(venueStatus) ?? [];
  const now = readiness();
  const body = bodyOf(statusSchema, {
    ...now,
    ...metrics,
    ...counts,
    slotAgeMs: Math.max(0, Math.round(metrics.slotAgeMs)),
    program: book.program,
    epoch: book.epoch,
    clockSkewMs: clockSkewMs === null ? null : Math.round(clockSkewMs),
    uptimeMs: Math.round(process.uptime() * 1_000),
    ordersShown: shown,
    ordersLeftOut: leftOut,
    sources: sources?.map(sourceStatus),
    venues: external.length === 0 ? undefined : external,
    history: history && historyStatus(history.readStats()),
    journal: journal && bodyOf(journalStatus, journal.readStats()),
    seeded: of.seeded,
    markets: sortedMarkets(directory).map((market) => {
      const vamm = vammByMarket[market.id] ?? null;
      const version = book.version(market.id);
      const vammShown = vamm === 'shown';
      return bodyOf(marketSchema, {
        ...market,
        ...version,
        lag: Math.max(0, now.slot + metrics.slotLag - version.slot),
        ordersShown: shownByMarket[market.id] ?? 0,
        vammShown,
        vammReason: vammShown ? null : vamm,
      });
    }),
  });
  return jsonReply(JSON.stringify(body));
}

function historyStatus(stats: HistoryStats): object {
  const { stored, counts, lagMs } = stats;
  const { trades, fundingRates, truncated, ...records } = stored;
  return bodyOf(historySchema, {
    ...stats,
    ...{ trades, fundingRates, truncated, records },
    lagMs: lagMs === null ? null : Math.max(0, Math.round(lagMs)),
    storeFailures: counts['storeFailures'] ?? 0,
    events: counts,
  });
}

/** Shares to a thousandth, and leads to a tenth of a millisecond. */
function sourceStatus(source: SourceStatus): SourceStatus {
  const { wonShare, leadMs } = source;
  const rounded = (value: number | null, unit: number): number | null =>
    value === null ? null : Math.round(value * unit) / unit;
  return { ...source, wonShare: rounded(wonShare, 1_000), leadMs: rounded(leadMs, 10) };
}
