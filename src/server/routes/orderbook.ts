/** /orderbook: the book as CoinGecko reads it. */
import { Type } from '@sinclair/typebox';
import { BASE_PLACES, formatDecimal, QUOTE_PLACES } from '../../amounts/decimals.js';
import { LIMITS } from '../../config/limits.js';
import type { L2Request } from '../../contract/book-requests.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import { marketErrors } from '../api/book-parts.js';
import { throwUnknownMarket } from '../api/market-params.js';
import { readQuery } from '../api/param-check.js';
import { symbol as marketName, wholeSchema } from '../api/param-parts.js';
import { id, symbol, trimmed } from '../api/schema-parts.js';
import { bookRoute } from './book-routes.js';
import type { Path } from './path.js';

/** The number of levels of both sides in /orderbook, as CoinGecko requires. */
const ORDERBOOK_DEPTH = 100;

/** The parameters of /orderbook, under CoinGecko's names. */
const orderbookParams = Type.Object({
  ticker_id: { ...marketName, description: 'Name of the market in any case, as in /tickers.' },
  depth: wholeSchema(
    { min: 0, max: 2 * LIMITS.depthMax, byDefault: ORDERBOOK_DEPTH },
    'Levels of both sides together; 0 for all that one body has.',
  ),
});

const levels = (description: string) =>
  Type.Array(Type.Array(trimmed('Price, and then base.'), { minItems: 2, maxItems: 2 }), {
    description,
  });

/** The path. */
export const orderbook = {
  summary: 'The book of a market by price level, for CoinGecko; with the levels of its AMM',
  kind: 'book',
  params: orderbookParams,
  body: {
    name: 'Orderbook',
    schema: Type.Object({
      ticker_id: symbol,
      timestamp: id('Unix time in milliseconds.'),
      bids: levels('Best first.'),
      asks: levels('Best first.'),
    }),
  },
  tagged: true,
  errors: [...marketErrors, 'NOT_READY', 'LIMIT_EXCEEDED'],
  open: (service) =>
    bookRoute<L2Request>({
      ...service,
      parse: (raw) => parseOrderbook(raw, service.directory),
      render: (query) => Buffer.from(orderbookText(Buffer.from(service.book.l2(query)).toString())),
      isLarge: ({ depth }) => depth > LIMITS.smallBookLevels,
    }),
} as const satisfies Path;

/** Reads the parameters of /orderbook: `depth` counts both sides, so each side gets half of it. */
function parseOrderbook(raw: string, markets: MarketDirectory): L2Request {
  const params = readQuery(orderbookParams, raw);
  const { ticker_id: name, depth } = params;
  const { id } = markets.findMarket(name) ?? throwUnknownMarket(name, 'ticker_id');
  return { market: id, depth: depth === 0 ? LIMITS.depthMax : Math.ceil(depth / 2), vamm: true };
}

type LevelTexts = readonly { readonly price: string; readonly size: string }[];

function orderbookText(l2: string): string {
  const { marketName, ts, bids, asks } = JSON.parse(l2) as {
    readonly marketName: string;
    readonly ts: number;
    readonly bids: LevelTexts;
    readonly asks: LevelTexts;
  };
  const side = (levels: LevelTexts) =>
    levels.map(({ price, size }) => [
      formatDecimal(BigInt(price), QUOTE_PLACES),
      formatDecimal(BigInt(size), BASE_PLACES),
    ]);
  const timestamp = String(ts);
  return JSON.stringify({ ticker_id: marketName, timestamp, bids: side(bids), asks: side(asks) });
}
