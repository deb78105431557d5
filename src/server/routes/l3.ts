/** /l3: the book of a market by order. */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { L3Request } from '../../contract/book-requests.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import {
  asOf,
  identity,
  orderMembers,
  pastErrors,
  price,
  sideSchemas,
  size,
  version,
} from '../api/book-parts.js';
import { selectMarket } from '../api/market-params.js';
import { readQuery } from '../api/param-check.js';
import { bookFlags, market, publicKey, readFlags, wholeSchema } from '../api/param-parts.js';
import { keyedRequest, withMoment } from './as-of-route.js';
import { type BookRoute, bookRoute, encodingOf, inEncodings } from './book-routes.js';
import type { Path, PathService } from './path.js';

/** The parameters of /l3. */
const l3Params = Type.Object({
  ...market,
  depth: Type.Optional(
    wholeSchema(
      { min: LIMITS.depthMin, max: LIMITS.depthMax },
      'Orders a side; not given means all.',
    ),
  ),
  maker: Type.Optional(publicKey('Only the orders of this user account.')),
  ...bookFlags,
});

const order = Type.Object({
  price: price('Price at 1e6.'),
  size: size('Base left, at 1e9.'),
  queue: size('Base ahead of the order at its price.'),
  ...orderMembers,
});

/** The path. */
export const l3 = {
  summary: 'The book of a market by order',
  kind: 'book',
  params: l3Params,
  body: {
    name: 'L3',
    schema: Type.Object({ ...sideSchemas(order), ...identity, ...version, asOf }),
  },
  binary: true,
  tagged: true,
  moment: true,
  errors: pastErrors,
  open: (service) =>
    withMoment(service, {
      encodings: 'jsonOrBinary',
      bodiesOf: ({ query }, { encoding }) => {
        const parsed = parseL3(query, service.directory);
        return { read: { path: 'l3', ...keyedRequest(parsed, service, encoding) } };
      },
      live: l3Route(service),
    }),
} as const satisfies Path;

function l3Route(service: PathService): BookRoute {
  const { book, directory } = service;
  return inEncodings((encoding) =>
    bookRoute<L3Request>({
      ...service,
      encoding,
      parse: (raw) => ({ ...parseL3(raw, directory), ...encodingOf(encoding) }),
      render: (query) => book.l3(query),
      isLarge: ({ depth = Number.POSITIVE_INFINITY }) => depth > LIMITS.smallBookOrders,
    }),
  );
}

/** Reads the parameters of /l3. Throws a ServerError that names the wrong parameter. */
export function parseL3(raw: string, markets: MarketDirectory): L3Request {
  const params = readQuery(l3Params, raw);
  const { depth, maker } = params;
  return {
    market: selectMarket(params, markets).id,
    ...(depth === undefined ? {} : { depth }),
    ...(maker === undefined ? {} : { maker }),
    ...readFlags({ ...params, includeVamm: false }),
  };
}
