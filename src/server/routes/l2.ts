/** /l2: the book of a market by price level. */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { L2Request } from '../../contract/book-requests.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import {
  asOf,
  identity,
  pastErrors,
  price,
  sideSchemas,
  size,
  version,
} from '../api/book-parts.js';
import { selectMarket } from '../api/market-params.js';
import { checkParams, compileParamSchemas, splitQuery, type Texts } from '../api/param-check.js';
import { bookFlags, market, readFlags, wholeSchema } from '../api/param-parts.js';
import { leftOutForNull } from '../api/schema-parts.js';
import { keyedRequest, withMoment } from './as-of-route.js';
import { type BookRoute, bookRoute, encodingOf, inEncodings } from './book-routes.js';
import type { Path, PathService } from './path.js';

/** The parameters of /l2. */
export const l2Params = Type.Object({
  ...market,
  depth: wholeSchema(
    { min: LIMITS.depthMin, max: LIMITS.depthMax, byDefault: LIMITS.l2DepthDefault },
    'Levels a side. Where the service runs with --compat-defaults, ' +
      `${LIMITS.l2CompatibleDepthDefault} by default under /dlob, and includeVamm is true there.`,
  ),
  grouping: Type.Optional(
    wholeSchema(
      { min: LIMITS.groupingMin, max: LIMITS.groupingMax },
      'Ticks a group; not given means every level by itself.',
    ),
  ),
  ...bookFlags,
});

/** The parameters of /l2 with the defaults of the dlob-server. */
const l2CompatibleParams: typeof l2Params = Type.Object({
  ...l2Params.properties,
  depth: Type.Integer({ ...l2Params.properties.depth, default: LIMITS.l2CompatibleDepthDefault }),
  includeVamm: Type.Boolean({ ...l2Params.properties.includeVamm, default: true }),
});

/** The schema of /l2, with whichever defaults. */
export type L2Params = typeof l2Params;

const level = Type.Object({
  price: price('Price at 1e6.'),
  size: size('Base at 1e9.'),
  sources: Type.Record(Type.String(), size('Base at 1e9.'), {
    description: 'Where the size comes from, by source (`dlob`); they add up to it.',
  }),
});

const prices = {
  markPrice: price('Middle of the best prices, or the oracle where a side is empty.'),
  bestBidPrice: leftOutForNull('price', price('Left out where a side is empty.')),
  bestAskPrice: leftOutForNull('price', price('Left out where a side is empty.')),
  spreadPct: leftOutForNull('integer', size('Percent at 1e6, as spreadQuote.')),
  spreadQuote: leftOutForNull('quote', size('Quote at 1e6, 0 if crossed; missing with a side.')),
};

/** The path. */
export const l2 = {
  summary: 'The book of a market by price level',
  kind: 'book',
  params: l2Params,
  body: {
    name: 'L2',
    schema: Type.Object({ ...sideSchemas(level), ...identity, ...prices, ...version, asOf }),
  },
  binary: true,
  tagged: true,
  moment: true,
  errors: pastErrors,
  open: (service) =>
    withMoment(service, {
      encodings: 'jsonOrBinary',
      bodiesOf: (request, { encoding }) => {
        const parsed = parseL2(request.query, service.directory, schemaOf(service, request.path));
        return { read: { path: 'l2', ...keyedRequest(parsed, service, encoding) } };
      },
      live: l2Route(service),
    }),
} as const satisfies Path;

function l2Route(service: PathService): BookRoute {
  const { book, directory } = service;
  return withPrefixDefaults(service, (schema) =>
    inEncodings((encoding) =>
      bookRoute<L2Request>({
        ...service,
        encoding,
        parse: (raw) => ({ ...parseL2(raw, directory, schema), ...encodingOf(encoding) }),
        render: (query) => book.l2(query),
        isLarge: ({ depth }) => depth > LIMITS.smallBookLevels,
      }),
    ),
  );
}

/**
 * Returns the schema for a requested path: below /dlob it may have the defaults of the dlob-server.
 */
export function schemaOf({ compatDefaults = false }: Compat, path: string): L2Params {
  return compatDefaults && path.startsWith('/dlob/') ? l2CompatibleParams : l2Params;
}

type Compat = Pick<PathService, 'compatDefaults'>;

/** Returns a route that calls the route of `makeRoute` with the schema for the requested path. */
export function withPrefixDefaults(
  service: Compat,
  makeRoute: (schema: L2Params) => BookRoute,
): BookRoute {
  const plain = makeRoute(l2Params);
  if (service.compatDefaults !== true) return plain;
  compileParamSchemas([l2CompatibleParams]);
  const compatible = makeRoute(l2CompatibleParams);
  return (request) =>
    schemaOf(service, request.path) === l2Params ? plain(request) : compatible(request);
}

/** Reads the parameters of /l2. Throws a ServerError that names the wrong parameter. */
export function parseL2(raw: string, markets: MarketDirectory, schema = l2Params): L2Request {
  return l2Request(splitQuery(raw, schema.properties), markets, schema);
}

/** A request of checked texts. */
export function l2Request(texts: Texts, markets: MarketDirectory, schema: L2Params): L2Request {
  const params = checkParams(schema, texts);
  const { depth, grouping } = params;
  return {
    market: selectMarket(params, markets).id,
    depth,
    ...(grouping === undefined ? {} : { grouping }),
    ...readFlags(params),
  };
}
