/** The volumes of all markets over a period up to now, or over a range of hours. */
import { type Static, Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { VolumesQuery } from '../../contract/history-queries.js';
import { checkParams, readQuery, type Texts } from '../api/param-check.js';
import { secondsOrMs, wordSchema } from '../api/param-parts.js';
import { floorTo, secondsOf } from '../api/request-params.js';
import { always, base, marketIndex, marketType, quote, symbol } from '../api/schema-parts.js';
import { ServerError } from '../transport/errors.js';
import type { HttpRequest } from '../transport/reply.js';
import { summariesOf } from './history-paths.js';
import type { HistoryService, Path } from './path.js';

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

/** Time ranges up to now whose volumes are served. */
const PERIOD_SECONDS = { '1h': HOUR_SECONDS, '24h': 24 * HOUR_SECONDS, '30d': 720 * HOUR_SECONDS };

const volumePeriodParams = Type.Object({
  period: wordSchema(Object.keys(PERIOD_SECONDS) as (keyof typeof PERIOD_SECONDS)[], {
    description: 'The time up to now.',
  }),
});

const volumeParams = Type.Object({
  startTs: secondsOrMs('Unix seconds, inclusive, down to the hour.'),
  endTs: secondsOrMs('Unix seconds, exclusive, down to the hour; 1 to 24 hours after startTs.'),
});

const volume = Type.Object({
  symbol,
  quoteVolume: always(quote('Quote traded')),
  baseVolume: always(base('Base traded')),
  marketIndex,
  marketType,
});

const volumes = {
  kind: 'history',
  tagged: true,
  body: {
    name: 'Volumes',
    schema: Type.Object({
      success: Type.Literal(true),
      total: always(quote('Quote traded in all markets')),
      markets: Type.Array(volume, {
        description: 'Perpetual markets first, each kind by index.',
      }),
    }),
  },
  errors: ['MISSING_PARAM', 'INVALID_PARAM', 'OUT_OF_RANGE', 'NOT_READY', 'LIMIT_EXCEEDED'],
} as const;

/** The path of the volumes over a period up to now. */
export const periodVolumes = {
  ...volumes,
  summary: 'What all markets traded in the last hour, 24 hours or 30 days',
  params: volumePeriodParams,
  open: (service: HistoryService) => (request: HttpRequest, texts: Texts) =>
    summariesOf(service).replyTo(request, (ts) =>
      periodOf(checkParams(volumePeriodParams, texts), ts),
    ),
} as const satisfies Path;

/** The path of some hours. */
export const hourVolumes = {
  ...volumes,
  summary: 'What all markets traded in up to 24 whole hours',
  params: volumeParams,
  open: (service: HistoryService) => (request: HttpRequest) =>
    summariesOf(service).replyTo(request, () => hoursOf(readQuery(volumeParams, request.query))),
} as const satisfies Path;

/**
 * The period starts at a whole minute, like the 24 hours of /stats/markets, and has no end: trades
 * can be newer than the finalised slot.
 */
function periodOf({ period }: Static<typeof volumePeriodParams>, chainTs: number): VolumesQuery {
  const from = floorTo(Math.max(0, chainTs - PERIOD_SECONDS[period]), MINUTE_SECONDS);
  return { kind: 'volumes', from, to: floorTo(chainTs, HOUR_SECONDS) + 2 * HOUR_SECONDS };
}

/** Rounds both times down to the hour; the range must be 1 to 24 hours. */
function hoursOf({ startTs, endTs }: Static<typeof volumeParams>): VolumesQuery {
  const from = floorTo(secondsOf(startTs), HOUR_SECONDS);
  const to = floorTo(secondsOf(endTs), HOUR_SECONDS);
  const hours = (to - from) / HOUR_SECONDS;
  if (hours >= 1 && hours <= LIMITS.volumeHoursMax) return { kind: 'volumes', from, to };
  const message = `endTs was ${hours} whole hours after startTs, must be 1 to ${LIMITS.volumeHoursMax}`;
  throw new ServerError('OUT_OF_RANGE', message, 'endTs');
}
