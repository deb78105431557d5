/**
 * The book of one topic. Every frame goes through {@link FollowedBook.take} in the order of its coming;
 * one that breaks a rule throws a Breach, and the book is broken until it is mended.
 *
 * It does not know a socket.
 */

import { objectOf } from '../fields.js';
import { CHECKSUM_ROWS } from '../limits.js';
import type { BookState } from '../row-shapes.js';
import { bookState } from '../row-shapes.js';
import { Breach } from './breach.js';
import { crc32 } from './crc32.js';
import { listOf, type ReadRow, readerOf, readOrderName } from './rows.js';
import { Side } from './side.js';
import type { Best, BookView, Topic } from './topic.js';

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
  readonly #readRow: ReadRow;
  readonly #bids: Side<Best>;
  readonly #asks: Side<Best>;
  readonly #sides: readonly (readonly [Side<Best>, best: string, rows: string])[];
  #head: Head | undefined;
  #market = '';
  #timing: BookView['timing'] = null;
  #isIntact = false;

  constructor(topic: Topic) {
    const depth = topic.channel === 'bbo' ? 1 : (topic.depth ?? DEPTH_DEFAULT);
    this.#topic = topic;
    this.#readRow = readerOf(topic);
    this.#bids = new Side('bid', depth);
    this.#asks = new Side('ask', depth);
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
  view(isFollowing: boolean): BookView<Best> | undefined {
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
  forget(): void {
    this.#isIntact = false;
  }

  /** Takes a snapshot, a delta or a heartbeat. Throws a Breach. */
  take(message: Message): void {
    try {
      this.#take(message);
    } catch (error) {
      if (error instanceof Breach) throw error;
      this.#isIntact = false;
      throw new Breach('malformed', `a frame cannot be read: ${String(error)}`);
    }
  }

  #take(message: Message): void {
    const head = headOf(message);
    if (message['type'] === 'heartbeat') this.#checkPlace(head.epoch, head.seq);
    else this.#takeRows(message, head);
    this.#head = head;
  }

  #takeRows(message: Message, head: Head): void {
    if (message['type'] === 'delta') this.#checkPlace(head.epoch, message['prev']);
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
      if (this.#topic.channel === 'bbo') this.#setBest(side, message[best]);
      else if (isWhole) this.#replace(side, message[rows]);
      else if (this.#topic.channel === 'l3') this.#changeOrders(side, message[rows]);
      else this.#putAll(side, message[rows]);
    }
  }

  #setBest(side: Side<Best>, sent: unknown): void {
    side.clear();
    if (sent !== null) side.put(this.#readRow(sent));
  }

  #replace(side: Side<Best>, rows: unknown): void {
    side.clear();
    for (const sent of listOf(rows)) {
      const placed = this.#readRow(sent);
      if (placed.row.size === 0n) throw new Breach('empty', `${placed.key} has no size`);
      side.append(placed);
    }
  }

  #putAll(side: Side<Best>, rows: unknown): void {
    for (const sent of listOf(rows)) {
      const placed = this.#readRow(sent);
      if (placed.row.size === 0n) side.remove(placed.key);
      else side.put(placed);
    }
  }

  /** What goes and what changes is taken out first: queues are of after the whole change. */
  #changeOrders(side: Side<Best>, sent: unknown): void {
    const { add, change, remove } = objectOf(sent, 'orders');
    const changed = listOf(change).map(this.#readRow);
    for (const name of listOf(remove)) side.remove(readOrderName(name));
    for (const { key } of changed) side.remove(key);
    for (const placed of [...changed, ...listOf(add).map(this.#readRow)]) {
      if (side.has(placed.key)) throw new Breach('absent', `${placed.key} comes and was there`);
      side.put(placed);
    }
  }

  #checkPlace(epoch: string, prev: unknown): void {
    const point = this.resumePoint;
    if (point === undefined) throw new Breach('noSnapshot', 'a frame came before a snapshot');
    if (epoch !== point.epoch) throw new Breach('epoch', `a frame is of the epoch ${epoch}`);
    if (prev === point.seq) return;
    const rule = wholeOf(prev) > point.seq ? 'gap' : 'repeated';
    throw new Breach(rule, `a frame follows ${prev}, the book is at ${point.seq}`);
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
    if (own !== crc) throw new Breach('crc', `the checksum is ${own}, the frame says ${crc}`);
  }
}

function headOf({ epoch, seq, slot, ts, state }: Message): Head {
  if (typeof epoch !== 'string') throw new Breach('malformed', 'a frame has no epoch');
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
  throw new Breach('malformed', `${value} is no whole number`);
}

function timingOf({ recvNs, sendNs }: Message): BookView['timing'] {
  if (typeof recvNs !== 'string' || typeof sendNs !== 'string') return null;
  return { recvNs: BigInt(recvNs), sendNs: BigInt(sendNs) };
}
