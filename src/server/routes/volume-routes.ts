/**
 * What all markets traded in a span of time: the last hour, 24 hours or 30 days, or hours of the
 * client's choice. Each span is read at most once a second, whoever asks.
 */
import type { Static } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import { type VOLUME_PERIODS, volumeParams, volumePeriodParams } from '../api/history-schemas.js';
import { checkParams, compileParamSchemas, type Texts } from '../api/param-check.js';
import { splitQuery } from '../api/query.js';
import type { HistoryAnswer, VolumesQuery } from '../ports/market-data-source.js';
import { ServerError } from '../transport/errors.js';
import type { HttpRequest, Reply } from '../transport/reply.js';
import { requireFirstBook } from './book-routes.js';
import { GzipCache } from './gzip.js';
import { HistoryCache } from './history-cache.js';
import { HistoryQueue } from './history-reads.js';
import { type HistoryRoute, type HistoryRouteOptions, requireHistory } from './history-routes.js';
import { contentTag } from './stats-route.js';
import { bodyReply, notModifiedReply, requestAcceptsGzip } from './versioned.js';

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

const secondsOf: Readonly<Record<(typeof VOLUME_PERIODS)[number], number>> = {
  '1h': HOUR_SECONDS,
  '24h': 24 * HOUR_SECONDS,
  '30d': 30 * 24 * HOUR_SECONDS,
};

/** The names of the paths of this file. */
type VolumePathName = '/stats/markets/volume' | '/stats/markets/volume/{period}';

/** The routes of both paths, which share their bounds. */
export function volumeRoutes(
  options: HistoryRouteOptions,
): Readonly<Record<VolumePathName, HistoryRoute>> {
  compileParamSchemas([volumeParams, volumePeriodParams]);
  const answers = new VolumeResponder(options);
  return {
    '/stats/markets/volume': (request) =>
      answers.replyTo(request, () => hoursOf(checkParams(volumeParams, textsOf(request)))),
    '/stats/markets/volume/{period}': (request, texts) =>
      answers.replyTo(request, (now) => periodOf(checkParams(volumePeriodParams, texts), now)),
  };
}

class VolumeResponder {
  readonly #reads: HistoryQueue;
  readonly #cache = new HistoryCache();
  readonly #gzips = new GzipCache();

  constructor(private readonly options: HistoryRouteOptions) {
    this.#reads = new HistoryQueue(options.history);
  }

  replyTo(
    request: HttpRequest,
    parse: (nowSeconds: number) => VolumesQuery,
  ): Reply | Promise<Reply> {
    const { book, history, readiness, nowMs = Date.now } = this.options;
    requireFirstBook(readiness());
    requireHistory(history);
    const nowSeconds = Math.floor(nowMs() / 1_000);
    const query = parse(nowSeconds);
    const key = `${book.epoch} ${query.from} ${query.to}`;
    const version = String(nowSeconds);
    // What the client takes is read now: the transport's request ends with this call.
    const client = {
      ifNoneMatch: request.header('if-none-match'),
      isZipped: requestAcceptsGzip(request),
    };
    const kept = this.#cache.findAnswer(key, version);
    if (kept !== undefined) return this.#answerReply(client, kept, key);
    const wanted = { name: `${version} ${key}`, query, isGone: () => request.isGone };
    return this.#reads.runQuery(wanted).then((answer) => {
      this.#cache.cacheAnswer(key, { version, answer });
      return this.#answerReply(client, answer, key);
    });
  }

  #answerReply(client: Client, { body }: HistoryAnswer, key: string): Reply | Promise<Reply> {
    const { book, history } = this.options;
    const tag = contentTag(book.epoch, { body, state: history.figures().state });
    const { ifNoneMatch, isZipped } = client;
    const unchanged = notModifiedReply({ header: () => ifNoneMatch }, tag);
    if (unchanged !== undefined) return unchanged;
    return bodyReply(tag, { body, identity: body, isZipped, gzips: this.#gzips, key });
  }
}

/** What a client sent about the answers that it takes. */
interface Client {
  readonly ifNoneMatch: string;
  readonly isZipped: boolean;
}

function textsOf(request: HttpRequest): Texts {
  return splitQuery(request.query, volumeParams.properties);
}

/** From a whole minute on, as the last 24 hours of /stats/markets; the chain may be ahead of us. */
function periodOf({ period }: Static<typeof volumePeriodParams>, nowSeconds: number): VolumesQuery {
  const from = floorTo(nowSeconds - secondsOf[period], MINUTE_SECONDS);
  return { kind: 'volumes', from, to: floorTo(nowSeconds, HOUR_SECONDS) + 2 * HOUR_SECONDS };
}

/** Both times down to the hour, and one to 24 hours between them. */
function hoursOf({ startTs, endTs }: Static<typeof volumeParams>): VolumesQuery {
  const from = floorTo(startTs, HOUR_SECONDS);
  const to = floorTo(endTs, HOUR_SECONDS);
  const hours = (to - from) / HOUR_SECONDS;
  if (hours >= 1 && hours <= LIMITS.volumeHoursMax) return { kind: 'volumes', from, to };
  const message = `endTs was ${hours} whole hours after startTs, must be 1 to ${LIMITS.volumeHoursMax}`;
  throw new ServerError('OUT_OF_RANGE', message, 'endTs');
}

function floorTo(seconds: number, step: number): number {
  return seconds - (seconds % step);
}
