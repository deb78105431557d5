/** Bucket starts, and the candles of a sequence of trades that holds late ones. */

import {
  type Resolution,
  type ResolutionName,
  resolutionOf,
} from '../../src/contract/resolutions.js';
import { candlesOf } from '../../src/history/candles/candle.js';
import { labelledCandleText } from '../../src/history/candles/candle-text.js';
import { bucketStart, isResolutionName } from '../../src/history/candles/resolution.js';
import {
  aggregateOf,
  type Bucket,
  candlePointOf,
  mergeAggregates,
} from '../../src/history/candles/rules.js';
import type { CandlePoint } from '../../src/history/store/types.js';
import { Cases, type Family, type GoldenFile } from './family.js';

/** The part of such a file that is run. */
interface CandleFile {
  readonly buckets: readonly {
    readonly ts: number;
    readonly bucketStart: Readonly<Record<string, number>>;
  }[];
  readonly sequence: {
    readonly trades: readonly GoldenTrade[];
    readonly candles: Readonly<Record<string, readonly { readonly symbol: string }[]>>;
  };
}

/** Raw integers; the base at 1e9. */
interface GoldenTrade {
  readonly ts: number;
  readonly fillRecordId: number;
  readonly base: string;
  readonly quote: string;
  readonly oraclePrice: string;
}

export const candleFamily: Family = {
  name: 'candles',
  matches: ({ json }) => Object.hasOwn(Object(json), 'buckets'),
  run: ({ json }: GoldenFile) => {
    const cases = new Cases();
    const { buckets, sequence } = json as CandleFile;
    for (const { ts, bucketStart: starts } of buckets) {
      for (const [name, recorded] of Object.entries(starts)) {
        cases.same(`${ts} ${name}`, { ours: bucketStart(known(name), ts), recorded });
      }
    }
    const trades = sequence.trades.map(readTrade);
    for (const [name, recorded] of Object.entries(sequence.candles)) {
      const symbol = recorded[0]?.symbol ?? '';
      const ours = candlesFromFirstToLast(trades, { symbol, resolution: name as ResolutionName });
      cases.same(`candles of ${name}: how many`, { ours: ours.length, recorded: recorded.length });
      for (const [index, candle] of recorded.entries()) {
        cases.same(`candle ${index} of ${name}`, { ours: ours[index], recorded: candle });
      }
    }
    return cases.report();
  },
};

function known(name: string) {
  if (!isResolutionName(name)) throw new Error(`resolution ${name} is unknown`);
  return resolutionOf(name);
}

function readTrade({ ts, fillRecordId, base, quote, oraclePrice }: GoldenTrade): CandlePoint {
  const amounts = { base: BigInt(base), quote: BigInt(quote), oracle: BigInt(oraclePrice) };
  const fill = { ts, id: BigInt(fillRecordId), ...amounts };
  const trade = candlePointOf(fill, 9);
  if (trade === null) throw new Error(`trade ${fillRecordId} counts in no candle`);
  return trade;
}

/** As a client reads them: the JSON text, parsed. */
function candlesFromFirstToLast(
  trades: readonly CandlePoint[],
  label: { readonly symbol: string; readonly resolution: ResolutionName },
): unknown[] {
  const resolution = known(label.resolution);
  const buckets = bucketsOf(resolution, trades);
  const [from = 0, to = 0] = [buckets[0]?.start, buckets.at(-1)?.start];
  const candles = candlesOf({ resolution, from, to, before: null, buckets });
  return candles.map((candle) => JSON.parse(labelledCandleText(candle, label)));
}

/** Ascending. */
function bucketsOf(resolution: Resolution, trades: readonly CandlePoint[]): Bucket[] {
  const buckets = new Map<number, Bucket>();
  for (const trade of trades) {
    const start = bucketStart(resolution, trade.ts);
    const [old, own] = [buckets.get(start), aggregateOf(trade)];
    buckets.set(start, { start, ...(old === undefined ? own : mergeAggregates(old, own)) });
  }
  return [...buckets.values()].sort((a, b) => a.start - b.start);
}
