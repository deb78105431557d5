/**
 * Codecs between records and rows: one table of columns for fills and one for funding rates, each
 * of which both encodes and decodes rows.
 */
import type { FillDirection, FundingRateEvent } from '../../engine/events.js';
import type { ChainPlace, Fill, FundingRow, TradeRow } from '../model/records.js';
import { encodeBase58 } from './base58.js';
import {
  marketCodeOf,
  marketIndexOf,
  marketTypeOf,
  readInteger,
  readIntegerOrNull,
  readNumber,
  readNumberOrNull,
  storedInteger,
  storedOrNull,
} from './columns.js';
import type { Bound, Row } from './connection.js';
import type { NameIds } from './name-ids.js';
import { blobSum, damagedError, recordSum, requireSum } from './row-sum.js';

interface Codec<Member, Column extends Bound> {
  readonly write: (member: Member, nameIds: NameIds) => Column;
  readonly read: (column: unknown, nameIds: NameIds) => Member;
}

const number: Codec<number, number> = { write: (value) => value, read: readNumber };
const numberOrNull: Codec<number | null, number | null> = {
  write: (value) => value,
  read: readNumberOrNull,
};
const integer = { write: storedInteger, read: readInteger };
const integerOrNull = { write: storedOrNull, read: readIntegerOrNull };
const explanation: Codec<string, number> = {
  write: (name, nameIds) => nameIds.explanationId(name),
  read: (id, nameIds) => nameIds.explanationName(readNumber(id)),
};
const account: Codec<string | null, number | null> = {
  write: (key, nameIds) => (key === null ? null : nameIds.accountId(key)),
  read: (id, nameIds) => (id === null ? null : nameIds.accountKey(readNumber(id))),
};
const direction: Codec<FillDirection | null, number | null> = {
  write: (side) => (side === null ? null : Number(side === 'short')),
  read: (code) => (code === null ? null : readNumber(code) === 0 ? 'long' : 'short'),
};

/** A member of a record with its codec. */
type Field<Of> = { [Member in keyof Of]: readonly [Member, Codec<Of[Member], Bound>] }[keyof Of];

const fillColumns = {
  ts: ['ts', number],
  fill_record_id: ['fillRecordId', integerOrNull],
  explanation: ['actionExplanation', explanation],
  filler: ['filler', account],
  filler_reward: ['fillerReward', integerOrNull],
  base_filled: ['baseAssetAmountFilled', integerOrNull],
  quote_filled: ['quoteAssetAmountFilled', integerOrNull],
  taker_fee: ['takerFee', integerOrNull],
  maker_fee: ['makerFee', integerOrNull],
  referrer_reward: ['referrerReward', numberOrNull],
  quote_surplus: ['quoteAssetAmountSurplus', integerOrNull],
  spot_fee: ['spotFulfillmentMethodFee', integerOrNull],
  taker: ['taker', account],
  taker_order_id: ['takerOrderId', numberOrNull],
  taker_direction: ['takerOrderDirection', direction],
  taker_base: ['takerOrderBaseAssetAmount', integerOrNull],
  taker_base_filled: ['takerOrderCumulativeBaseAssetAmountFilled', integerOrNull],
  taker_quote_filled: ['takerOrderCumulativeQuoteAssetAmountFilled', integerOrNull],
  maker: ['maker', account],
  maker_order_id: ['makerOrderId', numberOrNull],
  maker_direction: ['makerOrderDirection', direction],
  maker_base: ['makerOrderBaseAssetAmount', integerOrNull],
  maker_base_filled: ['makerOrderCumulativeBaseAssetAmountFilled', integerOrNull],
  maker_quote_filled: ['makerOrderCumulativeQuoteAssetAmountFilled', integerOrNull],
  oracle_price: ['oraclePrice', integer],
  bit_flags: ['bitFlags', number],
  taker_quote_entry: ['takerExistingQuoteEntryAmount', integerOrNull],
  taker_base_before: ['takerExistingBaseAssetAmount', integerOrNull],
  maker_quote_entry: ['makerExistingQuoteEntryAmount', integerOrNull],
  maker_base_before: ['makerExistingBaseAssetAmount', integerOrNull],
} as const satisfies Readonly<Record<string, Field<Fill>>>;

const fundingColumns = {
  ts: ['ts', number],
  record_id: ['recordId', integer],
  rate: ['fundingRate', integer],
  rate_long: ['fundingRateLong', integer],
  rate_short: ['fundingRateShort', integer],
  cumulative_long: ['cumulativeFundingRateLong', integer],
  cumulative_short: ['cumulativeFundingRateShort', integer],
  oracle_twap: ['oraclePriceTwap', integer],
  mark_twap: ['markPriceTwap', integer],
  period_revenue: ['periodRevenue', integer],
  base_with_amm: ['baseAssetAmountWithAmm', integer],
  base_with_unsettled_lp: ['baseAssetAmountWithUnsettledLp', integer],
} as const satisfies Readonly<Record<string, Field<FundingRateEvent>>>;

/** The position of a record: the key of both record tables, in the order of pages. */
interface RecordKey {
  /** `marketCode`. */
  market: number;
  slot: number;
  place: number;
  /**
   * The id of the record's row in `transactions`; it distinguishes two records with equal
   * provisional positions.
   */
  tx: number;
  idx: number;
}

/** The columns of both tables. */
type Columns = Readonly<
  Record<string, readonly [string, Pick<Codec<never, Bound>, 'write'> & RowReader]>
>;

interface RowReader {
  readonly read: (column: unknown, nameIds: NameIds) => unknown;
}

type Table<Of extends Columns> = RecordKey & {
  /** See `row-sum.ts`. */
  sum: number | null;
} & {
  -readonly [Name in keyof Of]: ReturnType<Of[Name][1]['write']>;
};

/** One fill. */
export type TradeTable = Table<typeof fillColumns>;

/** One funding rate of a perp market. */
export type FundingTable = Table<typeof fundingColumns>;

type Fields = readonly Columns[string][];

const fillFields: Fields = Object.values(fillColumns);
const fundingFields: Fields = Object.values(fundingColumns);

const keyColumns = ['market', 'slot', 'place', 'tx', 'idx'] as const;

/** The columns of a trade, in the order of its row arrays. */
export const TRADE_COLUMNS = columnNames(fillColumns);

/** The columns of a funding rate, likewise. */
export const FUNDING_COLUMNS = columnNames(fundingColumns);

function columnNames<Of extends Columns>(
  columns: Of,
): readonly (keyof RecordKey | (keyof Of & string) | 'sum')[] {
  return [...keyColumns, ...Object.keys(columns), 'sum'];
}

/** The position of a transaction's record. */
export type RowPosition = Pick<RecordKey, 'slot' | 'place' | 'tx'>;

/** Encodes a fill as a row. */
export function tradeValues(fill: Fill, at: RowPosition, nameIds: NameIds): Bound[] {
  const market = marketCodeOf(fill.marketType, fill.marketIndex);
  const key = [market, at.slot, at.place, at.tx, fill.index];
  return recordValues(key, fill, { fields: fillFields, nameIds });
}

/** Encodes a funding rate as a row. */
export function fundingValues(rate: FundingRateEvent, at: RowPosition, nameIds: NameIds): Bound[] {
  const key = [marketCodeOf('perp', rate.marketIndex), at.slot, at.place, at.tx, rate.index];
  return recordValues(key, rate, { fields: fundingFields, nameIds });
}

/** Builds the row in the array of its key, for speed, because this runs for each record. */
function recordValues(
  values: Bound[],
  record: object,
  { fields, nameIds }: { readonly fields: Fields; readonly nameIds: NameIds },
): Bound[] {
  const members = record as Readonly<Record<string, never>>;
  for (const [member, { write }] of fields) values.push(write(members[member] as never, nameIds));
  values.push(recordSum(values));
  return values;
}

/** Returns the expected checksum of a row of `TRADE_COLUMNS` or `FUNDING_COLUMNS`. */
export function sumOfRecord(row: Row, columns: readonly string[]): number {
  return recordSum(row.slice(0, columns.length - 1));
}

/** Throws a StoreError on a checksum mismatch of a record row, which may have further columns. */
function checkRecord(row: Row, table: string, columns: readonly string[]): void {
  const stored = row[columns.length - 1];
  if (stored !== null) requireSum(table, stored, sumOfRecord(row, columns));
}

/** Decodes a row of `TRADE_COLUMNS`, followed by the transaction's signature and its checksum. */
export function tradeOf(row: Row, nameIds: NameIds): TradeRow {
  const txSig = checkedSignature(row, TRADE_COLUMNS.length);
  const place = { slot: readNumber(row[1]), place: readNumber(row[2]), txSig };
  return Object.assign(fillOf(row, nameIds), place);
}

/** Decodes a row of `FUNDING_COLUMNS`, followed by the signature and its checksum. */
export function fundingOf(row: Row, nameIds: NameIds): FundingRow {
  checkRecord(row, 'funding_rates', FUNDING_COLUMNS);
  const key = {
    slot: readNumber(row[1]),
    place: readNumber(row[2]),
    txSig: checkedSignature(row, FUNDING_COLUMNS.length),
    index: readNumber(row[4]),
    marketIndex: marketIndexOf(readNumber(row[0])),
  };
  return addMembers(key, fundingColumns, { row, nameIds });
}

/** Decodes the fill of a row of `TRADE_COLUMNS`. */
export function fillOf(row: Row, nameIds: NameIds): Fill {
  checkRecord(row, 'trades', TRADE_COLUMNS);
  const market = readNumber(row[0]);
  const key = {
    index: readNumber(row[4]),
    action: 'fill' as const,
    marketIndex: marketIndexOf(market),
    marketType: marketTypeOf(market),
  };
  return addMembers(key, fillColumns, { row, nameIds });
}

/**
 * Adds its position to a record. The record is spread last, because spreading it first takes ten
 * times as long.
 */
export function withPosition<T>(record: T, { slot, place, txSig }: ChainPlace): T & ChainPlace {
  return { slot, place, txSig, ...record };
}

/** Encodes the bytes of a signature. */
export function signatureOf(value: unknown): string {
  if (value instanceof Uint8Array) return encodeBase58(value);
  throw damagedError('transactions');
}

function checkedSignature(row: Row, at: number): string {
  const signature = row[at];
  if (!(signature instanceof Uint8Array)) throw damagedError('transactions');
  const stored = row[at + 1];
  if (stored !== null) requireSum('transactions', stored, blobSum(signature));
  return encodeBase58(signature);
}

type Members<Of extends Columns> = {
  -readonly [Name in keyof Of as Of[Name][0]]: ReturnType<Of[Name][1]['read']>;
};

/**
 * Adds the members to the object in place, because a copy of this many members takes twenty times
 * as long.
 */
function addMembers<Key extends object, Of extends Columns>(
  key: Key,
  columns: Of,
  { row, nameIds }: { readonly row: Row; readonly nameIds: NameIds },
): Key & Members<Of> {
  const record = key as Record<string, unknown>;
  let at = keyColumns.length;
  for (const name in columns) {
    const [member, { read }] = columns[name] as Of[string];
    record[member] = read(row[at], nameIds);
    at += 1;
  }
  return record as Key & Members<Of>;
}
