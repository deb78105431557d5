/** Series of markets. */
import type { MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import { type MetricSeries, seriesOf } from './series.js';

/** Returns the series of the markets, whose sequence numbers `seqOf` gives by id. */
export function marketSeries(
  directory: Pick<MarketDirectory, 'markets'>,
  seqOf: (market: number) => number,
): readonly MetricSeries[] {
  return seriesOf(
    () => directory.markets(),
    [
      [
        'seq{market}',
        'The sequence of changes, by market.',
        (markets) => Object.fromEntries(markets.map(({ id, symbol }) => [symbol, seqOf(id)])),
      ],
      ['markets_empty{reason}', 'Markets whose book is empty by a rule, by reason.', emptyCounts],
    ],
  );
}

function emptyCounts(markets: readonly MarketInfo[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { emptyReason } of markets) {
    if (emptyReason !== null) counts[emptyReason] = (counts[emptyReason] ?? 0) + 1;
  }
  return counts;
}
