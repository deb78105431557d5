/**
 * /priorityFees and /batchPriorityFees: the priority fees of transactions that wrote to a market's
 * account, from getRecentPrioritizationFees of the node. The fees of a market are read once for all
 * clients and cached.
 */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import { marketErrors, size } from '../api/book-parts.js';
import { error } from '../api/error-bodies.js';
import { batchEntry, splitLists } from '../api/list-params.js';
import { selectMarket } from '../api/market-params.js';
import { checkParams, readQuery } from '../api/param-check.js';
import { market } from '../api/param-parts.js';
import { count, marketType, text } from '../api/schema-parts.js';
import { ServerError } from '../transport/errors.js';
import { type HttpRequest, jsonReply, type Reply } from '../transport/reply.js';
import { requireFirstBook } from './book-routes.js';
import { type Path, type PathService, shared } from './path.js';
import { nodeFailure, SpacedReads } from './spaced-reads.js';

const fee = (what: string) => count(`${what}, in micro-lamports a compute unit.`);
const levelSchemas = {
  min: fee('What the cheapest block took'),
  low: fee('What a quarter of the blocks took at most'),
  medium: fee('The median of the blocks'),
  high: fee('What three quarters of the blocks took at most'),
  veryHigh: fee('What 95 % of the blocks took at most'),
  unsafeMax: fee('What the dearest block took'),
};

const priorityFeesParams = Type.Object(market);

const path = {
  kind: 'book',
  params: priorityFeesParams,
  errors: [...marketErrors, 'RATE_LIMITED', 'NOT_READY'],
} as const;

/** The path of one market. */
export const priorityFees = {
  ...path,
  summary: 'What recent transactions paid at least to write to the account of a market',
  body: {
    name: 'PriorityFees',
    schema: Type.Object({
      ...levelSchemas,
      marketType,
      marketIndex: size('Index among the markets of its type, as text.'),
    }),
  },
  open:
    (service: FeeSources) =>
    async ({ query }: Pick<HttpRequest, 'query'>) => {
      requireFirstBook(service.readiness());
      const params = readQuery(priorityFeesParams, query);
      const found = selectMarket(params, service.directory);
      const [levels] = await levelReaderOf(service)([found]);
      const { marketType, marketIndex } = found;
      return jsonReply(JSON.stringify({ ...levels, marketType, marketIndex: String(marketIndex) }));
    },
} as const satisfies Path;

/** The path of many markets. */
export const batchPriorityFees = {
  ...path,
  summary: 'The same for many markets; lists of one length, at most 256 entries',
  style: 'lists',
  body: {
    name: 'BatchPriorityFees',
    schema: Type.Array(
      Type.Object({
        ...Type.Partial(Type.Object(levelSchemas)).properties,
        marketType: Type.Optional(text('As it was requested, where the entry is wrong.')),
        marketIndex: Type.Optional(
          Type.Integer({ description: 'As it was requested, where the entry is wrong.' }),
        ),
        error: Type.Optional(error),
      }),
      {
        description:
          'In the order of the request; a wrong entry has an error in place of the fees.',
      },
    ),
  },
  open: batchFeesRoute,
} as const satisfies Path;

/** The sources of the fees. */
type FeeSources = Pick<PathService, 'directory' | 'readiness' | 'readFees' | 'timers'>;

/** The route of many markets. */
export function batchFeesRoute(service: FeeSources) {
  return async ({ query }: Pick<HttpRequest, 'query'>): Promise<Reply> => {
    requireFirstBook(service.readiness());
    const entries = parseFeeMarkets(query, service.directory);
    const markets = entries.flatMap((entry) => ('error' in entry ? [] : [entry]));
    const levels = (await levelReaderOf(service)(markets)).values();
    return jsonReply(JSON.stringify(entries.map((entry) => entryOf(entry, levels))));
  };
}

/** A market of /batchPriorityFees, or the error of that entry. */
type FeeMarket = MarketInfo | ({ readonly error: ServerError } & Partial<FeeMarketName>);

/** The market that an entry names, as far as it can be parsed. */
interface FeeMarketName {
  readonly marketType: string;
  readonly marketIndex: number;
}

/**
 * Reads the parameters of /batchPriorityFees, which are those of /priorityFees as comma-separated
 * lists.
 */
function parseFeeMarkets(raw: string, markets: MarketDirectory): readonly FeeMarket[] {
  return splitLists(raw, priorityFeesParams).map((texts) => {
    const found = batchEntry(() => selectMarket(checkParams(priorityFeesParams, texts), markets));
    if (!(found instanceof ServerError)) return found;
    const marketType = texts.get('marketType');
    const marketIndex = Number(texts.get('marketIndex'));
    return {
      ...(marketType === undefined ? {} : { marketType }),
      ...(Number.isSafeInteger(marketIndex) ? { marketIndex } : {}),
      error: found,
    };
  });
}

type ReadLevels = (markets: readonly MarketInfo[]) => Promise<readonly FeeLevels[]>;

/** Reads the fee levels of each market. Rejects with NOT_READY when the node fails. */
const levelReaderOf = shared((options: FeeSources): ReadLevels => {
  const reads = feeReads(options);
  return async (markets) => {
    const keys = markets.map((market) => accountsOf(market, options.directory).join());
    try {
      return await reads.read(keys);
    } catch (error) {
      throw nodeFailure('the priority fees', error);
    }
  };
});

function entryOf(entry: FeeMarket, levels: Iterator<FeeLevels>): object {
  const { marketType, marketIndex } = entry;
  if (!('error' in entry)) return { ...levels.next().value, marketType, marketIndex };
  const { error } = JSON.parse(entry.error.toBody()) as { readonly error: object };
  return { marketType, marketIndex, error };
}

/** The key of a read is the comma-separated list of its accounts; base58 has no comma. */
function feeReads({ readFees, timers }: FeeSources): SpacedReads<FeeLevels> {
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

/** A spot trade also writes to the spot market of the quote token. */
function accountsOf(market: MarketInfo, directory: MarketDirectory): readonly string[] {
  if (market.marketType === 'perp' || market.marketIndex === 0) return [market.account];
  const quote = directory
    .markets()
    .find(({ marketType, marketIndex }) => marketType === 'spot' && marketIndex === 0);
  return quote === undefined ? [market.account] : [quote.account, market.account];
}

/** The percentiles of the levels, with the level names of the dlob-server's fee provider. */
const PERCENTILES = { min: 0, low: 25, medium: 50, high: 75, veryHigh: 95, unsafeMax: 100 };

/** Fees in micro-lamports a compute unit. */
type FeeLevels = Readonly<Record<keyof typeof PERCENTILES, number>>;

/** Returns the levels; all are zero when no block of the last minute wrote to the accounts. */
function feeLevels(fees: readonly number[]): FeeLevels {
  const sorted = [...fees].sort((left, right) => left - right);
  const feeAt = (percent: number): number =>
    sorted[Math.round(((sorted.length - 1) * percent) / 100)] ?? 0;
  const levels = Object.entries(PERCENTILES).map(([name, percent]) => [name, feeAt(percent)]);
  return Object.fromEntries(levels) as FeeLevels;
}
