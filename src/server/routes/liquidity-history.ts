/** /liquidity/history: spread, depth and levels of a market over time, from the journal. */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { AsOfRequest } from '../../contract/as-of-source.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import { pastErrors, price, size } from '../api/book-parts.js';
import { selectMarket } from '../api/market-params.js';
import { readQuery } from '../api/param-check.js';
import { market, seconds, wordSchema } from '../api/param-parts.js';
import { count, leftOutForNull, marketIndex, marketType } from '../api/schema-parts.js';
import { NO_JOURNAL_TEXT, ServerError } from '../transport/errors.js';
import { replyAtMoment } from './as-of-route.js';
import { requireFirstBook } from './book-routes.js';
import { nearBook } from './liquidity.js';
import type { Path, PathService, Route } from './path.js';
import { TaggedReplies } from './versioned-reply.js';

/** Distances of two rows, seconds, ascending. */
const RESOLUTIONS = ['10', '30', '60', '300', '900', '3600'] as const;
/** The time that a request without `from` reads, seconds. */
const SPAN_S = 3_600;

const params = Type.Object({
  ...market,
  from: seconds('Time of the oldest row in unix seconds; not given means an hour before to'),
  to: seconds('Time of the newest row in unix seconds; not given means now'),
  resolution: Type.Optional(
    wordSchema(RESOLUTIONS, {
      description: `Seconds between two rows; by default the fewest with at most ${LIMITS.liquidityRowsMax} rows.`,
    }),
  ),
});

const band = (side: string) =>
  leftOutForNull('price', price(`Lower price of the band of the best ${side}, at 1e6.`));
const bands = (what: string) =>
  Type.Array(size('Base of resting orders in a band, at 1e9.'), { description: what });

const row = Type.Object({
  ts: count('Unix time in milliseconds; the book after the last turn until then.'),
  ...nearBook,
  bandStep: leftOutForNull(
    'price',
    price(
      'Width of a band of price, at 1e6: 1, 2 or 5 times a power of ten; left out without a mid price.',
    ),
  ),
  bidBand: band('bid'),
  bids: bands('Bands from the best bid down to 100 basis points from the mid price.'),
  askBand: band('ask'),
  asks: bands('Bands from the best ask up to 100 basis points from the mid price.'),
});

/** The path. */
export const liquidityHistoryPath = {
  summary: 'Spread, depth and levels by band of price of a market over time, from the journal',
  kind: 'service',
  params,
  body: {
    name: 'LiquidityHistory',
    schema: Type.Object({
      marketType,
      marketIndex,
      resolution: count('Seconds between two rows.'),
      segmentsRead: count('Segments of the journal in the range whose rows are here.'),
      segments: count('Segments in the range: with fewer read, the same request reads more.'),
      rows: Type.Array(row, { description: 'Oldest first; none where the journal has a gap.' }),
    }),
  },
  tagged: true,
  errors: pastErrors,
  open: liquidityHistoryRoute,
} as const satisfies Path;

function liquidityHistoryRoute(service: PathService): Route {
  const { asOf, readiness, directory, timings, timers } = service;
  const replies = new TaggedReplies();
  return (request) => {
    requireFirstBook(readiness());
    const asked = parseRead(request.query, directory, Math.floor(timers.unixMs() / 1_000));
    if (asOf === undefined) throw new ServerError('NO_JOURNAL', NO_JOURNAL_TEXT);
    return replyAtMoment(asOf, {
      request,
      ...asked,
      encoding: undefined,
      replies,
      timings,
      timers,
    });
  };
}

/** Reads the parameters. Throws a ServerError that names the wrong parameter. */
function parseRead(raw: string, markets: MarketDirectory, nowS: number): AsOfRequest {
  const { to = nowS, from = Math.max(0, to - SPAN_S), ...sent } = readQuery(params, raw);
  if (from > to) {
    throw new ServerError('INVALID_PARAM', `from was ${from}, must be at most to, ${to}`, 'from');
  }
  const fits = (one: string): boolean => (to - from) / Number(one) <= LIMITS.liquidityRowsMax;
  const resolution = sent.resolution ?? RESOLUTIONS.find(fits);
  if (resolution === undefined || !fits(resolution)) {
    const message = `from ${from} to ${to} are more than ${LIMITS.liquidityRowsMax} rows`;
    throw new ServerError('INVALID_PARAM', message, sent.resolution ? 'resolution' : 'from');
  }
  const { marketType: type, marketIndex: index } = selectMarket(sent, markets);
  const history = {
    key: { marketType: type, marketIndex: index },
    fromMs: from * 1_000,
    stepMs: Number(resolution) * 1_000,
  };
  return { moment: { by: 'ts', value: to * 1_000 }, bodies: { history } };
}
