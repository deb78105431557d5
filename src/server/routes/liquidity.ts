/**
 * /liquidity: the spread of every market and the depth near its mid price. A body is made at most
 * once in half a second for all clients, one market in a step, and a market that has not changed is
 * not read again.
 */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { BookLevel, BookLevels } from '../../contract/book-levels.js';
import type { BookSource, MarketVersion } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import { price, size, state } from '../api/book-parts.js';
import { sortedMarkets } from '../api/market-directory.js';
import {
  count,
  leftOutForNull,
  marketIndex,
  marketType,
  symbol,
  text,
  unsigned,
} from '../api/schema-parts.js';
import type { Reply } from '../transport/reply.js';
import { requireFirstBook } from './book-routes.js';
import { contentTag } from './content-responder.js';
import type { Path, PathService, Route } from './path.js';
import {
  bodyReply,
  GzipCache,
  notModifiedReply,
  requestAcceptsGzip,
  type VersionTag,
} from './versioned-reply.js';

/** Distances from the mid price, basis points, ascending. */
const DISTANCES_BPS = [1, 2, 5, 10, 25, 50, 100] as const;

const depth = Type.Object({
  bps: Type.Integer({ description: 'Distance from the mid price, basis points.' }),
  bidBase: size('Base of the bids within it, at 1e9.'),
  bidQuote: unsigned('quote', 'Their value at their prices, quote at 1e6.'),
  askBase: size('Base of the asks within it, at 1e9.'),
  askQuote: unsigned('quote', 'Their value at their prices, quote at 1e6.'),
});

const market = Type.Object({
  symbol,
  marketType,
  marketIndex,
  seq: count('Grows with each change of the market within an epoch.'),
  slot: count('The newest slot of the book.'),
  epoch: text('One run of the service on one chain.'),
  state,
  bestBidPrice: leftOutForNull('price', price('At 1e6; left out where a side is empty.')),
  bestAskPrice: leftOutForNull('price', price('At 1e6; left out where a side is empty.')),
  spreadBps: leftOutForNull(
    'decimal',
    Type.Number({
      description:
        'The spread in basis points of the mid price; negative where the book is crossed; left out where a side is empty.',
    }),
  ),
  depth: Type.Array(depth, {
    description: `Within ${DISTANCES_BPS.join(', ')} basis points; empty where a side is empty.`,
  }),
});

/** The path. */
export const liquidityPath = {
  summary: 'Spread of all markets, and depth within 1 to 100 basis points, with the AMM',
  kind: 'service',
  body: {
    name: 'Liquidity',
    schema: Type.Array(market, {
      description: 'All markets, perpetual markets first, each kind by index.',
    }),
  },
  tagged: true,
  errors: ['NOT_READY', 'LIMIT_EXCEEDED'],
  open: liquidityRoute,
} as const satisfies Path;

interface Made {
  readonly epoch: string;
  readonly atMs: number;
  readonly body: Uint8Array;
  readonly tag: VersionTag;
}

function liquidityRoute(service: PathService): Route {
  const gzips = new GzipCache();
  const bodies = new LiquidityBodies(service);
  return (request) => {
    requireFirstBook(service.readiness());
    // The request is valid only within this call.
    const ifNoneMatch = request.getHeader('if-none-match');
    const isZipped = requestAcceptsGzip(request);
    const replyWith = ({ tag, body }: Made): Reply | Promise<Reply> =>
      notModifiedReply({ getHeader: () => ifNoneMatch }, tag) ??
      bodyReply(tag, { body, identity: body, isZipped, gzips, key: 'liquidity' });
    const read = bodies.readBody();
    return read instanceof Promise ? read.then(replyWith) : replyWith(read);
  };
}

/** Makes the bodies; all clients share one. */
class LiquidityBodies {
  readonly #service: PathService;
  readonly #texts: MarketTexts;
  #made: Made | undefined;
  #making: Promise<Made> | undefined;

  constructor(service: PathService) {
    this.#service = service;
    this.#texts = new MarketTexts(service.book);
  }

  readBody(): Made | Promise<Made> {
    const { book, timers, budget } = this.#service;
    const made = this.#made;
    const age = timers.unixMs() - (made?.atMs ?? 0);
    // A clock that was set back also makes the body expire.
    const isFresh = age >= 0 && age < LIMITS.statisticsKeptMs;
    if (made !== undefined && made.epoch === book.epoch && isFresh) return made;
    if (this.#making !== undefined) return this.#making;
    const steps = budget.runSteps(this.#makeBody());
    if (!(steps instanceof Promise)) return steps;
    this.#making = steps.finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  *#makeBody(): Generator<undefined, Made> {
    const { book, timers, directory } = this.#service;
    const { epoch } = book;
    const rows: string[] = [];
    for (const info of sortedMarkets(directory)) {
      rows.push(this.#texts.readText(info));
      yield;
    }
    const body = Buffer.from(`[${rows.join(',')}]`);
    const tag = contentTag(epoch, { body, state: book.state });
    this.#made = { epoch, atMs: timers.unixMs(), body, tag };
    return this.#made;
  }
}

type LiquidityBook = Pick<BookSource, 'levels' | 'version' | 'epoch'>;

/** The text of each market, kept while its book does not change. */
class MarketTexts {
  readonly #book: LiquidityBook;
  readonly #kept = new Map<number, { readonly version: string; readonly text: string }>();

  constructor(book: LiquidityBook) {
    this.#book = book;
  }

  readText({ id, symbol: name, marketType: type, marketIndex: index }: MarketInfo): string {
    const { epoch } = this.#book;
    const { seq, slot, state: now }: MarketVersion = this.#book.version(id);
    const version = `${epoch} ${seq} ${name}`;
    let kept = this.#kept.get(id);
    if (kept?.version !== version) {
      kept = { version, text: liquidityText(readLevels(this.#book, id)) };
      this.#kept.set(id, kept);
    }
    return (
      `{"symbol":${JSON.stringify(name)},"marketType":"${type}","marketIndex":${index},` +
      `"seq":${seq},"slot":${slot},"epoch":${JSON.stringify(epoch)},"state":"${now}",${kept.text}}`
    );
  }
}

/** Levels a side of the first read, and by how much more each further read has. */
const LEVELS = { first: 200, factor: 5 } as const;
const BPS = 10_000n;
const BPS_MAX = BigInt(DISTANCES_BPS.at(-1) ?? 0);
/** One base at 1e9. */
const BASE_ONE = 1_000_000_000n;

/** Reads a book down to the largest distance. */
function readLevels(book: LiquidityBook, id: number): BookLevels {
  for (let asked: number = LEVELS.first; ; asked *= LEVELS.factor) {
    const sides = book.levels({ market: id, depth: asked, vamm: true });
    const mid2 = doubleMid(sides);
    const isWhole = (side: keyof BookLevels): boolean => {
      const last = sides[side].at(-1);
      const isAll = last === undefined || sides[side].length < asked;
      return isAll || mid2 === null || !isWithin(last, side, { mid2, bps: BPS_MAX });
    };
    if (isWhole('bids') && isWhole('asks')) return sides;
  }
}

/** The sum of the best prices, which is exact; null where a side is empty. */
function doubleMid({ bids: [bid], asks: [ask] }: BookLevels): bigint | null {
  return bid === undefined || ask === undefined ? null : bid.price + ask.price;
}

/** A distance from the mid price, of which `mid2` is the double. */
interface Reach {
  readonly mid2: bigint;
  readonly bps: bigint;
}

/** Levels beyond the mid price, as of a crossed book, are within every distance. */
function isWithin(
  { price: raw }: BookLevel,
  side: keyof BookLevels,
  { mid2, bps }: Reach,
): boolean {
  const distance2 = side === 'bids' ? mid2 - raw * 2n : raw * 2n - mid2;
  return distance2 * BPS <= mid2 * bps;
}

function liquidityText(sides: BookLevels): string {
  const mid2 = doubleMid(sides);
  const [bid, ask] = [sides.bids[0]?.price, sides.asks[0]?.price];
  const prices =
    (bid === undefined ? '' : `"bestBidPrice":"${bid}",`) +
    (ask === undefined ? '' : `"bestAskPrice":"${ask}",`);
  if (mid2 === null || bid === undefined || ask === undefined) return `${prices}"depth":[]`;
  const spread = mid2 === 0n ? 0 : (Number(ask - bid) / Number(mid2)) * 2e4;
  const rows = DISTANCES_BPS.map((bps) => {
    const reach = { mid2, bps: BigInt(bps) };
    const [bids, asks] = [sumWithin(sides, 'bids', reach), sumWithin(sides, 'asks', reach)];
    return (
      `{"bps":${bps},"bidBase":"${bids.base}","bidQuote":"${bids.quote}",` +
      `"askBase":"${asks.base}","askQuote":"${asks.quote}"}`
    );
  });
  return `${prices}"spreadBps":${spread},"depth":[${rows.join(',')}]`;
}

/** Returns the sums of a side within a distance. */
function sumWithin(sides: BookLevels, side: keyof BookLevels, reach: Reach) {
  let [base, value] = [0n, 0n];
  for (const level of sides[side]) {
    if (!isWithin(level, side, reach)) break;
    base += level.size;
    value += level.size * level.price;
  }
  return { base, quote: value / BASE_ONE };
}
