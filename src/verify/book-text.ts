import { VerifyError } from './error.js';
import { TEXT_CHARS_MAX } from './limits.js';

/** Orders or levels by what names them, and what is compared of each. */
export type Rows = ReadonlyMap<string, string>;

/** A body of /l2 or /l3, as far as it is compared. */
export interface BookText {
  readonly state: string;
  readonly seq: number;
  readonly slot: number;
  readonly rows: Rows;
}

const SIDES = ['bid', 'ask'] as const;

/** Reads an /l3 body: each order by side, maker and order id, as size@price. */
export function readOrders(text: string): BookText {
  return readBook(text, (side, row) => {
    const { maker, orderId, price, size } = row;
    if (typeof maker !== 'string' || typeof orderId !== 'number') throw malformed('an order');
    return [`${side} ${maker}/${orderId}`, `${asText(size)}@${asText(price)}`];
  });
}

/** Reads an /l2 body: each level by side and price. */
export function readLevels(text: string): BookText {
  return readBook(text, (side, { price, size }) => [
    `${side} level ${asText(price)}`,
    asText(size),
  ]);
}

type Row = Readonly<Record<string, unknown>>;

function readBook(
  text: string,
  read: (side: string, row: Row) => readonly [string, string],
): BookText {
  const body = parseObject(text);
  const { state, seq, slot } = body;
  if (typeof state !== 'string' || typeof seq !== 'number' || typeof slot !== 'number') {
    throw malformed('a book');
  }
  const rows = new Map<string, string>();
  for (const side of SIDES) {
    for (const row of rowsOf(body[`${side}s`])) {
      const [name, value] = read(side, row);
      const before = rows.get(name);
      // What stands twice differs from what stands once.
      rows.set(name, before === undefined ? value : `${before} and ${value}`);
    }
  }
  return { state, seq, slot, rows };
}

/** Reads /markets: the names that are served. */
export function readSymbols(text: string): readonly string[] {
  return rowsOf(parse(text)).map(({ symbol }) => asText(symbol));
}

/** Why the service is not ready, as /ready says. */
export function readReason(text: string): string {
  const error = parseObject(text)['error'];
  const message = isObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message.slice(0, TEXT_CHARS_MAX) : 'no reason was told';
}

function rowsOf(value: unknown): readonly Row[] {
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw malformed('a list');
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw malformed('a text');
}

function parseObject(text: string): Row {
  const value = parse(text);
  if (isObject(value)) return value;
  throw malformed('an object');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('JSON');
  }
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null;
}

function malformed(what: string): VerifyError {
  return new VerifyError('MALFORMED_SERVICE_ANSWER', `the answer of the service lacks ${what}`);
}
