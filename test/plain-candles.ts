/**
 * Candles from all trades at once, in the plainest way: for every bucket, the trades are looked through
 * again. It is what candles are compared with, so it shares no code with them, and it steps from one
 * bucket to the next by the calendar.
 */

/** A trade as it is told anywhere: raw integers, the base at 1e9. */
export interface PlainTrade {
  readonly ts: number;
  readonly fillRecordId: bigint;
  readonly base: bigint;
  readonly quote: bigint;
  readonly oracle: bigint;
}

/** A candle in raw integers: prices and quote at 1e6, base at 1e9. */
export interface PlainCandle {
  readonly ts: number;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  readonly oracleOpen: bigint;
  readonly oracleHigh: bigint;
  readonly oracleLow: bigint;
  readonly oracleClose: bigint;
  readonly base: bigint;
  readonly quote: bigint;
  readonly trades: number;
  readonly lastTradeTs: number | null;
  readonly lastFillRecordId: bigint | null;
}

/** From the bucket of the first trade to that of `until`, or of the last trade if that is later. */
export function plainCandles(
  trades: readonly PlainTrade[],
  { resolution, until }: { readonly resolution: string; readonly until: number },
): PlainCandle[] {
  const sorted = [...trades].sort((a, b) => (a.fillRecordId < b.fillRecordId ? -1 : 1));
  if (sorted.length === 0) return [];
  const times = sorted.map(({ ts }) => ts);
  const end = Math.max(until, ...times);
  const candles: PlainCandle[] = [];
  for (let ts = startOf(resolution, Math.min(...times)); ts <= end; ) {
    const next = startAfter(resolution, ts);
    const own = sorted.filter((trade) => trade.ts >= ts && trade.ts < next);
    candles.push(plainCandle(ts, own, candles.at(-1)));
    ts = next;
  }
  return candles;
}

function plainCandle(
  ts: number,
  trades: readonly PlainTrade[],
  previous: PlainCandle | undefined,
): PlainCandle {
  const prices = trades.map(priceOf);
  const oracles = trades.map(({ oracle }) => oracle);
  const open = previous?.close ?? must(prices[0]);
  const oracleOpen = previous?.oracleClose ?? must(oracles[0]);
  const last = trades.at(-1);
  return {
    ts,
    open,
    high: ascending([open, ...prices]).at(-1) ?? open,
    low: ascending([open, ...prices])[0] ?? open,
    close: prices.at(-1) ?? open,
    oracleOpen,
    oracleHigh: ascending([oracleOpen, ...oracles]).at(-1) ?? oracleOpen,
    oracleLow: ascending([oracleOpen, ...oracles])[0] ?? oracleOpen,
    oracleClose: oracles.at(-1) ?? oracleOpen,
    base: trades.reduce((sum, { base }) => sum + base, 0n),
    quote: trades.reduce((sum, { quote }) => sum + quote, 0n),
    trades: trades.length,
    lastTradeTs: last?.ts ?? null,
    lastFillRecordId: last?.fillRecordId ?? null,
  };
}

/** In human units at 1e6: the quotient at 1e7, whose last digit rounds. */
function priceOf({ base, quote }: PlainTrade): bigint {
  return ((quote * 10n ** 10n) / base + 5n) / 10n;
}

function ascending(values: readonly bigint[]): bigint[] {
  return [...values].sort((a, b) => (a < b ? -1 : 1));
}

function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the first candle has a trade');
  return value;
}

/** Found by counting days and minutes, from the date as it is written. */
function startOf(resolution: string, ts: number): number {
  const date = new Date(ts * 1_000);
  const day = Date.parse(`${date.toISOString().slice(0, 10)}T00:00:00Z`) / 1_000;
  if (resolution === 'M')
    return Date.parse(`${date.toISOString().slice(0, 7)}-01T00:00:00Z`) / 1_000;
  if (resolution === 'W') return day - ((date.getUTCDay() + 6) % 7) * 86_400;
  if (resolution === 'D') return day;
  const minute = date.getUTCHours() * 60 + date.getUTCMinutes();
  return day + (minute - (minute % Number(resolution))) * 60;
}

function startAfter(resolution: string, start: number): number {
  const longest = { M: 32 * 86_400, W: 8 * 86_400, D: 30 * 3_600 }[resolution];
  return startOf(resolution, start + (longest ?? Number(resolution) * 60));
}
