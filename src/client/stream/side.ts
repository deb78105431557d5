/**
 * One side of a followed book: its rows by price, then by queue position, and the readers of rows
 * in frames.
 */
import { type Base, parseRaw, rawBase, rawPrice } from '../amounts.js';
import { type Level, type RestingOrder, restingOrder } from '../generated/rows.js';
import type { Best, Topic } from './topic.js';
import { ProtocolViolation } from './violation.js';

/** A row and its position. */
interface PlacedRow {
  /** Identifies a row on its side: the price of a level, or the maker and id of an order. */
  readonly key: string;
  readonly price: bigint;
  /** Base ahead of the order at its price; 0 for a level. */
  readonly queue: bigint;
  readonly row: Best;
}

/** Reads one row of a channel. */
export type RowReader = (sent: unknown) => PlacedRow;

/** Rows, best first. */
export class BookSide {
  readonly #name: 'bid' | 'ask';
  readonly #depthMax: number;
  readonly #byKey = new Map<string, PlacedRow>();
  #placed: PlacedRow[] = [];
  #rows: readonly Best[] | undefined;

  constructor(name: 'bid' | 'ask', depthMax: number) {
    this.#name = name;
    this.#depthMax = depthMax;
  }

  /** The current rows as a list that never changes; a changed side has a new list. */
  get rows(): readonly Best[] {
    this.#rows ??= this.#placed.map(({ row }) => row);
    return this.#rows;
  }

  /** The current rows with their positions. */
  get placedRows(): readonly PlacedRow[] {
    return this.#placed;
  }

  /** Removes all rows, before a snapshot. */
  removeAll(): void {
    this.#placed = [];
    this.#byKey.clear();
    this.#rows = undefined;
  }

  hasRow(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Removes a row. Throws a violation of `absent` when there is no such row. */
  removeRow(key: string): void {
    const removed = this.#byKey.get(key);
    if (removed === undefined) {
      throw new ProtocolViolation('absent', `${this.#name} ${key} is removed but was not there`);
    }
    this.#byKey.delete(key);
    this.#placed.splice(this.#indexOf(removed), 1);
    this.#rows = undefined;
  }

  /** Appends a row of a snapshot. Throws a violation of `order` unless it follows the last row. */
  appendRow(placed: PlacedRow): void {
    const last = this.#placed.at(-1);
    if (last !== undefined) this.#checkNeighbours(last, placed);
    this.#placed.push(placed);
    this.#byKey.set(placed.key, placed);
  }

  /** Inserts a row at its position, or replaces the level with its price. */
  putRow(placed: PlacedRow): void {
    const index = this.#indexOf(placed);
    if (this.#placed[index]?.key === placed.key) this.#placed[index] = placed;
    else this.#placed.splice(index, 0, placed);
    this.#byKey.set(placed.key, placed);
    this.#rows = undefined;
  }

  /** Throws a violation of `depth` when there are more rows than the topic shows. */
  checkDepth(): void {
    const { length } = this.#placed;
    if (length <= this.#depthMax) return;
    throw new ProtocolViolation(
      'depth',
      `${length} ${this.#name}s, must be at most ${this.#depthMax}`,
    );
  }

  /** Throws a violation of `order` when two neighbouring rows are not best first. */
  checkOrder(): void {
    for (const [index, placed] of this.#placed.entries()) {
      const before = this.#placed[index - 1];
      if (before !== undefined) this.#checkNeighbours(before, placed);
    }
  }

  #checkNeighbours(before: PlacedRow, placed: PlacedRow): void {
    if (this.#isAhead(before, placed)) return;
    const message = `${this.#name} ${placed.key} does not follow ${before.key}`;
    throw new ProtocolViolation('order', message);
  }

  #indexOf(row: PlacedRow): number {
    let low = 0;
    let high = this.#placed.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isAhead(this.#placed[middle] as PlacedRow, row)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isAhead(one: PlacedRow, other: PlacedRow): boolean {
    if (one.price === other.price) return one.queue < other.queue;
    return one.price > other.price === (this.#name === 'bid');
  }
}

/** Returns the row reader of a channel. An error of the reader makes the frame malformed. */
export function rowReaderOf({ channel }: Topic): RowReader {
  return channel === 'l3' ? readOrder : readLevel;
}

/** Returns the key of an order in `remove`: `[maker, orderId]`. */
export function readOrderKey(sent: unknown): string {
  const [maker, orderId] = sent as readonly [string, number];
  return orderKey(maker, orderId);
}

type SentSources = Readonly<Record<string, string>>;

/** Reads a level `[price, size, {source: size}]`, or a best price `[price, size]`. */
function readLevel(sent: unknown): PlacedRow {
  const [key, sizeText, sources] = sent as readonly [string, string, SentSources?];
  const price = rawPrice(parseRaw(key));
  const size = rawBase(parseRaw(sizeText));
  const row: Best | Level =
    sources === undefined
      ? { price, size }
      : { price, size, sources: sourcesOf(sources, sizeText, size) };
  return { key, price, queue: 0n, row };
}

/** Reads an order in the format of /l3. */
function readOrder(sent: unknown): PlacedRow {
  const row: RestingOrder = restingOrder(sent, 'order');
  const { maker, orderId, price, queue } = row;
  return { key: orderKey(maker, orderId), price, queue, row };
}

function orderKey(maker: string, orderId: number): string {
  return `${maker} ${orderId}`;
}

/**
 * Most levels have one source whose size is the level's size, so that size is not parsed again. The
 * loop avoids a list of pairs, which would be garbage.
 */
function sourcesOf(sent: SentSources, sizeText: string, size: Base): Level['sources'] {
  const sources: Record<string, Base> = {};
  for (const name in sent) {
    const one = sent[name] as string;
    sources[name] = one === sizeText ? size : rawBase(parseRaw(one));
  }
  return sources;
}
