/** Parses the parts of /l2 and /l3 bodies that are compared. */
import { ClientError } from '../client/error.js';
import { list, object, objectOf, parseExact, type Read, text, whole } from '../client/fields.js';
import { VerifyError } from './error.js';
import { TEXT_CHARS_MAX } from './limits.js';

/** Orders or levels by key, with their compared values. */
export type Rows = ReadonlyMap<string, string>;

/** The compared parts of a body of /l2 or /l3. */
export interface BookText {
  readonly state: string;
  readonly seq: number;
  readonly slot: number;
  readonly rows: Rows;
}

const orders = list(object({ maker: text, orderId: whole, price: text, size: text }));
const levels = list(object({ price: text, size: text }));
const symbols = list(object({ symbol: text }));

/** Parses an /l3 body: each order by side, maker and order id, as size@price. */
export function readOrders(body: string): BookText {
  return readBook(body, orders, (side, { maker, orderId, price, size }) => [
    `${side} ${maker}/${orderId}`,
    `${size}@${price}`,
  ]);
}

/** Parses an /l2 body: each level by side and price. */
export function readLevels(body: string): BookText {
  return readBook(body, levels, (side, { price, size }) => [`${side} level ${price}`, size]);
}

/** Parses /markets: the served names. */
export function readSymbols(body: string): readonly string[] {
  return readBody(body, symbols).map(({ symbol }) => symbol);
}

/** Returns the reason in /ready why the service is not ready. */
export function readReason(body: string): string {
  const { error } = readBody(body, objectOf);
  const message = typeof error === 'object' && error !== null ? { ...error } : {};
  const reason = 'message' in message ? message.message : undefined;
  return typeof reason === 'string' ? reason.slice(0, TEXT_CHARS_MAX) : 'it gave no reason';
}

function readBook<Row>(
  body: string,
  rowsOf: Read<readonly Row[]>,
  nameRow: (side: 'bid' | 'ask', row: Row) => readonly [name: string, value: string],
): BookText {
  const book = object({ state: text, seq: whole, slot: whole, bids: rowsOf, asks: rowsOf });
  const { state, seq, slot, bids, asks } = readBody(body, book);
  const rows = new Map<string, string>();
  const named = [
    ...bids.map((row) => nameRow('bid', row)),
    ...asks.map((row) => nameRow('ask', row)),
  ];
  for (const [name, value] of named) {
    const before = rows.get(name);
    // A row that occurs twice gets a value that differs from a single row's.
    rows.set(name, before === undefined ? value : `${before} and ${value}`);
  }
  return { state, seq, slot, rows };
}

/** Parses a body. Throws a VerifyError when it is invalid. */
function readBody<T>(body: string, read: Read<T>): T {
  try {
    return read(parseExact(body), 'the response of the service');
  } catch (error) {
    const reason = error instanceof ClientError ? error.message : 'the response is not JSON';
    throw new VerifyError('MALFORMED_SERVICE_ANSWER', reason);
  }
}
