/**
 * Cursors: the end of a page as an opaque text that clients send back. It is base64url of the
 * record type, the market, and the slot and number of the last record.
 *
 * A cursor contains only stable values. The position of a transaction within a slot is provisional
 * until the slot is finalised, but the program numbers a market's records in chain order.
 */

import type { AccountRecordKind } from '../../contract/history-queries.js';
import type { MarketKey } from '../../contract/markets.js';
import { HistoryError } from '../model/error.js';
import type { RecordPosition } from '../model/records.js';
import { marketCodeOf, marketIndexOf, marketTypeOf } from '../store/columns.js';

/** The type of the paged records: of a market, or of an account by kind. */
type PagedKind = 'trades' | 'fundingRates' | AccountRecordKind;

/** The last record of a page: the next page has older slots, or lower numbers in this slot. */
export type PageEnd = RecordPosition;

/** The pages for which a cursor is valid, and the name of its query parameter. */
export interface CursorOf {
  readonly kind: PagedKind;
  readonly market: MarketKey;
  readonly param: string;
}

/** The first byte of a cursor: it changes with the meaning of the other bytes. */
const KIND_BYTES: Readonly<Record<PagedKind, number>> = {
  trades: 0x11,
  fundingRates: 0x12,
  trade: 0x13,
  fundingPayment: 0x14,
  deposit: 0x15,
  settlePnl: 0x16,
  liquidation: 0x17,
  order: 0x18,
  newUser: 0x19,
};
const MARKET_TYPE_BYTES = { perp: 0, spot: 1 } as const;
/** In the place of a market's type: of no market. */
const NO_MARKET_BYTE = 2;

const MARKET_AT = 1;
const SLOT_AT = 4;
const SLOT_BYTES = 6;
const ID_AT = 10;
const CURSOR_BYTES = 18;
const CURSOR_PATTERN = /^[\w-]{24}$/;
const ID_MAX = 2n ** 63n - 1n;

/** Writes a cursor of a market's records. */
export function cursorOf(end: PageEnd, of: Omit<CursorOf, 'param'>): string {
  const bytes = endBytes(end);
  writeHead(bytes, of);
  return bytes.toString('base64url');
}

function endBytes({ slot, id }: PageEnd): Buffer {
  const bytes = Buffer.alloc(CURSOR_BYTES);
  bytes.writeUIntBE(slot, SLOT_AT, SLOT_BYTES);
  // No market has this many fills; the number is clamped so that an invalid number does not break
  // the page.
  bytes.writeBigInt64BE(id > ID_MAX ? ID_MAX : id, ID_AT);
  return bytes;
}

/**
 * Reads a cursor.
 *
 * # Errors
 * Throws INVALID_PARAM for a malformed cursor, and for a cursor of other records or another market.
 */
export function readCursor(text: string, of: CursorOf): PageEnd {
  const bytes = bytesOf(text);
  if (bytes === null) throw invalidCursor(of, 'is none');
  const head = Buffer.alloc(SLOT_AT);
  writeHead(head, of);
  if (!bytes.subarray(0, SLOT_AT).equals(head)) throw invalidCursor(of, 'is of other records');
  return endOf(bytes);
}

/** The last record of a page of an account's records, which are of any market. */
export interface AccountPageEnd extends PageEnd {
  readonly kind: AccountRecordKind;
  /** By `LoggedRecord.market`. */
  readonly market: number;
}

/** Writes a cursor of an account's records. */
export function accountCursorOf({ kind, market, ...end }: AccountPageEnd): string {
  const bytes = endBytes(end);
  bytes[0] = KIND_BYTES[kind];
  bytes[MARKET_AT] = market < 0 ? NO_MARKET_BYTE : MARKET_TYPE_BYTES[marketTypeOf(market)];
  bytes.writeUInt16BE(Math.max(0, marketIndexOf(market)), MARKET_AT + 1);
  return bytes.toString('base64url');
}

/**
 * Reads a cursor of an account's records, which contains the market of the last one. It is a
 * position among the records of all accounts, so it is valid for any account.
 *
 * # Errors
 * Throws INVALID_PARAM for a malformed cursor, and for a cursor of other records.
 */
export function readAccountCursor(
  text: string,
  kind: AccountRecordKind,
  param: string,
): AccountPageEnd {
  const bytes = bytesOf(text);
  if (bytes === null || bytes[0] !== KIND_BYTES[kind]) {
    const message = `${param} must be a cursor of an earlier response with such records of an account`;
    throw new HistoryError('INVALID_PARAM', message, { param });
  }
  const type = bytes[MARKET_AT];
  const index = bytes.readUInt16BE(MARKET_AT + 1);
  const isSpot = type === MARKET_TYPE_BYTES.spot;
  const market = type === NO_MARKET_BYTE ? -1 : marketCodeOf(isSpot ? 'spot' : 'perp', index);
  return { ...endOf(bytes), kind, market };
}

function bytesOf(text: string): Buffer | null {
  const bytes = CURSOR_PATTERN.test(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  return bytes.length === CURSOR_BYTES ? bytes : null;
}

function endOf(bytes: Buffer): PageEnd {
  return { slot: bytes.readUIntBE(SLOT_AT, SLOT_BYTES), id: bytes.readBigInt64BE(ID_AT) };
}

function writeHead(bytes: Buffer, { kind, market }: Omit<CursorOf, 'param'>): void {
  const [type = '', index = ''] = market.split('_');
  bytes[0] = KIND_BYTES[kind];
  bytes[MARKET_AT] = type === 'perp' ? MARKET_TYPE_BYTES.perp : MARKET_TYPE_BYTES.spot;
  bytes.writeUInt16BE(Number(index), MARKET_AT + 1);
}

function invalidCursor({ kind, param }: CursorOf, why: string): HistoryError {
  const message = `${param} must be a cursor of an earlier answer with ${kind} of this market, but ${why}`;
  return new HistoryError('INVALID_PARAM', message, { param });
}
