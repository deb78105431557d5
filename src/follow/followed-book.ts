/**
 * The book of one topic as a client keeps it. Every frame goes through {@link FollowedBook.apply} in
 * the order of its coming; one that breaks a rule throws a Breach, and the book is broken until a
 * snapshot comes, or until what was missed comes after a resume.
 *
 * This file does not know a socket.
 */
import { Breach } from './breach.js';
import { crc32 } from './crc32.js';
import type { BookState, Frame } from './frame.js';
import { CHECKSUM_ROWS } from './limits.js';
import type { Row } from './rows.js';
import { checkQueues, Side } from './side.js';
import type { FollowedTopic } from './topic.js';

/** Where a client goes on after a pause. */
export interface ResumePoint {
  readonly epoch: string;
  readonly seq: number;
}

/** A followed book. */
export class FollowedBook {
  readonly bids: Side;
  readonly asks: Side;
  readonly #topic: FollowedTopic;
  #point: ResumePoint | undefined;
  #intact = false;
  #state: BookState = 'live';
  #slot = 0;
  #ts = 0;

  constructor(topic: FollowedTopic) {
    const depth = topic.channel === 'bbo' ? 1 : topic.depth;
    this.#topic = topic;
    this.bids = new Side('bid', depth);
    this.asks = new Side('ask', depth);
  }

  /** Whether the rows are those of the service at {@link FollowedBook.point}. */
  get intact(): boolean {
    return this.#intact;
  }

  /** Where the book is; undefined before the first snapshot. */
  get point(): ResumePoint | undefined {
    return this.#point;
  }

  get state(): BookState {
    return this.#state;
  }

  get slot(): number {
    return this.#slot;
  }

  /** Unix milliseconds of the service. */
  get ts(): number {
    return this.#ts;
  }

  /** Whether the best bid is above the best ask. */
  get crossed(): boolean {
    const [bid] = this.bids.rows;
    const [ask] = this.asks.rows;
    return bid !== undefined && ask !== undefined && bid.price > ask.price;
  }

  /** The rows are not to be trusted until the next snapshot. */
  forget(): void {
    this.#intact = false;
  }

  /** Takes a frame. */
  apply(frame: Frame): void {
    if (frame.type === 'snapshot') this.#replace(frame);
    else if (frame.type === 'delta') this.#change(frame);
    else this.#checkPlace(frame, frame.seq);
    this.#state = frame.state;
    this.#slot = frame.slot;
    this.#ts = frame.ts;
  }

  #replace(frame: Frame & { type: 'snapshot' }): void {
    this.#intact = false;
    this.bids.replace(frame.sides[0]);
    this.asks.replace(frame.sides[1]);
    this.#checkRows(frame.crc);
    this.#point = { epoch: frame.epoch, seq: frame.seq };
    this.#intact = true;
  }

  #change(frame: Frame & { type: 'delta' }): void {
    this.#checkPlace(frame, frame.prev);
    const isEmpty = frame.changes.every((change) => countOf(change) === 0);
    // A change of state alone shows nothing new, so that the market may be where it was.
    if (frame.seq < frame.prev || (frame.seq === frame.prev && !isEmpty && !this.#isBest())) {
      throw new Breach('seq', `seq ${frame.seq} does not follow prev ${frame.prev}`);
    }
    this.#intact = false;
    for (const [index, side] of [this.bids, this.asks].entries()) {
      const change = frame.changes[index === 0 ? 0 : 1];
      if (this.#isBest()) side.replace(change.put);
      else {
        checkKnown(side, change);
        const put = [...change.add, ...change.change, ...change.put];
        side.change({ put, remove: change.remove });
      }
    }
    this.#checkRows(frame.crc);
    this.#point = { epoch: frame.epoch, seq: frame.seq };
    this.#intact = true;
  }

  /** The deltas of `bbo` carry both sides whole. */
  #isBest(): boolean {
    return this.#topic.channel === 'bbo';
  }

  #checkPlace({ epoch, type }: Frame, prev: number): void {
    const point = this.#point;
    if (point === undefined || !this.#intact) {
      throw new Breach('noSnapshot', `a ${type} came before a snapshot`);
    }
    if (epoch !== point.epoch) {
      throw new Breach('epoch', `a ${type} of epoch ${epoch}, the book is of ${point.epoch}`);
    }
    if (prev === point.seq) return;
    const rule = prev > point.seq ? 'gap' : 'repeated';
    throw new Breach(rule, `a ${type} follows ${prev}, the book is at ${point.seq}`);
  }

  #checkRows(crc: number): void {
    const [bids, asks] = [this.bids.rows, this.asks.rows];
    if (this.#topic.channel === 'l3') {
      const shows = this.#topic.maker === undefined ? 'all' : 'oneMaker';
      for (const rows of [bids, asks]) checkQueues(rows, shows);
    }
    const own = checksum(bids, asks);
    if (own !== crc) throw new Breach('crc', `the checksum is ${own}, the frame says ${crc}`);
  }
}

/** The checksum of the best rows of both sides. */
export function checksum(bids: readonly Row[], asks: readonly Row[]): number {
  const parts: bigint[] = [];
  for (let at = 0; at < CHECKSUM_ROWS; at += 1) {
    for (const row of [bids[at], asks[at]]) {
      if (row !== undefined) parts.push(row.price, row.size);
    }
  }
  return crc32(parts.join(':'));
}

type Change = (Frame & { type: 'delta' })['changes'][number];

function countOf({ add, change, put, remove }: Change): number {
  return add.length + change.length + put.length + remove.length;
}

function checkKnown(side: Side, { add, change }: Change): void {
  for (const { key } of change) {
    if (!side.has(key)) throw new Breach('absent', `${key} is changed and was not there`);
  }
  for (const { key } of add) {
    if (side.has(key)) throw new Breach('absent', `${key} is added and was there`);
  }
}
