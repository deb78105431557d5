/**
 * The book of one topic. Every frame goes through {@link FollowedBook.applyFrame} in the order of its coming;
 * one that breaks a rule throws a Breach, and the book is broken until it is mended.
 *
 * It does not know a socket.
 */

import { objectOf } from '../fields.js';
import { CHECKSUM_ROWS } from '../limits.js';
import type { BookState } from '../row-shapes.js';
import { bookState } from '../row-shapes.js';
import { crc32 } from './crc32.js';
import { listOf, type RowReader, readOrderKey, rowReaderOf } from './rows.js';
import { BookSide } from './side.js';
import type { Best, BookView, Topic } from './topic.js';
import { ProtocolViolation } from './violation.js';

/** A message of a service; what its members are is not known. */
export type Message = Readonly<Record<string, unknown>>;

/** Where a client goes on after a pause. */
export interface ResumePoint {
  readonly epoch: string;
  readonly seq: number;
}

interface Head extends ResumePoint {
  readonly slot: number;
  readonly ts: number;
  readonly state: BookState;
}

/** Rows that there can be of a topic which names no depth, as the service has it. */
const DEPTH_DEFAULT = 50;

/** A followed book. */
export class FollowedBook {
  readonly #topic: Topic;
  readonly #readRow: RowReader;
  readonly #bids: BookSide<Best>;
  readonly #asks: BookSide<Best>;
  readonly #sides: readonly (readonly [BookSide<Best>, best: string, rows: string])[];
  #head: Head | undefined;
  #market = '';
  #timing: BookView['timing'] = null;
  #isIntact = false;

  constructor(topic: Topic) {
    const depth = topic.channel === 'bbo' ? 1 : (topic.depth ?? DEPTH_DEFAULT);
    this.#topic = topic;
    this.#readRow = rowReaderOf(topic);
    this.#bids = new BookSide('bid', depth);
    this.#asks = new BookSide('ask', depth);
    this.#sides = [
      [this.#bids, 'bid', 'bids'],
      [this.#asks, 'ask', 'asks'],
    ];
  }

  /** Where to go on; undefined while the book is broken, or when there is none. */
  get resumePoint(): ResumePoint | undefined {
    const head = this.#head;
    return head !== undefined && this.#isIntact ? { epoch: head.epoch, seq: head.seq } : undefined;
  }

  /** The book of now; undefined before the first snapshot. */
  viewOf(isFollowing: boolean): BookView<Best> | undefined {
    if (this.#head === undefined) return undefined;
    return {
      market: this.#market,
      ...this.#head,
      isFollowing,
      bids: this.#bids.rows,
      asks: this.#asks.rows,
      bestBidPrice: this.#bids.best?.row.price ?? null,
      bestAskPrice: this.#asks.best?.row.price ?? null,
      timing: this.#timing,
    };
  }

  /** The rows are not to be trusted until the next snapshot. */
  invalidate(): void {
    this.#isIntact = false;
  }

  /** Takes a snapshot, a delta or a heartbeat. Throws a Breach. */
  applyFrame(message: Message): void {
    try {
      this.#take(message);
    } catch (error) {
      if (error instanceof ProtocolViolation) throw error;
      this.#isIntact = false;
      throw new ProtocolViolation('malformed', `a frame cannot be read: ${String(error)}`);
    }
  }

  #take(message: Message): void {
    const head = headOf(message);
    if (message['type'] === 'heartbeat') this.#checkPosition(head.epoch, head.seq);
    else this.#takeRows(message, head);
    this.#head = head;
  }

  #takeRows(message: Message, head: Head): void {
    if (message['type'] === 'delta') this.#checkPosition(head.epoch, message['prev']);
    this.#isIntact = false;
    if (message['type'] === 'snapshot') this.#market = String(message['market']);
    this.#change(message);
    this.#checkRows(message['crc']);
    this.#timing = timingOf(message);
    this.#isIntact = true;
  }

  #change(message: Message): void {
    const isWhole = message['type'] === 'snapshot';
    for (const [side, best, rows] of this.#sides) {
      if (this.#topic.channel === 'bbo') this.#replaceBest(side, message[best]);
      else if (isWhole) this.#replaceRows(side, message[rows]);
      else if (this.#topic.channel === 'l3') this.#changeOrders(side, message[rows]);
      else this.#changeLevels(side, message[rows]);
    }
  }

  #replaceBest(side: BookSide<Best>, sent: unknown): void {
    side.removeAll();
    if (sent !== null) side.putRow(this.#readRow(sent));
  }

  #replaceRows(side: BookSide<Best>, rows: unknown): void {
    side.removeAll();
    for (const sent of listOf(rows)) {
      const placed = this.#readRow(sent);
      if (placed.row.size === 0n) throw new ProtocolViolation('empty', `${placed.key} has no size`);
      side.appendRow(placed);
    }
  }

  #changeLevels(side: BookSide<Best>, rows: unknown): void {
    for (const sent of listOf(rows)) {
      const placed = this.#readRow(sent);
      if (placed.row.size === 0n) side.removeRow(placed.key);
      else side.putRow(placed);
    }
  }

  /** What goes and what changes is taken out first: queues are of after the whole change. */
  #changeOrders(side: BookSide<Best>, sent: unknown): void {
    const { add, change, remove } = objectOf(sent, 'orders');
    const changed = listOf(change).map(this.#readRow);
    for (const name of listOf(remove)) side.removeRow(readOrderKey(name));
    for (const { key } of changed) side.removeRow(key);
    for (const placed of [...changed, ...listOf(add).map(this.#readRow)]) {
      if (side.hasRow(placed.key))
        throw new ProtocolViolation('absent', `${placed.key} comes and was there`);
      side.putRow(placed);
    }
  }

  #checkPosition(epoch: string, prev: unknown): void {
    const point = this.resumePoint;
    if (point === undefined)
      throw new ProtocolViolation('noSnapshot', 'a frame came before a snapshot');
    if (epoch !== point.epoch)
      throw new ProtocolViolation('epoch', `a frame is of the epoch ${epoch}`);
    if (prev === point.seq) return;
    const rule = wholeOf(prev) > point.seq ? 'gap' : 'repeated';
    throw new ProtocolViolation(rule, `a frame follows ${prev}, the book is at ${point.seq}`);
  }

  #checkRows(crc: unknown): void {
    this.#bids.checkDepth();
    this.#asks.checkDepth();
    const parts: string[] = [];
    for (let place = 0; place < CHECKSUM_ROWS; place += 1) {
      const [bid, ask] = [this.#bids.textAt(place), this.#asks.textAt(place)];
      if (bid !== undefined) parts.push(bid);
      if (ask !== undefined) parts.push(ask);
    }
    const own = crc32(parts.join(':'));
    if (own !== crc)
      throw new ProtocolViolation('crc', `the checksum is ${own}, the frame says ${crc}`);
  }
}

function headOf({ epoch, seq, slot, ts, state }: Message): Head {
  if (typeof epoch !== 'string') throw new ProtocolViolation('malformed', 'a frame has no epoch');
  return {
    epoch,
    seq: wholeOf(seq),
    slot: wholeOf(slot),
    ts: wholeOf(ts),
    state: bookState(state, 'state'),
  };
}

function wholeOf(value: unknown): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new ProtocolViolation('malformed', `${value} is no whole number`);
}

function timingOf({ recvNs, sendNs }: Message): BookView['timing'] {
  if (typeof recvNs !== 'string' || typeof sendNs !== 'string') return null;
  return { recvNs: BigInt(recvNs), sendNs: BigInt(sendNs) };
}
