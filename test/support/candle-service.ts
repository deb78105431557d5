/** A service of candles that a test writes: the path with its bounds and refusals, and the socket. */
import type { Fetch } from '../../src/client/environment.js';
import { ClientWorld } from './client-world.js';

/** A candle as the service writes it. */
export interface SentCandle {
  readonly ts: number;
  readonly fillOpen: number;
  readonly fillHigh: number;
  readonly fillLow: number;
  readonly fillClose: number;
  readonly baseVolume: number;
  readonly quoteVolume: number;
  readonly lastFillRecordId?: string;
}

/** A candle whose numbers encode its time and its volume. */
export function candleAt(ts: number, volume = 1, lastFillRecordId?: string): SentCandle {
  const price = (ts / 60) % 1_000;
  return {
    ...{ ts, fillOpen: price, fillHigh: price + 1, fillLow: price - 1, fillClose: price },
    ...{ baseVolume: volume, quoteVolume: volume * price },
    ...(lastFillRecordId === undefined ? {} : { lastFillRecordId }),
  };
}

const OLDEST_TS_MIN = 1_668_470_400;
const LIMIT_MAX = 1_000;

/** Candles of one market and resolution. */
export class CandleService {
  readonly world = new ClientWorld();
  readonly asked: string[] = [];
  /** Any order; the path sorts. */
  candles: SentCandle[] = [];
  /** Seconds by which the service's clock lags behind the client's. */
  behindS = 0;
  /** Replies that come before the path answers by itself. */
  readonly replies: (Response | Error)[] = [];

  get nowS(): number {
    return Math.floor(this.world.clock.unixMs() / 1_000) - this.behindS;
  }

  /** Candles without gaps, up to the current one. */
  fill(count: number, lengthS: number): void {
    const last = this.nowS - (this.nowS % lengthS);
    this.candles = Array.from({ length: count }, (_, index) => candleAt(last - index * lengthS));
  }

  readonly fetch: Fetch = async (url) => {
    const { pathname, searchParams } = new URL(url);
    this.asked.push(`${pathname}?${searchParams}`);
    const reply = this.replies.shift();
    if (reply instanceof Error) throw reply;
    if (reply !== undefined) return reply;
    if (pathname === '/markets') {
      return json([{ symbol: 'SOL-PERP', marketType: 'perp', marketIndex: 0 }]);
    }
    return this.#page(searchParams);
  };

  /** The path's reply: newest first, `startTs` is the newer bound and `endTs` the older one. */
  #page(query: URLSearchParams): Response {
    const numbers = ['limit', 'startTs', 'endTs'].map((name) => query.get(name));
    const [limit = null, start = null, end = null] = numbers;
    const count = Number(limit ?? 100);
    const [startTs, endTs] = [start, end].map((ts) => (ts === null ? undefined : Number(ts)));
    const isOdd = (ts: number | undefined) =>
      ts !== undefined && (ts > this.nowS || ts < OLDEST_TS_MIN);
    if (count < 1 || count > LIMIT_MAX || isOdd(startTs) || isOdd(endTs)) return refused();
    if (startTs !== undefined && endTs !== undefined && startTs <= endTs) return refused();
    const from = startTs === undefined ? 0 : (endTs ?? 0);
    const inside = this.candles.filter(({ ts }) => ts >= from && ts <= (startTs ?? ts));
    const sorted = inside.sort((one, other) => other.ts - one.ts);
    const records = sorted.slice(0, count).map(({ lastFillRecordId, ...candle }) => candle);
    return json({ success: true, records });
  }
}

function json(body: unknown): Response {
  return new Response(JSON.stringify(body));
}

function refused(): Response {
  const error = { code: 'OUT_OF_RANGE', message: 'a bound is out of range', param: 'startTs' };
  return new Response(JSON.stringify({ error }), { status: 400 });
}
