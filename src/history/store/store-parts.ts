import type { CandleTables } from './candle-table.js';
import type { Charts } from './charts.js';
import type { Connection } from './connection.js';
import type { FillRuns } from './fill-runs.js';
import type { Lines } from './lines.js';
import type { Numbers } from './numbers.js';
import type { Totals } from './totals.js';
import type { Transactions } from './transactions.js';

/** What the store is made of, all on one connection. */
export interface StoreParts {
  readonly connection: Connection;
  readonly numbers: Numbers;
  readonly transactions: Transactions;
  readonly fillRuns: FillRuns;
  readonly lines: Lines;
  readonly totals: Totals;
  readonly candles: CandleTables;
  readonly charts: Charts;
}
