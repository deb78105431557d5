/**
 * The book of one topic. Frames are passed to {@link FollowedBook.applyFrame} in the order in which
 * they arrive. A frame that breaks a rule throws a ProtocolViolation; the book is then broken until
 * a repair.
 *
 * This file does not know the socket.
 */
import { listOf, type Message, objectOf, text, whole } from '../fields.js';
import { type BookState, bookState } from '../generated/rows.js';
import { CHECKSUM_ROWS } from '../limits.js';
import { BookSide, type RowReader, readOrderKey, rowReaderOf } from './side.js';
import type { Best, BookView, Topic } from './topic.js';
import { ProtocolViolation } from './violation.js';

/** The frame from which a client resumes. */
export interface ResumePoint {
  readonly epoch: string;
  readonly seq: number;
}

/**
 * Additional checks; `strictChecks` contains all of them. Each check throws a ProtocolViolation.
 */
export interface FrameChecks {
  /** Checks the members of a frame before they are read. */
  checkMembers(frame: Message, topic: Topic): void;
  /** Checks a delta that continues the book, before the delta is applied. */
  checkDelta(delta: Message, topic: Topic, sides: readonly [bids: BookSide, asks: BookSide]): void;
  /** Checks the rows of a side after a frame was applied. */
  checkRows(side: BookSide, topic: Topic): void;
}

interface FrameHead extends ResumePoint {
  readonly slot: number;
  readonly ts: number;
  readonly state: BookState;
}

/** Default number of rows a side, the same as the service's default. */
const DEPTH_DEFAULT = 50;

/** A followed book. */
export class FollowedBook {
  readonly #topic: Topic;
  readonly #checks: FrameChecks | undefined;
  readonly #readRow: RowReader;
  readonly #bids: BookSide;
  readonly #asks: BookSide;
  #head: FrameHead | undefined;
  #market = '';
  #timing: BookView['timing'] = null;
  #isIntact = false;

  constructor(topic: Topic, checks?: FrameChecks) {
    const depth = topic.channel === 'bbo' ? 1 : (topic.depth ?? DEPTH_DEFAULT);
    this.#topic = topic;
    this.#checks = checks;
    this.#readRow = rowReaderOf(topic);
    this.#bids = new BookSide('bid', depth);
    this.#asks = new BookSide('ask', depth);
  }

  /**
   * The point at which to resume; undefined while the book is broken, or before the first snapshot.
   */
  get resumePoint(): ResumePoint | undefined {
    const head = this.#head;
    return head !== undefined && this.#isIntact ? { epoch: head.epoch, seq: head.seq } : undefined;
  }

  /** The current book; undefined before the first snapshot. */
  viewOf(isFollowing: boolean): BookView<Best> | undefined {
    if (this.#head === undefined) return undefined;
    const bids = this.#bids.rows;
    const asks = this.#asks.rows;
    return {
      market: this.#market,
      ...this.#head,
      isFollowing,
      bids,
      asks,
      bestBidPrice: bids[0]?.price ?? null,
      bestAskPrice: asks[0]?.price ?? null,
      timing: this.#timing,
    };
  }

  /** Marks the rows as broken until the next snapshot. */
  invalidate(): void {
    this.#isIntact = false;
  }

  /** Applies a snapshot, a delta or a heartbeat. Throws a ProtocolViolation. */
  applyFrame(frame: Message): void {
    try {
      this.#checks?.checkMembers(frame, this.#topic);
      const head = headOf(frame);
      if (frame['type'] === 'heartbeat') this.#checkPosition(frame, head.seq, head.seq);
      else this.#applyRows(frame);
      this.#head = head;
    } catch (error) {
      if (error instanceof ProtocolViolation) throw error;
      this.#isIntact = false;
      throw new ProtocolViolation('malformed', `a frame cannot be read: ${error}`);
    }
  }

  #applyRows(frame: Message): void {
    if (frame['type'] === 'delta') {
      this.#checkPosition(frame, frame['prev'], frame['seq']);
      this.#checks?.checkDelta(frame, this.#topic, [this.#bids, this.#asks]);
    }
    this.#isIntact = false;
    if (frame['type'] === 'snapshot') this.#market = String(frame['market']);
    this.#applySide(this.#bids, frame, 'bid');
    this.#applySide(this.#asks, frame, 'ask');
    this.#checkRows(frame['crc']);
    this.#timing = timingOf(frame);
    this.#isIntact = true;
  }

  #applySide(side: BookSide, frame: Message, name: 'bid' | 'ask'): void {
    const rows = frame[`${name}s`];
    if (this.#topic.channel === 'bbo') this.#replaceBest(side, frame[name]);
    else if (frame['type'] === 'snapshot') this.#replaceRows(side, rows);
    else if (this.#topic.channel === 'l3') this.#changeOrders(side, rows);
    else this.#changeLevels(side, rows);
  }

  #replaceBest(side: BookSide, sent: unknown): void {
    side.removeAll();
    if (sent !== null) side.putRow(this.#readRow(sent));
  }

  #replaceRows(side: BookSide, rows: unknown): void {
    side.removeAll();
    for (const sent of listOf(rows, 'rows')) {
      const placed = this.#readRow(sent);
      if (placed.row.size === 0n) {
        throw new ProtocolViolation('empty', `${placed.key} has no size`);
      }
      side.appendRow(placed);
    }
  }

  #changeLevels(side: BookSide, rows: unknown): void {
    for (const sent of listOf(rows, 'rows')) {
      const [price, size] = sent as readonly [string, string];
      // A removed row has no other fields.
      if (size === '0') side.removeRow(price);
      else side.putRow(this.#readRow(sent));
    }
  }

  /**
   * Applies removals and changes before additions: the queue sizes in a delta describe the book
   * after the whole change.
   */
  #changeOrders(side: BookSide, sent: unknown): void {
    const { add, change, remove } = objectOf(sent, 'orders');
    const changed = listOf(change, 'change').map(this.#readRow);
    for (const name of listOf(remove, 'remove')) side.removeRow(readOrderKey(name));
    for (const { key } of changed) side.removeRow(key);
    for (const placed of [...changed, ...listOf(add, 'add').map(this.#readRow)]) {
      if (side.hasRow(placed.key)) {
        throw new ProtocolViolation('absent', `${placed.key} is added but was there already`);
      }
      side.putRow(placed);
    }
  }

  /**
   * Checks the position of a delta. A delta may continue an earlier frame than the book's last one
   * when another process has sent that frame: it leads from any book in between to the same book.
   */
  #checkPosition(frame: Message, prev: unknown, seq: unknown): void {
    const { type, epoch } = frame;
    const point = this.resumePoint;
    if (point === undefined) {
      throw new ProtocolViolation('noSnapshot', `a ${type} came before a snapshot`);
    }
    if (epoch !== point.epoch) {
      const message = `a ${type} of epoch ${epoch}, the book is of ${point.epoch}`;
      throw new ProtocolViolation('epoch', message);
    }
    if (prev === point.seq) return;
    const isGap = whole(prev, 'prev') > point.seq;
    if (!isGap && whole(seq, 'seq') > point.seq - (isStateAlone(frame) ? 1 : 0)) return;
    const message = `a ${type} follows ${prev}, the book is at ${point.seq}`;
    throw new ProtocolViolation(isGap ? 'gap' : 'repeated', message);
  }

  #checkRows(crc: unknown): void {
    const sides = [this.#bids, this.#asks];
    for (const side of sides) {
      side.checkDepth();
      this.#checks?.checkRows(side, this.#topic);
    }
    const parts: string[] = [];
    for (let index = 0; index < CHECKSUM_ROWS; index += 1) {
      for (const { placedRows } of sides) {
        const row = placedRows[index]?.row;
        if (row !== undefined) parts.push(`${row.price}:${row.size}`);
      }
    }
    const own = crc32(parts.join(':'));
    if (own === crc) return;
    throw new ProtocolViolation('crc', `the checksum is ${own}, the frame says ${crc}`);
  }
}

/**
 * Returns whether a delta contains no row: no level, which is a list, and no order in one of the
 * three lists. A delta of best prices always contains both sides, also when they are unchanged.
 */
export function isStateAlone({ bids, asks }: Message): boolean {
  return [bids, asks].every((side) => Object.values(side ?? {}).every((rows) => !rows.length));
}

function headOf({ epoch, seq, slot, ts, state }: Message): FrameHead {
  return {
    epoch: text(epoch, 'epoch'),
    seq: whole(seq, 'seq'),
    slot: whole(slot, 'slot'),
    ts: whole(ts, 'ts'),
    state: bookState(state, 'state'),
  };
}

function timingOf({ recvNs, sendNs }: Message): BookView['timing'] {
  if (typeof recvNs !== 'string' || typeof sendNs !== 'string') return null;
  return { recvNs: BigInt(recvNs), sendNs: BigInt(sendNs) };
}

let crcTable: Int32Array | undefined;

/**
 * Returns the zlib CRC-32 of an ASCII text, 0 to 2^32 - 1: polynomial 0xedb88320, reflected.
 * Browsers have no built-in CRC-32.
 */
export function crc32(text: string): number {
  crcTable ??= Int32Array.from({ length: 256 }, crcOfByte);
  let crc = -1;
  for (let at = 0; at < text.length; at += 1) {
    crc = (crc >>> 8) ^ (crcTable[(crc ^ text.charCodeAt(at)) & 0xff] as number);
  }
  return ~crc >>> 0;
}

function crcOfByte(_: unknown, byte: number): number {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (rest & 1 && 0xedb8_8320);
  return rest;
}
