/**
 * Cursors: the end of a page as an opaque text that clients send back. It is base64url of the
 * record type, the market, and the slot and number of the last record.
 *
 * A cursor contains only stable values. The position of a transaction within a slot is provisional
 * until the slot is finalised, but the program numbers a market's records in chain order.
 */

import type { MarketKey } from '../../contract/markets.js';
import { HistoryError } from '../model/error.js';

/** The type of the paged records. */
type PagedKind = 'trades' | 'fundingRates' | 'accountTrades';

/** The last record of a page: the next page has older slots, or lower numbers in this slot. */
export interface PageEnd {
  readonly slot: number;
  /** fillRecordId or recordId; -1 for none. */
  readonly id: bigint;
}

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
  accountTrades: 0x13,
};
const MARKET_TYPE_BYTES = { perp: 0, spot: 1 } as const;

const MARKET_AT = 1;
const SLOT_AT = 4;
const SLOT_BYTES = 6;
const ID_AT = 10;
const CURSOR_BYTES = 18;
const CURSOR_PATTERN = /^[\w-]{24}$/;
const ID_MAX = 2n ** 63n - 1n;

/** Writes a cursor. */
export function cursorOf({ slot, id }: PageEnd, of: Omit<CursorOf, 'param'>): string {
  const bytes = Buffer.alloc(CURSOR_BYTES);
  writeHead(bytes, of);
  bytes.writeUIntBE(slot, SLOT_AT, SLOT_BYTES);
  // No market has this many fills; the number is clamped so that an invalid number does not break
  // the page.
  bytes.writeBigInt64BE(id > ID_MAX ? ID_MAX : id, ID_AT);
  return bytes.toString('base64url');
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

/**
 * Reads a cursor of account trades, which contains the market of the last trade. It is a position
 * among the trades of all accounts, so it is valid for any account.
 *
 * # Errors
 * Throws INVALID_PARAM for a malformed cursor, and for a cursor of other records.
 */
export function readAccountCursor(
  text: string,
  param: string,
): PageEnd & { readonly market: MarketKey } {
  const bytes = bytesOf(text);
  if (bytes === null || bytes[0] !== KIND_BYTES.accountTrades) {
    const message = `${param} must be a cursor of an earlier response with trades of an account`;
    throw new HistoryError('INVALID_PARAM', message, { param });
  }
  const isPerp = bytes[MARKET_AT] === MARKET_TYPE_BYTES.perp;
  const index = bytes.readUInt16BE(MARKET_AT + 1);
  return { ...endOf(bytes), market: isPerp ? `perp_${index}` : `spot_${index}` };
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
