import type { FundingRateEvent } from '../../contract/log-events.js';
import type { FundingRow } from '../model/records.js';
import { marketCodeOf, marketIndexOf, readInteger, readNumber, storedInteger } from './columns.js';
import type { Bound, Row } from './connection.js';
import type { FundingTable } from './schema.js';
import { type RowPosition, signatureOf } from './trade-rows.js';

/** The columns of a funding rate, in the order of the arrays that are written and read here. */
export const FUNDING_COLUMNS = [
  'market',
  'slot',
  'place',
  'tx',
  'idx',
  'ts',
  'record_id',
  'rate',
  'rate_long',
  'rate_short',
  'cumulative_long',
  'cumulative_short',
  'oracle_twap',
  'mark_twap',
  'period_revenue',
  'base_with_amm',
  'base_with_unsettled_lp',
] as const satisfies readonly (keyof FundingTable)[];

/** A funding rate as its row. */
export function fundingValues(rate: FundingRateEvent, seat: RowPosition): Bound[] {
  return [
    marketCodeOf('perp', rate.marketIndex),
    seat.slot,
    seat.place,
    seat.tx,
    rate.index,
    rate.ts,
    storedInteger(rate.recordId),
    storedInteger(rate.fundingRate),
    storedInteger(rate.fundingRateLong),
    storedInteger(rate.fundingRateShort),
    storedInteger(rate.cumulativeFundingRateLong),
    storedInteger(rate.cumulativeFundingRateShort),
    storedInteger(rate.oraclePriceTwap),
    storedInteger(rate.markPriceTwap),
    storedInteger(rate.periodRevenue),
    storedInteger(rate.baseAssetAmountWithAmm),
    storedInteger(rate.baseAssetAmountWithUnsettledLp),
  ];
}

/** The funding rate of a row of `FUNDING_COLUMNS`, behind which the signature stands. */
export function fundingOf(row: Row): FundingRow {
  return {
    slot: readNumber(row[1]),
    place: readNumber(row[2]),
    txSig: signatureOf(row[FUNDING_COLUMNS.length]),
    index: readNumber(row[4]),
    ts: readNumber(row[5]),
    recordId: readInteger(row[6]),
    marketIndex: marketIndexOf(readNumber(row[0])),
    fundingRate: readInteger(row[7]),
    fundingRateLong: readInteger(row[8]),
    fundingRateShort: readInteger(row[9]),
    cumulativeFundingRateLong: readInteger(row[10]),
    cumulativeFundingRateShort: readInteger(row[11]),
    oraclePriceTwap: readInteger(row[12]),
    markPriceTwap: readInteger(row[13]),
    periodRevenue: readInteger(row[14]),
    baseAssetAmountWithAmm: readInteger(row[15]),
    baseAssetAmountWithUnsettledLp: readInteger(row[16]),
  };
}
