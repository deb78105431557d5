/** Series of markets. */
import type { MarketDirectory } from '../../contract/book-source.js';
import type { MetricSeries } from './series.js';

/** Returns the series of the markets, whose sequence numbers `seqOf` gives by id. */
export function marketSeries(
  directory: Pick<MarketDirectory, 'markets'>,
  seqOf: (market: number) => number,
): readonly MetricSeries[] {
  return [
    {
      kind: 'gauge',
      name: 'slotbook_seq',
      help: 'The sequence of changes, by market.',
      label: 'market',
      read: () =>
        Object.fromEntries(directory.markets().map(({ id, symbol }) => [symbol, seqOf(id)])),
    },
    {
      kind: 'gauge',
      name: 'slotbook_markets_empty',
      help: 'Markets whose book is empty by a rule, by reason.',
      label: 'reason',
      read: () => emptyCounts(directory),
    },
  ];
}

function emptyCounts(directory: Pick<MarketDirectory, 'markets'>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { emptyReason } of directory.markets()) {
    if (emptyReason !== null) counts[emptyReason] = (counts[emptyReason] ?? 0) + 1;
  }
  return counts;
}
