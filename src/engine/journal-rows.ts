import { JournalRows as NativeRows } from '@slotbook/core/native';
import { BASE_PLACES, QUOTE_PLACES } from '../amounts/decimals.js';
import type { RowBlock, RowColumn } from '../contract/row-block.js';

/** Selects the market and the rows. */
interface JournalRowsOf {
  /** The market's key or its name, without regard to case. */
  readonly market: string;
  /** The rows of the book: this number of best levels a side, or all orders. */
  readonly rows: { readonly levels: number } | 'orders';
}

/** Flag bits of a row: part of a snapshot, ask, new or changed, removed. */
const SNAPSHOT = 1n;
const ASK = 2n;
const BECAME = 4n;
const WENT = 8n;

const PRICE = { name: 'price', kind: 'decimal', places: QUOTE_PLACES } as const;
const AMOUNT = { name: 'amount', kind: 'decimal', places: BASE_PLACES } as const;

const NONE = new BigInt64Array();

/** The rows of one market's book while a journal is read. {@link JournalReader.noteRows} starts it. */
export class JournalRows {
  /** Only {@link JournalReader} uses this. */
  readonly native: NativeRows;
  readonly #isOfOrders: boolean;
  readonly #makers: string[] = [];

  constructor({ market, rows }: JournalRowsOf) {
    this.#isOfOrders = rows === 'orders';
    this.native = new NativeRows(market, rows === 'orders' ? 0 : rows.levels);
  }

  /**
   * Starts the book of the next engine, which replaces the book before: rows that are missing in
   * the new book are removed.
   */
  beginBook(): void {
    this.native.beginBook();
  }

  /** Whether the market existed in any of the books. */
  get hasMarket(): boolean {
    return this.native.hasMarket();
  }

  /**
   * Takes the waiting rows, or null. Rows of levels have ts, slot, epoch, seq, isSnapshot, side, price
   * and amount; amount is 0 for a removed level. Rows of orders also have action, maker and orderId; a
   * removed order has its last price and amount.
   */
  take(): RowBlock | null {
    const [ts = NONE, slot = NONE, seq = NONE, kinds = NONE, ...others] = this.native.take();
    const [price = NONE, size = NONE, sizeHigh = NONE, epochs = NONE, ...ofOrders] = others;
    if (ts.length === 0) return null;
    const names = this.native.epochs();
    const epoch = Array.from(epochs, (number) => names[Number(number)] ?? '');
    const columns: readonly RowColumn[] = [
      { name: 'ts', kind: 'time', values: ts },
      { name: 'slot', kind: 'integer', values: slot },
      { name: 'epoch', kind: 'text', values: epoch },
      { name: 'seq', kind: 'integer', values: seq },
      { name: 'isSnapshot', kind: 'flag', values: Array.from(kinds, isOfSnapshot) },
      ...(this.#isOfOrders ? this.#orderColumns(kinds, ofOrders) : []),
      { name: 'side', kind: 'text', values: Array.from(kinds, sideOf) },
      { ...PRICE, values: unsigned(price) },
      { ...AMOUNT, values: wide(size, sizeHigh) },
    ];
    return { count: ts.length, columns };
  }

  #orderColumns(
    kinds: BigInt64Array,
    [makers = NONE, ids = NONE]: readonly BigInt64Array[],
  ): readonly RowColumn[] {
    for (const maker of this.native.makers(this.#makers.length)) this.#makers.push(maker);
    const maker = Array.from(makers, (number) => this.#makers[Number(number)] ?? '');
    return [
      { name: 'action', kind: 'text', values: Array.from(kinds, actionOf) },
      { name: 'maker', kind: 'text', values: maker },
      { name: 'orderId', kind: 'integer', values: ids },
    ];
  }
}

/** Reads the same bits as unsigned integers. */
function unsigned({ buffer, byteOffset, length }: BigInt64Array): BigUint64Array {
  return new BigUint64Array(buffer, byteOffset, length);
}

/** Joins lower and upper 64 bits; the upper bits are nearly always 0. */
function wide(low: BigInt64Array, high: BigInt64Array): BigUint64Array | readonly bigint[] {
  const values = unsigned(low);
  if (high.every((bits) => bits === 0n)) return values;
  return Array.from(values, (value, at) => value + ((high[at] ?? 0n) << 64n));
}

function isOfSnapshot(kind: bigint): boolean {
  return (kind & SNAPSHOT) !== 0n;
}

function sideOf(kind: bigint): string {
  return (kind & ASK) === 0n ? 'bid' : 'ask';
}

function actionOf(kind: bigint): string {
  if ((kind & WENT) !== 0n) return 'remove';
  return (kind & BECAME) === 0n ? 'add' : 'change';
}
