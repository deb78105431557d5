/**
 * /liquidity: the spread of every market and the depth near its mid price. A body is made at most
 * once in half a second for all clients, one market in a step, and a market that has not changed is
 * not read again.
 */

import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { BookSource, MarketVersion } from '../../contract/book-source.js';
import {
  BOOK_CONDITIONS,
  conditionOf,
  DISTANCES_BPS,
  liquidityText,
  readNear,
} from '../../contract/liquidity.js';
import type { MarketInfo } from '../../contract/markets.js';
import { price, size, state } from '../api/book-parts.js';
import { sortedMarkets } from '../api/market-directory.js';
import { wordSchema } from '../api/param-parts.js';
import {
  count,
  leftOutForNull,
  marketIndex,
  marketType,
  readAs,
  symbol,
  text,
  unsigned,
} from '../api/schema-parts.js';
import { requireFirstBook } from './book-routes.js';
import { contentTag } from './content-responder.js';
import type { Path, PathService, Route } from './path.js';
import type { CachedBody } from './stats.js';
import { TaggedReplies } from './versioned-reply.js';

/** Base and quote within one distance. */
const depthRow = Type.Object({
  bps: Type.Integer({ description: 'Distance from the mid price, basis points.' }),
  bidBase: size('Base of the bids within it, at 1e9.'),
  bidQuote: unsigned('quote', 'Their value at their prices, quote at 1e6.'),
  askBase: size('Base of the asks within it, at 1e9.'),
  askQuote: unsigned('quote', 'Their value at their prices, quote at 1e6.'),
});

/** Members of a row that a book has at any moment. */
export const nearBook = {
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
  depth: Type.Array(depthRow, {
    description: `Within ${DISTANCES_BPS.join(', ')} basis points; empty where a side is empty.`,
  }),
};

const market = Type.Object({
  symbol,
  marketType,
  marketIndex,
  seq: count('Grows with each change of the market within an epoch.'),
  slot: count('The newest slot of the book.'),
  epoch: text('One run of the service on one chain.'),
  condition: readAs(
    'text',
    wordSchema([...BOOK_CONDITIONS], {
      description:
        'Of the book, with the AMM: `locked` and `crossed` where the best bid is at or above the best ask, `oneSided` and `empty` without orders.',
    }),
  ),
  ...nearBook,
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

function liquidityRoute(service: PathService): Route {
  const replies = new TaggedReplies();
  const bodies = new LiquidityBodies(service);
  return (request) => {
    requireFirstBook(service.readiness());
    const reply = replies.readHeaders(request);
    const replyWith = ({ tag, body }: CachedBody) => reply(tag, body, 'liquidity');
    const read = bodies.readBody();
    return read instanceof Promise ? read.then(replyWith) : replyWith(read);
  };
}

/** Makes the bodies; all clients share one. */
class LiquidityBodies {
  readonly #service: PathService;
  readonly #texts: MarketTexts;
  #made: CachedBody | undefined;
  #making: Promise<CachedBody> | undefined;

  constructor(service: PathService) {
    this.#service = service;
    this.#texts = new MarketTexts(service.book);
  }

  readBody(): CachedBody | Promise<CachedBody> {
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

  *#makeBody(): Generator<undefined, CachedBody> {
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
      const near = readNear(this.#book, id);
      kept = { version, text: `"condition":"${conditionOf(near)}",${liquidityText(near)}` };
      this.#kept.set(id, kept);
    }
    return (
      `{"symbol":${JSON.stringify(name)},"marketType":"${type}","marketIndex":${index},` +
      `"seq":${seq},"slot":${slot},"epoch":${JSON.stringify(epoch)},"state":"${now}",${kept.text}}`
    );
  }
}
