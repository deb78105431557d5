import type { FillDirection } from '../../contract/log-events.js';
import type { ChainPlace, Fill, TradeRow } from '../model/records.js';
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
import type { RecordKey, TradeTable } from './schema.js';

/** The columns of a trade, in the order of the arrays that are written and read here. */
export const TRADE_COLUMNS = [
  'market',
  'slot',
  'place',
  'tx',
  'idx',
  'ts',
  'fill_record_id',
  'explanation',
  'filler',
  'filler_reward',
  'base_filled',
  'quote_filled',
  'taker_fee',
  'maker_fee',
  'referrer_reward',
  'quote_surplus',
  'spot_fee',
  'taker',
  'taker_order_id',
  'taker_direction',
  'taker_base',
  'taker_base_filled',
  'taker_quote_filled',
  'maker',
  'maker_order_id',
  'maker_direction',
  'maker_base',
  'maker_base_filled',
  'maker_quote_filled',
  'oracle_price',
  'bit_flags',
  'taker_quote_entry',
  'taker_base_before',
  'maker_quote_entry',
  'maker_base_before',
] as const satisfies readonly (keyof TradeTable)[];

/** Where a record of a transaction is put. */
export type RowPosition = Pick<RecordKey, 'slot' | 'place' | 'tx'>;

/** A fill as its row. */
export function tradeValues(fill: Fill, seat: RowPosition, nameIds: NameIds): Bound[] {
  return [
    marketCodeOf(fill.marketType, fill.marketIndex),
    seat.slot,
    seat.place,
    seat.tx,
    fill.index,
    fill.ts,
    storedOrNull(fill.fillRecordId),
    nameIds.explanationId(fill.actionExplanation),
    accountOrNull(fill.filler, nameIds),
    storedOrNull(fill.fillerReward),
    storedOrNull(fill.baseAssetAmountFilled),
    storedOrNull(fill.quoteAssetAmountFilled),
    storedOrNull(fill.takerFee),
    storedOrNull(fill.makerFee),
    fill.referrerReward,
    storedOrNull(fill.quoteAssetAmountSurplus),
    storedOrNull(fill.spotFulfillmentMethodFee),
    accountOrNull(fill.taker, nameIds),
    fill.takerOrderId,
    directionCode(fill.takerOrderDirection),
    storedOrNull(fill.takerOrderBaseAssetAmount),
    storedOrNull(fill.takerOrderCumulativeBaseAssetAmountFilled),
    storedOrNull(fill.takerOrderCumulativeQuoteAssetAmountFilled),
    accountOrNull(fill.maker, nameIds),
    fill.makerOrderId,
    directionCode(fill.makerOrderDirection),
    storedOrNull(fill.makerOrderBaseAssetAmount),
    storedOrNull(fill.makerOrderCumulativeBaseAssetAmountFilled),
    storedOrNull(fill.makerOrderCumulativeQuoteAssetAmountFilled),
    storedInteger(fill.oraclePrice),
    fill.bitFlags,
    storedOrNull(fill.takerExistingQuoteEntryAmount),
    storedOrNull(fill.takerExistingBaseAssetAmount),
    storedOrNull(fill.makerExistingQuoteEntryAmount),
    storedOrNull(fill.makerExistingBaseAssetAmount),
  ];
}

/** The trade of a row of `TRADE_COLUMNS`, behind which the transaction's signature stands. */
export function tradeOf(row: Row, nameIds: NameIds): TradeRow {
  return withPosition(fillOf(row, nameIds), {
    slot: readNumber(row[1]),
    place: readNumber(row[2]),
    txSig: signatureOf(row[TRADE_COLUMNS.length]),
  });
}

/** A record with its place. The record comes last: as the first of many members it takes ten times as long. */
export function withPosition<T>(record: T, place: ChainPlace): T & ChainPlace {
  return { slot: place.slot, place: place.place, txSig: place.txSig, ...record };
}

/** The fill of a row of `TRADE_COLUMNS`. */
export function fillOf(row: Row, nameIds: NameIds): Fill {
  const market = readNumber(row[0]);
  return {
    index: readNumber(row[4]),
    ts: readNumber(row[5]),
    action: 'fill',
    actionExplanation: nameIds.explanationName(readNumber(row[7])),
    marketIndex: marketIndexOf(market),
    marketType: marketTypeOf(market),
    filler: keyOrNull(row[8], nameIds),
    fillerReward: readIntegerOrNull(row[9]),
    fillRecordId: readIntegerOrNull(row[6]),
    baseAssetAmountFilled: readIntegerOrNull(row[10]),
    quoteAssetAmountFilled: readIntegerOrNull(row[11]),
    takerFee: readIntegerOrNull(row[12]),
    makerFee: readIntegerOrNull(row[13]),
    referrerReward: readNumberOrNull(row[14]),
    quoteAssetAmountSurplus: readIntegerOrNull(row[15]),
    spotFulfillmentMethodFee: readIntegerOrNull(row[16]),
    taker: keyOrNull(row[17], nameIds),
    takerOrderId: readNumberOrNull(row[18]),
    takerOrderDirection: directionOf(row[19]),
    takerOrderBaseAssetAmount: readIntegerOrNull(row[20]),
    takerOrderCumulativeBaseAssetAmountFilled: readIntegerOrNull(row[21]),
    takerOrderCumulativeQuoteAssetAmountFilled: readIntegerOrNull(row[22]),
    maker: keyOrNull(row[23], nameIds),
    makerOrderId: readNumberOrNull(row[24]),
    makerOrderDirection: directionOf(row[25]),
    makerOrderBaseAssetAmount: readIntegerOrNull(row[26]),
    makerOrderCumulativeBaseAssetAmountFilled: readIntegerOrNull(row[27]),
    makerOrderCumulativeQuoteAssetAmountFilled: readIntegerOrNull(row[28]),
    oraclePrice: readInteger(row[29]),
    bitFlags: readNumber(row[30]),
    takerExistingQuoteEntryAmount: readIntegerOrNull(row[31]),
    takerExistingBaseAssetAmount: readIntegerOrNull(row[32]),
    makerExistingQuoteEntryAmount: readIntegerOrNull(row[33]),
    makerExistingBaseAssetAmount: readIntegerOrNull(row[34]),
  };
}

/** The text of a signature's bytes. */
export function signatureOf(value: unknown): string {
  if (value instanceof Uint8Array) return encodeBase58(value);
  throw new Error('a record has no transaction');
}

function accountOrNull(key: string | null, nameIds: NameIds): number | null {
  return key === null ? null : nameIds.accountId(key);
}

function keyOrNull(id: unknown, nameIds: NameIds): string | null {
  return id === null ? null : nameIds.accountKey(readNumber(id));
}

function directionCode(direction: FillDirection | null): number | null {
  if (direction === null) return null;
  return direction === 'long' ? 0 : 1;
}

function directionOf(code: unknown): FillDirection | null {
  if (code === null) return null;
  return readNumber(code) === 0 ? 'long' : 'short';
}
