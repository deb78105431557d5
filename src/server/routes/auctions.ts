/** /auctions: the orders of a market that are in auction. */
import { Type } from '@sinclair/typebox';
import type { AuctionsRequest } from '../../contract/book-requests.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import {
  asOf,
  identity,
  nullable,
  orderMembers,
  pastErrors,
  price,
  size,
  UNSIGNED_TEXT,
  version,
} from '../api/book-parts.js';
import { selectMarket } from '../api/market-params.js';
import { readQuery } from '../api/param-check.js';
import { market, wordSchema } from '../api/param-parts.js';
import { count, unsigned } from '../api/schema-parts.js';
import { keyedRequest, withMoment } from './as-of-route.js';
import { bookRoute } from './book-routes.js';
import type { Path } from './path.js';

const auctionsParams = Type.Object(market);

const priceOrNull = (description: string) =>
  nullable(
    'price',
    UNSIGNED_TEXT,
    `${description}, at 1e6; null where the program gives the order no price.`,
  );

/** An order in auction. */
export const auction = Type.Object({
  orderType: wordSchema(['market', 'limit', 'triggerMarket', 'triggerLimit', 'oracle'], {
    description: 'How the order is priced.',
  }),
  direction: wordSchema(['long', 'short'], { description: 'Whether it buys or sells.' }),
  price: unsigned('price', 'The limit price that the order names, at 1e6; 0 for none.'),
  size: size('What can still fill, at 1e9.'),
  baseAssetAmount: size('Size at placement, at 1e9.'),
  baseAssetAmountFilled: size('Filled so far, at 1e9.'),
  ...orderMembers,
  auctionStartPrice: price('As on chain, at 1e6: a price, or an offset from the oracle.'),
  auctionEndPrice: price('As on chain, at 1e6: a price, or an offset from the oracle.'),
  startPrice: priceOrNull('Price in the first slot of the auction'),
  endPrice: priceOrNull('Price in its last slot'),
  currentPrice: priceOrNull('Price at which the order fills now'),
  auctionDuration: count('Slots of the auction after its first.'),
  slotsLeft: count('Slots that it still has after this one; 0 in its last.'),
});

/** The path. */
export const auctions = {
  summary: 'The orders of a market that are in auction, at the prices at which they fill now',
  kind: 'book',
  params: auctionsParams,
  body: {
    name: 'Auctions',
    schema: Type.Object({
      auctions: Type.Array(auction, { description: 'The one that was placed first comes first.' }),
      ...identity,
      ...version,
      asOf,
    }),
  },
  tagged: true,
  moment: true,
  errors: pastErrors,
  open: (service) => {
    const { book, directory } = service;
    return withMoment(service, {
      encodings: 'json',
      bodiesOf: ({ query }, { encoding }) => {
        const parsed = parseAuctions(query, directory);
        return { read: { path: 'auctions', ...keyedRequest(parsed, service, encoding) } };
      },
      // The ETag has one more part, because the version of the book does not cover orders in
      // auction.
      live: bookRoute<AuctionsRequest>({
        ...service,
        parse: (raw) => parseAuctions(raw, directory),
        render: (query) => book.auctions(query),
        beside: ({ auctions }) => auctions,
        isLarge: () => true,
      }),
    });
  },
} as const satisfies Path;

/** Reads the parameters of /auctions. Throws a ServerError that names the wrong parameter. */
function parseAuctions(raw: string, markets: MarketDirectory): AuctionsRequest {
  const params = readQuery(auctionsParams, raw);
  return { market: selectMarket(params, markets).id };
}
