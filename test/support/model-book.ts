/**
 * One streaming topic's book on the reader's side, written from the channels' description without
 * the service's code: it reports faults in frames and does not repair them.
 */
import { crc32 } from 'node:zlib';
import { PublicKey } from '@solana/web3.js';

/** Rows of each side that the checksum covers. */
const CHECKSUM_ROWS = 10;

/** A level of `book`: price, size, size by source. */
export type LevelRow = readonly [price: string, size: string, sources: Record<string, string>];

/** An order of `l3`, as /l3 shows it. */
export interface OrderRow {
  readonly price: string;
  readonly size: string;
  readonly maker: string;
  readonly orderId: number;
  readonly slot: number;
}

/** Any frame of a topic. */
export interface Frame {
  readonly type: 'snapshot' | 'delta' | 'heartbeat';
  readonly topic: string;
  readonly epoch: string;
  readonly seq: number;
  readonly state: string;
  readonly [member: string]: unknown;
}

/** The faults that a reader can detect. */
export type Fault = 'noSnapshot' | 'gap' | 'epoch' | 'crc' | 'rows' | 'seq' | 'depth';

/** A frame that does not fit the reader's book. */
export class ModelFault extends Error {
  override readonly name = 'ModelFault';

  constructor(
    readonly fault: Fault,
    message: string,
  ) {
    super(`${fault}: ${message}`);
  }
}

/** How rows of a channel are told apart and ordered. */
interface Rows<Row> {
  readonly keyOf: (row: Row) => string;
  readonly priceOf: (row: Row) => string;
  readonly sizeOf: (row: Row) => string;
  /** The order among rows of one price. */
  readonly compare: (a: Row, b: Row) => number;
}

const levels: Rows<LevelRow> = {
  keyOf: ([price]) => price,
  priceOf: ([price]) => price,
  sizeOf: ([, size]) => size,
  compare: () => 0,
};

const orders: Rows<OrderRow> = {
  keyOf: ({ maker, orderId }) => `${maker} ${orderId}`,
  priceOf: ({ price }) => price,
  sizeOf: ({ size }) => size,
  compare: (a, b) => a.slot - b.slot || a.orderId - b.orderId || byKey(a.maker, b.maker),
};

function byKey(a: string, b: string): number {
  if (a === b) return 0;
  return Buffer.compare(new PublicKey(a).toBuffer(), new PublicKey(b).toBuffer());
}

/** One side, best first. */
class Side<Row> {
  rows: Row[] = [];
  readonly #byKey = new Map<string, Row>();

  constructor(
    private readonly kind: Rows<Row>,
    private readonly sign: 1 | -1,
  ) {}

  replace(rows: readonly Row[]): void {
    this.rows = [...rows];
    this.#byKey.clear();
    for (const row of rows) this.#byKey.set(this.kind.keyOf(row), row);
    if (rows.some((row, at) => at > 0 && this.#compare(rows[at - 1] as Row, row) >= 0)) {
      throw new ModelFault('rows', 'a snapshot is not in the order of the book');
    }
  }

  put(row: Row, expected: 'new' | 'known' | 'any'): void {
    const key = this.kind.keyOf(row);
    const known = this.#byKey.get(key);
    if (expected !== 'any' && (known !== undefined) !== (expected === 'known')) {
      throw new ModelFault('rows', `${key} was to be ${expected}`);
    }
    if (known !== undefined) this.rows.splice(this.#placeOf(known), 1);
    this.rows.splice(this.#placeOf(row), 0, row);
    this.#byKey.set(key, row);
  }

  remove(key: string): void {
    const row = this.#byKey.get(key);
    if (row === undefined) throw new ModelFault('rows', `${key} is not there to be removed`);
    this.rows.splice(this.#placeOf(row), 1);
    this.#byKey.delete(key);
  }

  part(at: number): string[] {
    const row = this.rows[at];
    return row === undefined ? [] : [this.kind.priceOf(row), this.kind.sizeOf(row)];
  }

  /** How many rows come before one. */
  #placeOf(row: Row): number {
    let [low, high] = [0, this.rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(this.rows[middle] as Row, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compare(a: Row, b: Row): number {
    const { priceOf, compare } = this.kind;
    const difference = BigInt(priceOf(a)) - BigInt(priceOf(b));
    return difference === 0n ? compare(a, b) : difference < 0n ? -this.sign : this.sign;
  }
}

/** Whether two lists have equal rows; most rows of two moments of a side are the same objects. */
function areEqual<Row>(a: readonly Row[], b: readonly Row[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((row, at) => row === b[at] || JSON.stringify(row) === JSON.stringify(b[at]));
}

/** A reader of one topic. Frames go through {@link ModelBook.apply} in the order of their coming. */
export class ModelBook {
  readonly #levels = { bids: new Side(levels, -1), asks: new Side(levels, 1) };
  readonly #orders = { bids: new Side(orders, -1), asks: new Side(orders, 1) };
  readonly #channel: string;
  readonly #rowsMax: number;
  /** Frames applied, by type. */
  readonly counts = { snapshot: 0, delta: 0, heartbeat: 0 };
  epoch: string | undefined;
  seq = -1;
  state = '';

  /**
   * One process links each frame to its own one before. Frames of `any` process with these marks may link
   * to an earlier one than the book is of.
   */
  constructor(
    readonly topic: string,
    private readonly linkedBy: 'one' | 'any' = 'one',
  ) {
    const [channel = '', , depth = '1'] = topic.split(':');
    this.#channel = channel;
    this.#rowsMax = channel === 'bbo' ? 1 : Number(depth);
  }

  /** The sides of a `book` or, with one level, of a `bbo`. */
  get levels(): { readonly bids: readonly LevelRow[]; readonly asks: readonly LevelRow[] } {
    return { bids: this.#levels.bids.rows, asks: this.#levels.asks.rows };
  }

  /** The sides of an `l3`. */
  get orders(): { readonly bids: readonly OrderRow[]; readonly asks: readonly OrderRow[] } {
    return { bids: this.#orders.bids.rows, asks: this.#orders.asks.rows };
  }

  /** Throws a ModelFault when the frame does not fit; the book is of no use then. */
  apply(frame: Frame): void {
    this.counts[frame.type] += 1;
    if (frame.type === 'snapshot') this.#replace(frame);
    else if (frame.type === 'delta') this.#change(frame);
    else this.#beat(frame);
    this.state = frame.state;
    if (frame.type === 'heartbeat') return;
    const crc = this.#checksum();
    if (crc !== frame['crc']) throw new ModelFault('crc', `${crc} here, ${frame['crc']} there`);
  }

  #replace(frame: Frame): void {
    this.epoch = frame.epoch;
    this.seq = frame.seq;
    for (const name of ['bids', 'asks'] as const) {
      if (this.#channel === 'l3') this.#orders[name].replace(frame[name] as OrderRow[]);
      else this.#levels[name].replace(this.#levelsOf(frame, name));
    }
    this.#checkDepth();
  }

  #change(frame: Frame): void {
    this.#checkLink(frame);
    const before = this.#sides().map(({ rows }) => [...rows]);
    for (const name of ['bids', 'asks'] as const) {
      if (this.#channel === 'l3') this.#changeOrders(name, frame[name] as OrderChanges);
      else if (this.#channel === 'bbo') this.#levels[name].replace(this.#levelsOf(frame, name));
      else this.#changeLevels(name, frame[name] as LevelRow[]);
    }
    this.#checkDepth();
    const isSame = this.#sides().every(({ rows }, at) => areEqual(rows, before[at] ?? []));
    if (frame.seq < this.seq || (frame.seq === this.seq && !isSame)) {
      throw new ModelFault('seq', `${frame.seq} after ${this.seq}`);
    }
    if (isSame && frame.state === this.state) throw new ModelFault('rows', 'an empty delta');
    this.seq = frame.seq;
  }

  #checkLink({ epoch, prev }: Frame): void {
    if (this.epoch === undefined) throw new ModelFault('noSnapshot', 'a delta came first');
    if (epoch !== this.epoch) throw new ModelFault('epoch', `${epoch} after ${this.epoch}`);
    const fits = this.linkedBy === 'one' ? prev === this.seq : (prev as number) <= this.seq;
    if (!fits) throw new ModelFault('gap', `prev ${prev} after seq ${this.seq}`);
  }

  #beat({ epoch, seq }: Frame): void {
    if (this.epoch === undefined) throw new ModelFault('noSnapshot', 'a heartbeat came first');
    if (epoch !== this.epoch) throw new ModelFault('epoch', `${epoch} after ${this.epoch}`);
    if (seq !== this.seq) throw new ModelFault('gap', `heartbeat of ${seq} after seq ${this.seq}`);
  }

  #changeLevels(name: 'bids' | 'asks', rows: readonly LevelRow[]): void {
    const side = this.#levels[name];
    for (const row of rows) {
      if (row[1] === '0') side.remove(row[0]);
      else side.put(row, 'any');
    }
  }

  #changeOrders(name: 'bids' | 'asks', { add, change, remove }: OrderChanges): void {
    const side = this.#orders[name];
    for (const [maker, orderId] of remove) side.remove(`${maker} ${orderId}`);
    for (const row of change) side.put(row, 'known');
    for (const row of add) side.put(row, 'new');
  }

  /** The two sides of its channel. */
  #sides(): readonly Side<unknown>[] {
    return Object.values(this.#channel === 'l3' ? this.#orders : this.#levels) as Side<unknown>[];
  }

  #levelsOf(frame: Frame, name: 'bids' | 'asks'): LevelRow[] {
    if (this.#channel !== 'bbo') return frame[name] as LevelRow[];
    const best = frame[name === 'bids' ? 'bid' : 'ask'] as [string, string] | null;
    return best === null ? [] : [[best[0], best[1], {}]];
  }

  #checkDepth(): void {
    for (const { rows } of this.#sides()) {
      if (rows.length > this.#rowsMax) throw new ModelFault('depth', `${rows.length} rows`);
    }
  }

  #checksum(): number {
    const { bids, asks } = this.#channel === 'l3' ? this.#orders : this.#levels;
    const parts: string[] = [];
    for (let at = 0; at < CHECKSUM_ROWS; at += 1) parts.push(...bids.part(at), ...asks.part(at));
    return crc32(parts.join(':'));
  }
}

interface OrderChanges {
  readonly add: readonly OrderRow[];
  readonly change: readonly OrderRow[];
  readonly remove: readonly (readonly [maker: string, orderId: number])[];
}
