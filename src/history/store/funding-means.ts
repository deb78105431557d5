/** Means of the funding rates of a market over periods up to now. */
import type { MarketKey } from '../../contract/markets.js';
import { marketCode } from './columns.js';
import { kindCode, type ReadParts } from './record-rows.js';

/** The periods, in seconds. */
const FUNDING_PERIODS = {
  '24h': 86_400,
  '7d': 7 * 86_400,
  '30d': 30 * 86_400,
  '1y': 365 * 86_400,
} as const;

/**
 * The mean of each period as a fraction of the price per hour; null for a period without a record.
 */
export type FundingMeans = Readonly<Record<keyof typeof FUNDING_PERIODS, number | null>>;

/**
 * Reads the means; `now` is in unix seconds. They are computed in doubles, whose 15 digits exceed
 * the displayed ones. A record without an oracle price counts as 0, as in all bodies.
 */
export function readFundingMeans(
  { connection }: ReadParts,
  { market, now }: { readonly market: MarketKey; readonly now: number },
): FundingMeans {
  const seconds = Object.values(FUNDING_PERIODS);
  const means = seconds.map(() => 'avg(part) filter (where ts >= ?)').join(', ');
  const rows = `select ts, cast(fraction as double precision) / 1e18 as part
    from records where kind = ${kindCode('fundingRate')} and market = ? and ts >= ?`;
  const bounds = seconds.map((length) => now - length);
  const row = connection.readRow(`select ${means} from (${rows}) as rates`, [
    ...bounds,
    marketCode(market),
    Math.min(...bounds),
  ]);
  const [day = null, week = null, month = null, year = null] = row ?? [];
  const meanOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  return { '24h': meanOf(day), '7d': meanOf(week), '30d': meanOf(month), '1y': meanOf(year) };
}
