/** One side of a followed book: rows by price, then by queue, in step with the texts of the checksum. */
import { ProtocolViolation } from './violation.js';

/** A row and its place. */
export interface PlacedRow<Row> {
  /** What tells it from all others of its side. */
  readonly key: string;
  readonly price: bigint;
  /** Base ahead at its price; 0 for a level. */
  readonly queue: bigint;
  /** Price and size as the checksum has them. */
  readonly text: string;
  readonly row: Row;
}

/** Rows, best first. */
export class BookSide<Row> {
  #placed: PlacedRow<Row>[] = [];
  #rows: readonly Row[] | undefined;
  readonly #byKey = new Map<string, PlacedRow<Row>>();

  constructor(
    private readonly side: 'bid' | 'ask',
    private readonly depthMax: number,
  ) {}

  /** The rows as they are now; the list itself never changes. */
  get rows(): readonly Row[] {
    this.#rows ??= this.#placed.map(({ row }) => row);
    return this.#rows;
  }

  get best(): PlacedRow<Row> | undefined {
    return this.#placed[0];
  }

  /** What the checksum has of the row at a place; undefined where there is none. */
  textAt(place: number): string | undefined {
    return this.#placed[place]?.text;
  }

  /** Takes all rows away, before those of a snapshot. */
  removeAll(): void {
    this.#placed = [];
    this.#byKey.clear();
    this.#rows = undefined;
  }

  hasRow(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Throws a Breach when the row is not there. */
  removeRow(key: string): void {
    const gone = this.#byKey.get(key);
    if (gone === undefined)
      throw new ProtocolViolation('absent', `${this.side} ${key} goes and was not there`);
    this.#byKey.delete(key);
    this.#placed.splice(this.#indexOf(gone), 1);
    this.#rows = undefined;
  }

  /** Puts a row of a snapshot behind the others. Throws a Breach when that is not its place. */
  appendRow(placed: PlacedRow<Row>): void {
    const last = this.#placed.at(-1);
    if (last !== undefined && !this.#isAhead(last, placed)) {
      throw new ProtocolViolation(
        'order',
        `${this.side} ${placed.key} does not stand behind ${last.key}`,
      );
    }
    this.#placed.push(placed);
    this.#byKey.set(placed.key, placed);
  }

  /** Puts a row at its place, instead of the one with its price, if that is a level. */
  putRow(placed: PlacedRow<Row>): void {
    const place = this.#indexOf(placed);
    const replaces = this.#placed[place]?.key === placed.key ? 1 : 0;
    this.#placed.splice(place, replaces, placed);
    this.#byKey.set(placed.key, placed);
    this.#rows = undefined;
  }

  /** Throws a Breach when there are more rows than are shown. */
  checkDepth(): void {
    const { length } = this.#placed;
    if (length <= this.depthMax) return;
    throw new ProtocolViolation(
      'depth',
      `${length} ${this.side}s, must be at most ${this.depthMax}`,
    );
  }

  /** Where a row stands, or would. */
  #indexOf(row: PlacedRow<Row>): number {
    let [low, high] = [0, this.#placed.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isAhead(this.#placed[middle] as PlacedRow<Row>, row)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isAhead(one: PlacedRow<Row>, other: PlacedRow<Row>): boolean {
    if (one.price === other.price) return one.queue < other.queue;
    return one.price > other.price === (this.side === 'bid');
  }
}
