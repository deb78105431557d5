/** The orders of a frame, each written after the one before it. */
import type { Message } from '../fields.js';
import { type Amount, movedBy, narrowAmount, timesUnit } from './amounts.js';
import type { ByteReader } from './byte-reader.js';
import { tooLarge, unzigzag } from './byte-reader.js';
import type { Units } from './levels.js';

/** Makers that an order can name by how many keys ago they came. */
const MAKERS_NAMED_MAX = 64;

const ORDER_ID_END = 2 ** 32;

const FLAGS = {
  ...{ reduceOnly: 1, postOnly: 2, signedMsg: 4, exactPrice: 8, exactSizes: 16 },
  ...{ offset: 32, expires: 64, none: 128 },
} as const;

/** What orders are written in, and how many a list may have. */
export interface OrdersOf extends Units {
  /** Of the frame or the body. */
  readonly slot: number;
  readonly ordersMax: number;
}

/** Reads the orders of one frame in their order. */
export class OrderReader {
  readonly #reader: ByteReader;
  readonly #of: OrdersOf;
  readonly #makers: string[] = [];
  #price: Amount = 0;

  constructor(reader: ByteReader, of: OrdersOf) {
    this.#reader = reader;
    this.#of = of;
  }

  /** The orders of a side that came, became others, and went. */
  readChanges(): Message {
    const [add, change] = [this.readList(), this.readList()];
    const remove = this.#readEach(() => [this.#readMaker(), this.#readOrderId()]);
    return { add, change, remove };
  }

  readList(): Message[] {
    return this.#readEach(() => this.#readOrder());
  }

  #readEach<Row>(readRow: () => Row): Row[] {
    const count = this.#reader.readVarint();
    if (count > this.#of.ordersMax) throw tooLarge();
    const rows: Row[] = [];
    for (let index = 0; index < count; index += 1) rows.push(readRow());
    return rows;
  }

  #readOrder(): Message {
    const reader = this.#reader;
    const flags = reader.readByte();
    const has = (flag: number): boolean => (flags & flag) !== 0;
    if (has(FLAGS.none)) throw tooLarge();
    const price = this.#readPrice(has(FLAGS.exactPrice));
    const readSize = () => this.#readSize(has(FLAGS.exactSizes));
    const [size, queue] = [readSize(), readSize()];
    const [maker, orderId] = [this.#readMaker(), this.#readOrderId()];
    const slot = this.#of.slot - unzigzag(reader.readVarint());
    const oraclePriceOffset = has(FLAGS.offset) ? signedText(reader.readLong()) : '0';
    // Whoever places an order writes what it likes there.
    const maxTs = has(FLAGS.expires) ? Number(signedText(reader.readLong())) : 0;
    return {
      ...{ price, size, queue, oraclePriceOffset, maker, orderId, slot, maxTs },
      reduceOnly: has(FLAGS.reduceOnly),
      postOnly: has(FLAGS.postOnly),
      signedMsg: has(FLAGS.signedMsg),
    };
  }

  #readPrice(isExact: boolean): string {
    const { priceUnit } = this.#of;
    this.#price = isExact
      ? narrowAmount(this.#reader.readLong())
      : movedBy(this.#price, unzigzag(this.#reader.readVarint()), priceUnit);
    return String(this.#price);
  }

  #readSize(isExact: boolean): string {
    if (isExact) return this.#reader.readWideText();
    return String(timesUnit(this.#reader.readVarint(), this.#of.sizeUnit));
  }

  #readOrderId(): number {
    const orderId = this.#reader.readVarint();
    if (orderId >= ORDER_ID_END) throw tooLarge();
    return orderId;
  }

  #readMaker(): string {
    const ago = this.#reader.readVarint();
    if (ago === 0) {
      const maker = this.#reader.readAddress();
      this.#makers.push(maker);
      return maker;
    }
    const named = ago > MAKERS_NAMED_MAX ? undefined : this.#makers.at(-ago);
    if (named === undefined) throw tooLarge();
    return named;
  }
}

/** A number with a sign, from its form without one. */
function signedText(value: bigint): string {
  return String(value % 2n === 0n ? value / 2n : -(value / 2n) - 1n);
}
