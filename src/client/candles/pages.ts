/**
 * Fetches candles of any range, page by page from the newest. The path returns the newest candles
 * first. `startTs` is the newer bound and `endTs` the older bound, both inclusive; `endTs` requires
 * a larger `startTs`; neither may lie in the service's future.
 */
import { ClientError } from '../error.js';
import { list, object } from '../fields.js';
import { type Candle, candle } from '../generated/candles.js';
import type { Resolution } from '../generated/lists.js';
import type { CallOptions, Requester } from '../http/request.js';
import * as limits from '../limits.js';
import { lengthOf } from './candle.js';

/** The body of the path, newest first. */
const candleRecords = object({ records: list(candle) });

/** A range of candles of one market: the first and the last start, unix seconds, both inclusive. */
interface CandleRange {
  readonly symbol: string;
  readonly resolution: Resolution;
  readonly fromTs: number;
  readonly toTs: number;
}

/** Returns the candles of the range in order, without duplicates. */
export async function fetchRange(
  requester: Requester,
  range: CandleRange,
  { nowS, signal }: CallOptions & { readonly nowS: number },
): Promise<Candle[]> {
  const { resolution } = range;
  // Candles start at whole seconds, and the path requires whole seconds.
  const toTs = Math.floor(range.toTs);
  const fromTs = Math.max(Math.ceil(range.fromTs), limits.CANDLE_TS_MIN);
  if (fromTs > toTs) {
    // The range is empty; the request still validates market and resolution.
    await fetchPage(requester, { ...range, fromTs: nowS, startTs: undefined, nowS }, { signal });
    return [];
  }
  const found = new Map<number, Candle>();
  // The newest page has no bound when the clocks of client and service may disagree about the
  // future.
  let startTs = toTs > nowS - limits.CLOCKS_APART_S_MAX ? undefined : toTs;
  for (let page = 0; page < limits.CANDLE_PAGES_MAX; page += 1) {
    if (startTs !== undefined && startTs < fromTs) return inOrder(found, { fromTs, toTs });
    const candles = await fetchPage(requester, { ...range, fromTs, startTs, nowS }, { signal });
    for (const candle of candles) found.set(candle.ts, candle);
    const oldest = Math.min(...candles.map(({ ts }) => ts));
    // Fetching ends when there is no older candle, or when the next one would start before the
    // range.
    const isEnd = candles.length === 0 || oldest - lengthOf(resolution).minS < fromTs;
    if (isEnd || oldest > (startTs ?? Number.POSITIVE_INFINITY)) {
      return inOrder(found, { fromTs, toTs });
    }
    startTs = oldest - 1;
  }
  const message = `the range has more than ${limits.CANDLE_PAGES_MAX} pages`;
  throw new ClientError('INVALID_OPTION', message);
}

type PageRange = CandleRange & { readonly startTs: number | undefined; readonly nowS: number };

async function fetchPage(
  requester: Requester,
  { symbol, resolution, fromTs, startTs, nowS }: PageRange,
  options: CallOptions,
): Promise<readonly Candle[]> {
  const path = `/market/${encodeURIComponent(symbol)}/candles/${resolution}`;
  const newestTs = startTs ?? nowS + limits.CLOCKS_APART_S_MAX;
  // The maximum number of candles in the range, plus one for each partial end.
  const count = Math.ceil((newestTs - fromTs) / lengthOf(resolution).minS) + 2;
  const limit = Math.max(1, Math.min(limits.CANDLES_PAGE_MAX, count));
  const older = startTs !== undefined && startTs > fromTs ? { endTs: fromTs } : {};
  const bounds = startTs === undefined ? {} : { startTs, ...older };
  const query = { limit, ...bounds };
  return (await requester.get({ path, query, read: candleRecords }, options)).value.records;
}

function inOrder(
  found: ReadonlyMap<number, Candle>,
  { fromTs, toTs }: Pick<CandleRange, 'fromTs' | 'toTs'>,
): Candle[] {
  const inside = [...found.values()].filter(({ ts }) => ts >= fromTs && ts <= toTs);
  return inside.sort((one, other) => one.ts - other.ts);
}
