/**
 * Checks of docs/streaming-rules.md that reveal faults of a service and that a client does not need for a
 * correct book: the type of every member, `seq`, duplicate rows, `empty` in deltas and `queue`.
 */
import {
  decimal,
  flag,
  list,
  type Message,
  object,
  type Read,
  record,
  text,
  whole,
  word,
} from '../fields.js';
import { bookState } from '../generated/rows.js';
import { type FrameChecks, isStateAlone } from './followed-book.js';
import type { BookSide } from './side.js';
import type { Topic } from './topic.js';
import { ProtocolViolation } from './violation.js';

/**
 * The strict mode of a StreamClient: every rule of docs/streaming-rules.md is checked. It costs a second
 * reading of each frame, and finds faults of the service earlier.
 *
 * @example
 * const onRepair = ({ rule, message }) => console.warn(rule, message);
 * const stream = new StreamClient({ url: 'http://127.0.0.1:8080', checks: strictChecks, onRepair });
 */
export const strictChecks: FrameChecks = {
  checkMembers(frame: Message, topic: Topic): void {
    const { channel } = topic;
    head(frame, 'frame');
    if (frame['type'] === 'heartbeat') return;
    const isDelta = frame['type'] === 'delta';
    object({ channel: word(channel), market: text, crc: count })(frame, 'frame');
    object(isDelta ? { prev: count } : { reset: flag })(frame, 'frame');
    const side = sideReaderOf(channel, isDelta);
    object(channel === 'bbo' ? { bid: side, ask: side } : { bids: side, asks: side })(
      frame,
      'frame',
    );
  },

  checkDelta(delta: Message, { channel }: Topic, [bids, asks]): void {
    // The member check has verified the types of these members.
    const seq = delta['seq'] as number;
    const prev = delta['prev'] as number;
    // A delta without rows only changes the state, so the market's seq may stay the same.
    if (seq < prev || (seq === prev && !isStateAlone(delta))) {
      throw new ProtocolViolation('seq', `seq ${seq} does not follow prev ${prev}`);
    }
    if (channel !== 'l3') return;
    checkAdded(delta['bids'], bids);
    checkAdded(delta['asks'], asks);
  },

  checkRows(side: BookSide, topic: Topic): void {
    const empty = side.placedRows.find(({ row }) => row.size === 0n);
    if (empty !== undefined) throw new ProtocolViolation('empty', `${empty.key} has no size`);
    side.checkOrder();
    if (topic.channel === 'l3') checkQueues(side, topic.maker);
  },
};

/** A whole number that is not negative. */
const count: Read<number> = (value, place) => {
  const number = whole(value, place);
  return number >= 0 ? number : fail(place, 'a whole number that is not negative');
};

/** An amount in raw units: decimal digits without a sign or leading zeros. */
const amount: Read<bigint> = (value, place) =>
  typeof value === 'string' && /^(0|[1-9]\d*)$/.test(value)
    ? BigInt(value)
    : fail(place, 'an amount');

const signedAmount: Read<string> = (value, place) =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? value : fail(place, 'an amount');

const head = object({ epoch: text, seq: count, slot: count, ts: count, state: bookState });

const order = object({
  price: amount,
  size: amount,
  queue: amount,
  oraclePriceOffset: signedAmount,
  maker: text,
  orderId: count,
  slot: count,
  maxTs: decimal,
  reduceOnly: flag,
  postOnly: flag,
  signedMsg: flag,
});

const sources = record(amount);

/** Reads `[price, size, {source: size}]`, whose sources must add up to the size. */
const level: Read<void> = (value, place) => {
  const [price, size, bySource] = tuple(value, place, 3);
  const sum = Object.values(sources(bySource, place)).reduce((total, one) => total + one, 0n);
  amount(price, place);
  if (sum !== amount(size, place)) fail(place, `the sum of its sources, ${sum}`);
};

/** Reads `[price, size]`, or null for an empty side. */
const best: Read<void> = (value, place) => {
  if (value !== null) list(amount)(tuple(value, place, 2), place);
};

/** `[maker, orderId]`. */
const orderName: Read<void> = (value, place) => {
  const [maker, orderId] = tuple(value, place, 2);
  text(maker, place);
  whole(orderId, place);
};

const orderChange = object({ add: list(order), change: list(order), remove: list(orderName) });

function sideReaderOf(channel: Topic['channel'], isDelta: boolean): Read<unknown> {
  if (channel === 'bbo') return best;
  if (channel === 'book') return list(level);
  return isDelta ? orderChange : list(order);
}

function tuple(value: unknown, place: string, length: number): readonly unknown[] {
  if (Array.isArray(value) && value.length === length) return value;
  return fail(place, `a list of ${length}`);
}

function fail(place: string, kind: string): never {
  throw new ProtocolViolation('malformed', `${place} is not ${kind}`);
}

/** An added order must be new to the side, even when the same delta removes an order of its key. */
function checkAdded(sent: unknown, side: BookSide): void {
  for (const { maker, orderId } of orderChange(sent, 'side').add) {
    const key = `${maker} ${orderId}`;
    if (side.hasRow(key))
      throw new ProtocolViolation('absent', `${key} is added but was there already`);
  }
}

/**
 * Checks that the queue of an order is the sum of the sizes ahead of it at its price. In a topic of
 * one maker's orders, orders of other makers may also be ahead.
 */
function checkQueues({ placedRows }: BookSide, maker: string | undefined): void {
  for (const [index, { key, price, queue }] of placedRows.entries()) {
    const before = placedRows[index - 1];
    const ahead = before?.price === price ? before.queue + before.row.size : 0n;
    if (queue === ahead || (maker !== undefined && queue > ahead)) continue;
    throw new ProtocolViolation('queue', `${key} has a queue of ${queue}, ${ahead} is ahead of it`);
  }
}
