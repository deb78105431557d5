/**
 * Where a page of records ended, as an opaque text that clients send back: base64url of what is paged,
 * the market, and the slot and the number of the last record.
 *
 * It holds nothing that moves: the place of a transaction within a slot is provisional until the slot
 * is finalised, but the program numbers the records of a market in the order of the chain.
 */

import type { MarketKey } from '../../contract/markets.js';
import { HistoryError } from '../model/error.js';

/** What is paged. */
export type PagedKind = 'trades' | 'fundingRates' | 'accountTrades';

/** The last record of a page: what follows is of an older slot, or of that slot with a lower number. */
export interface PageEnd {
  readonly slot: number;
  /** fillRecordId or recordId; -1 where there is none. */
  readonly id: bigint;
}

/** Which pages a cursor is of, and the parameter that carries it. */
export interface CursorOf {
  readonly kind: PagedKind;
  readonly market: MarketKey;
  readonly param: string;
}

/** The first byte: another one when the meaning of the others changes. */
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
  // No market has as many fills; a number that is none of the program's must not stop the page.
  bytes.writeBigInt64BE(id > ID_MAX ? ID_MAX : id, ID_AT);
  return bytes.toString('base64url');
}

/**
 * Reads a cursor.
 *
 * # Errors
 * INVALID_PARAM for a text that is no cursor, and for one of other records or of another market.
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
 * Reads a cursor of the trades of an account, which names the market of the last one. It is a place among
 * all trades, so that it may be sent for any account.
 *
 * # Errors
 * INVALID_PARAM for a text that is no cursor, and for one of other records.
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
