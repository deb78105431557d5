/**
 * The statistics of all markets: a body is rendered at most twice a second for all clients, and its
 * tag is a hash of its content.
 */
import { LIMITS } from '../../config/limits.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { Readiness } from '../../contract/feed-status.js';
import type { MarketDataSource } from '../../contract/history-source.js';
import type { Timers } from '../../contract/timers.js';
import { sortedMarkets } from '../api/market-directory.js';
import type { SummarySource } from '../sockets/summary-topics.js';
import type { HttpRequest, Reply } from '../transport/reply.js';
import { requireFirstBook } from './book-routes.js';
import { contentTag } from './content-responder.js';
import { marketListText, pricingText } from './stats-records.js';
import type { MarketStatistics, TopOfBook } from './stats-text.js';
import { TaggedReplies, type VersionTag } from './versioned-reply.js';

/** What the descriptions of their paths share. */
export const ofStats = { kind: 'data', tagged: true, errors: ['NOT_READY'] } as const;

/** The sources of the statistics. */
interface StatsSources {
  readonly book: Pick<BookSource, 'readChainStats' | 'epoch' | 'l2'>;
  readonly directory: Pick<MarketDirectory, 'markets'>;
  /** The history; without it there are neither volumes nor trade prices. */
  readonly history?: MarketDataSource | undefined;
  /** The wall clock tells the age of a cached body. */
  readonly timers: Pick<Timers, 'unixMs'>;
}

/** The sources of the paths. */
interface StatsOptions extends StatsSources {
  readonly readiness: () => Readiness;
}

/** A body of all markets, and the epoch and the time of it. */
export interface CachedBody {
  readonly epoch: string;
  readonly atMs: number;
  readonly body: Uint8Array;
  readonly tag: VersionTag;
}

type StatsWriter = (markets: readonly MarketStatistics[]) => string;

/** Opens the route of a body of them. */
export const statsRoute = (write: StatsWriter) => (options: StatsOptions) => {
  const replies = new TaggedReplies();
  const readStats = cachedStats(options, write);
  return (request: HttpRequest): Reply | Promise<Reply> => {
    requireFirstBook(options.readiness());
    const { tag, body } = readStats();
    return replies.readHeaders(request)(tag, body, 'stats');
  };
};

/** Returns the statistics for the channels that cover all markets. */
export function summarySource(options: StatsSources): SummarySource {
  const textOf = (write: StatsWriter): (() => string) => {
    const read = cachedStats(options, write);
    return () => Buffer.from(read().body).toString();
  };
  return { markets: textOf(marketListText), pricing: textOf(pricingText) };
}

function cachedStats(options: StatsSources, write: StatsWriter): () => CachedBody {
  let made: CachedBody | undefined;
  return () => {
    if (made === undefined || isExpired(made, options)) made = makeStats(options, write);
    return made;
  };
}

/** A clock that was set back also makes the body expire. */
function isExpired({ epoch, atMs }: CachedBody, { book, timers }: StatsSources): boolean {
  const age = timers.unixMs() - atMs;
  return epoch !== book.epoch || age < 0 || age >= LIMITS.statisticsKeptMs;
}

function makeStats(
  { book, directory, history, timers }: StatsSources,
  write: StatsWriter,
): CachedBody {
  const chain = book.readChainStats();
  const stats = history?.readMarketStats();
  const markets = sortedMarkets(directory).flatMap((info) => {
    const ofChain = chain[info.id];
    if (ofChain === undefined) return [];
    const key = `${info.marketType}_${info.marketIndex}` as const;
    const readTop = (): TopOfBook => topOf(book, info.id);
    return [{ info, chain: ofChain, history: stats?.get(key), readTop }];
  });
  const body = Buffer.from(write(markets));
  const state = history?.readStats().state ?? 'off';
  const tag = contentTag(book.epoch, { body, state });
  return { epoch: book.epoch, atMs: timers.unixMs(), body, tag };
}

/**
 * Returns the prices from the shortest body of the book, which the core renders once for each
 * version.
 */
function topOf(book: Pick<BookSource, 'l2'>, market: number): TopOfBook {
  const body = book.l2({ market, depth: 1, vamm: true });
  const text = JSON.parse(Buffer.from(body).toString()) as Readonly<Record<string, string>>;
  const price = (name: string) => (text[name] === undefined ? undefined : BigInt(text[name]));
  return { mark: price('markPrice'), bid: price('bestBidPrice'), ask: price('bestAskPrice') };
}
