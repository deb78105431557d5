/**
 * The paths of the service itself and of its list of markets.
 */
import type { BuildInfo } from '../../config/build-info.js';
import type { BookSource, BookStats, MarketDirectory } from '../../contract/book-source.js';
import type { FeedMetrics, Readiness, SourceStatus } from '../../contract/feed-status.js';
import type { MarketDataSource } from '../../contract/history-source.js';
import type { JournalSource } from '../../contract/journal-source.js';
import type { ChainStats, MarketInfo } from '../../contract/markets.js';
import type { VenueStats } from '../../contract/venue-stats.js';
import { historyReadiness, historyStatus } from '../metrics/history-metrics.js';
import { journalStatus } from '../metrics/journal-metrics.js';
import type { Metrics } from '../metrics/metrics.js';
import { venueStatus } from '../metrics/venue-metrics.js';
import { ServerError } from '../transport/errors.js';
import { transportVersion } from '../transport/native-transport.js';
import { commonHeaders, jsonReply, type Reply } from '../transport/reply.js';
import { requireFirstBook } from './book-routes.js';
import type { FirstReady } from './first-ready.js';
import { baseAssetOf, feesOf, leverageMaxOf, quoteAssetOf } from './stats-records.js';

/** The sources of these paths. */
export interface ServiceRouteOptions {
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  readonly readiness: () => Readiness;
  readonly feed: () => FeedMetrics;
  readonly build: BuildInfo;
  /** The state of trades and candles; absent where there is no history. */
  readonly history?: Pick<MarketDataSource, 'readStats'>;
  /** The state of venues outside of the chain; absent or empty where there is none. */
  readonly venues?: () => readonly VenueStats[];
  /** The journal; absent where none is kept. */
  readonly journal?: JournalSource;
}

/** The name of the build and the paths that are served. */
export function indexReply({ name, version }: BuildInfo, paths: readonly string[]): Reply {
  return jsonReply(JSON.stringify({ name, version, paths }));
}

/** The markets, once there is a book. */
export function marketsReply({ book, directory, readiness }: ServiceRouteOptions): Reply {
  requireFirstBook(readiness());
  const markets = sortedMarkets(directory);
  const quoteAsset = quoteAssetOf(markets);
  const chain = book.readChainStats();
  const bodies = markets.flatMap((market) => {
    const ofChain = chain[market.id];
    return ofChain === undefined ? [] : [marketBody(market, ofChain, quoteAsset)];
  });
  return jsonReply(JSON.stringify(bodies));
}

/** Perpetual markets first, each kind by index: never the order in which accounts arrived. */
export function sortedMarkets(directory: Pick<MarketDirectory, 'markets'>): readonly MarketInfo[] {
  return [...directory.markets()].sort((left, right) => {
    if (left.marketType !== right.marketType) return left.marketType === 'perp' ? -1 : 1;
    return left.marketIndex - right.marketIndex;
  });
}

/** Raw integers are text, as everywhere in the book. */
function marketBody(
  market: MarketInfo,
  chain: ChainStats,
  quoteAsset: string,
): Record<string, unknown> {
  return {
    symbol: market.symbol,
    marketIndex: market.marketIndex,
    marketType: market.marketType,
    status: market.status,
    tick: market.tickSize.toString(),
    step: market.stepSize.toString(),
    minOrderSize: market.minOrderSize.toString(),
    decimals: market.decimals,
    oracle: market.oracle,
    oracleSource: market.oracleSource,
    emptyReason: market.emptyReason,
    baseAsset: baseAssetOf(market),
    quoteAsset,
    fees: feesOf(chain),
    leverageMax: leverageMaxOf(chain),
  };
}

/** 200 when the service is ready. Throws NOT_READY with what it waits for when it is not. */
export function readyReply({ readiness, history }: ServiceRouteOptions, ready: FirstReady): Reply {
  const waitReason = ready.waitReason();
  if (waitReason !== null) throw new ServerError('NOT_READY', waitReason);
  const { state, slot } = readiness();
  const beside = history === undefined ? {} : { history: historyReadiness(history.readStats()) };
  return jsonReply(JSON.stringify({ ready: true, state, slot, ...beside }));
}

/** The state of the feed and of every market; before the first book as well. */
export function statusReply({
  book,
  directory,
  readiness,
  feed,
  venues,
  history,
  journal,
}: ServiceRouteOptions): Reply {
  const { state, reason, slot, role } = readiness();
  const metrics = feed();
  const { slotAgeMs, slotLag = 0, genesisHash = null, node = null, lastAudit = null } = metrics;
  const { clockSkewMs = null, clockReason = null } = metrics;
  const { users, orders, shown, shownByMarket, vammByMarket, leftOut, quarantined } = book.stats();
  const external = venues?.().map(venueStatus) ?? [];
  const body = {
    ...{ state, reason, slot, slotAgeMs: Math.max(0, Math.round(slotAgeMs)), slotLag },
    ...(role === undefined ? {} : { role }),
    ...{ epoch: book.epoch, genesisHash, commitment: 'processed', node },
    ...{ clockSkewMs: clockSkewMs === null ? null : Math.round(clockSkewMs), clockReason },
    uptimeMs: Math.round(process.uptime() * 1_000),
    ...{ users, orders, ordersShown: shown, ordersLeftOut: leftOut, quarantined, lastAudit },
    ...(metrics.sources === undefined ? {} : { sources: metrics.sources.map(sourceStatus) }),
    ...(external.length === 0 ? {} : { venues: external }),
    ...(history === undefined ? {} : { history: historyStatus(history.readStats()) }),
    ...(journal === undefined ? {} : { journal: journalStatus(journal.readStats()) }),
    markets: sortedMarkets(directory).map((market) => {
      const ordersShown = shownByMarket[market.id] ?? 0;
      const vamm = vammByMarket[market.id] ?? null;
      return marketStatus(market, { book, newestSlot: slot + slotLag, ordersShown, vamm });
    }),
  };
  return jsonReply(JSON.stringify(body));
}

/** Shares and leads as they are read, not as they are computed. */
function sourceStatus(source: SourceStatus): SourceStatus {
  const { wonShare, leadMs } = source;
  const rounded = (value: number | null, unit: number): number | null =>
    value === null ? null : Math.round(value * unit) / unit;
  return { ...source, wonShare: rounded(wonShare, 1_000), leadMs: rounded(leadMs, 10) };
}

/** `newestSlot` is the newest that a node has reported. */
function marketStatus(
  market: MarketInfo,
  facts: {
    readonly book: BookSource;
    readonly newestSlot: number;
    readonly ordersShown: number;
    /** As {@link BookStats.vammByMarket}. */
    readonly vamm: string | null;
  },
): Record<string, unknown> {
  const { book, newestSlot, ordersShown, vamm } = facts;
  const { id, symbol, marketIndex, marketType, emptyReason } = market;
  const { seq, slot, state } = book.version(id);
  const lag = Math.max(0, newestSlot - slot);
  const vammShown = vamm === 'shown';
  return {
    ...{ symbol, marketIndex, marketType, seq, slot, lag, state, ordersShown, emptyReason },
    ...{ vammShown, vammReason: vammShown ? null : vamm },
  };
}

/** The build and what it runs on. */
export function versionReply({ name, version, commit }: BuildInfo): Reply {
  const node = process.versions.node;
  return jsonReply(JSON.stringify({ name, version, commit, node, uws: transportVersion }));
}

/** The text for Prometheus. */
export async function metricsReply(metrics: Metrics): Promise<Reply> {
  const body = await metrics.toText();
  return {
    status: 200,
    headers: [['Content-Type', metrics.contentType], ...commonHeaders],
    body,
  };
}
