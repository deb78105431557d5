/**
 * The parameters of the history's paths. Names that a path has in braces are read from the path, the
 * others from the query.
 */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import { type TextFormat, wordSchema } from './param-schemas.js';

const symbol = Type.String({
  format: 'market-name' satisfies TextFormat,
  minLength: 1,
  maxLength: LIMITS.marketNameBytesMax,
  description: 'Name of the market in any case, such as SOL-PERP.',
});

const rows = (what: string, { max, byDefault }: { max: number; byDefault: number }) =>
  Type.Integer({ minimum: 1, maximum: max, default: byDefault, description: `${what} at most.` });

const cursor = (description: string) =>
  Type.Optional(Type.String({ format: 'cursor' satisfies TextFormat, description }));

const seconds = (description: string) =>
  Type.Optional(
    Type.Integer({ minimum: 0, maximum: LIMITS.unixSecondsMax, description: `${description}.` }),
  );

const paging = {
  pageIndex: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.pagedRowsMax,
      description:
        `Pages to pass over, 0 is the newest; pageIndex times limit is at most ` +
        `${LIMITS.pagedRowsMax}. Not together with before.`,
    }),
  ),
  before: cursor('The cursor X-Next-Cursor of an earlier answer: what is older than that.'),
};

/** The parameters of /trades. */
export const tradesParams = Type.Object({
  symbol,
  limit: rows('Trades', { max: LIMITS.tradesMax, byDefault: LIMITS.tradesDefault }),
  ...paging,
});

/** The parameters of /fundingRates. */
export const fundingRatesParams = Type.Object({
  symbol,
  limit: rows('Records', { max: LIMITS.fundingRatesMax, byDefault: LIMITS.fundingRatesMax }),
  ...paging,
});

const page = cursor('The nextPage of an earlier answer.');

/** The parameters of /market/{symbol}/trades. */
export const tradeRecordsParams = Type.Object({
  symbol,
  limit: rows('Trades', { max: LIMITS.tradesMax, byDefault: LIMITS.recordsDefault }),
  page,
});

/** The parameters of /market/{symbol}/fundingRates. */
export const fundingRateRecordsParams = Type.Object({
  symbol,
  limit: rows('Records', { max: LIMITS.fundingRateRecordsMax, byDefault: LIMITS.recordsDefault }),
  page,
});

/** What clients may ask for; `1440` is another name of `D`. */
export const REQUESTED_RESOLUTIONS = ['1', '5', '15', '60', '240', '1440', 'D', 'W', 'M'] as const;

const resolution = wordSchema(REQUESTED_RESOLUTIONS, {
  description: 'Length of a candle in minutes; D (or 1440) a day, W a week, M a month of UTC.',
});

/** The parameters of /candles. */
export const candlesParams = Type.Object({
  symbol,
  resolution,
  from: seconds('Oldest start of a candle in unix seconds, inclusive'),
  to: seconds('Newest start of a candle in unix seconds, inclusive; not given means now'),
  limit: rows('Candles, the newest of the range,', {
    max: LIMITS.candlesMax,
    byDefault: LIMITS.candlesMax,
  }),
});

/** The parameters of /market/{symbol}/candles/{resolution}. */
export const candleRecordsParams = Type.Object({
  symbol,
  resolution,
  limit: rows('Candles', { max: LIMITS.candlesMax, byDefault: LIMITS.candleRecordsDefault }),
  startTs: seconds('The newer bound of a candle in unix seconds, inclusive; not given means now'),
  endTs: seconds('The older bound in unix seconds, inclusive; ignored without startTs'),
});

/** Spans up to now whose volumes are told. */
export const VOLUME_PERIODS = ['1h', '24h', '30d'] as const;

/** The parameters of /stats/markets/volume/{period}. */
export const volumePeriodParams = Type.Object({
  period: wordSchema(VOLUME_PERIODS, { description: 'The time up to now.' }),
});

const hour = (description: string) =>
  Type.Integer({ minimum: 0, maximum: LIMITS.unixSecondsMax, description });

/** The parameters of /stats/markets/volume. */
export const volumeParams = Type.Object({
  startTs: hour('Unix seconds, inclusive, down to the hour.'),
  endTs: hour('Unix seconds, exclusive, down to the hour; 1 to 24 hours after startTs.'),
});
