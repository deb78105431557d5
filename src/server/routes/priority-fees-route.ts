/**
 * /priorityFees and /batchPriorityFees: what transactions paid that wrote to a market's account, from the
 * node's own getRecentPrioritizationFees. The fees of a market are read once for all clients and cached.
 */
import { LIMITS } from '../../config/limits.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import type { Readiness } from '../../contract/feed-status.js';
import type { MarketInfo } from '../../contract/markets.js';
import { type FeeMarket, parseFeeMarket, parseFeeMarkets } from '../api/book-params.js';
import { jsonReply } from '../transport/reply.js';
import { type BookRoute, requireFirstBook } from './book-routes.js';
import { nodeFailure, SpacedReads, type SpacedReadsOptions } from './spaced-reads.js';

/**
 * Reads the fees that recent blocks took at least for writing all of these accounts (base58), in
 * micro-lamports a compute unit.
 */
export type ReadFees = (accounts: readonly string[]) => Promise<readonly number[]>;

/** The sources of the fees. */
export interface PriorityFeeOptions {
  readonly directory: MarketDirectory;
  readonly readiness: () => Readiness;
  readonly readFees: ReadFees;
  readonly timers: SpacedReadsOptions<FeeLevels>['timers'];
}

/** Both routes, which share what is read. */
export function priorityFeeRoutes(
  options: PriorityFeeOptions,
): Readonly<Record<'/priorityFees' | '/batchPriorityFees', BookRoute>> {
  const { directory, readiness } = options;
  const levelsOf = levelReader(options);
  return {
    '/priorityFees': async ({ query }) => {
      requireFirstBook(readiness());
      const market = parseFeeMarket(query, directory);
      const [levels] = await levelsOf([market]);
      const { marketType, marketIndex } = market;
      return jsonReply(JSON.stringify({ ...levels, marketType, marketIndex: String(marketIndex) }));
    },
    '/batchPriorityFees': async ({ query }) => {
      requireFirstBook(readiness());
      const entries = parseFeeMarkets(query, directory);
      const markets = entries.flatMap((entry) => ('error' in entry ? [] : [entry]));
      const levels = (await levelsOf(markets)).values();
      return jsonReply(JSON.stringify(entries.map((entry) => entryOf(entry, levels))));
    },
  };
}

type ReadLevels = (markets: readonly MarketInfo[]) => Promise<readonly FeeLevels[]>;

/** Reads the levels of each market. Rejects with NOT_READY when the node fails. */
function levelReader(options: PriorityFeeOptions): ReadLevels {
  const reads = feeReads(options);
  return async (markets) => {
    const keys = markets.map((market) => accountsOf(market, options.directory).join());
    try {
      return await reads.read(keys);
    } catch (error) {
      throw nodeFailure('the priority fees', error);
    }
  };
}

function entryOf(entry: FeeMarket, levels: Iterator<FeeLevels>): object {
  const { marketType, marketIndex } = entry;
  if (!('error' in entry)) return { ...levels.next().value, marketType, marketIndex };
  const { error } = JSON.parse(entry.error.toBody()) as { readonly error: object };
  return { marketType, marketIndex, error };
}

/** The key of a read is its accounts, which a base58 key has no comma in. */
function feeReads({ readFees, timers }: PriorityFeeOptions): SpacedReads<FeeLevels> {
  return new SpacedReads({
    read: (keys) => Promise.all(keys.map(async (key) => feeLevels(await readFees(key.split(','))))),
    keysPerCall: 1,
    spacingMs: LIMITS.feeCallSpacingMs,
    callsMax: LIMITS.feeCallsMax,
    waitingMax: LIMITS.feesWaitingMax,
    keptMs: LIMITS.feesKeptMs,
    timers,
  });
}

/** A spot trade writes to the market of the quote token as well. */
function accountsOf(market: MarketInfo, directory: MarketDirectory): readonly string[] {
  if (market.marketType === 'perp' || market.marketIndex === 0) return [market.account];
  const quote = directory
    .markets()
    .find(({ marketType, marketIndex }) => marketType === 'spot' && marketIndex === 0);
  return quote === undefined ? [market.account] : [quote.account, market.account];
}

/** Shares of the blocks that took no more, under the names of the dlob-server's provider. */
const PERCENTILES = { min: 0, low: 25, medium: 50, high: 75, veryHigh: 95, unsafeMax: 100 };

/** Fees in micro-lamports a compute unit. */
type FeeLevels = Readonly<Record<keyof typeof PERCENTILES, number>>;

/** Zeros where no block of the last minute wrote to the accounts. */
function feeLevels(fees: readonly number[]): FeeLevels {
  const sorted = [...fees].sort((left, right) => left - right);
  const feeAt = (percent: number): number =>
    sorted[Math.round(((sorted.length - 1) * percent) / 100)] ?? 0;
  const levels = Object.entries(PERCENTILES).map(([name, percent]) => [name, feeAt(percent)]);
  return Object.fromEntries(levels) as FeeLevels;
}
