/** The book as CoinGecko reads it. */
import { BASE_PLACES, formatDecimal, QUOTE_PLACES } from '../../amounts/decimals.js';
import { LIMITS } from '../../config/limits.js';
import type { L2Request } from '../../contract/book-requests.js';
import { parseOrderbook } from '../api/book-params.js';
import { type BookRoute, type BookRouteOptions, bookRoute } from './book-routes.js';

/** The book by level in decimals, for CoinGecko. */
export function orderbookRoute(options: BookRouteOptions): BookRoute {
  const { book, directory } = options;
  return bookRoute<L2Request>({
    ...options,
    parse: (raw) => parseOrderbook(raw, directory),
    render: (query) => Buffer.from(orderbookText(Buffer.from(book.l2(query)).toString())),
    isLarge: ({ depth }) => depth > LIMITS.smallBookLevels,
  });
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
