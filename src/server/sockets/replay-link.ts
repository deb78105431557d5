/** Links a replay to the live topic. */
import type { BookSource } from '../../contract/book-source.js';
import { isBinaryMessage } from '../transport/client-socket.js';
import type { ResumePoint, StreamTopic } from './stream-topic.js';

/** The publication of a live topic at which a replay ends. */
export interface TopicPoint extends ResumePoint {
  /** The number of the next delta. */
  readonly nextNumber: number;
  readonly snapshot: Uint8Array;
}

/** Returns the last publication of a topic that has started. */
export function readPoint(topic: StreamTopic, book: BookSource): TopicPoint {
  const { epoch } = topic;
  const seq = seqOf(book.topics.renderHeartbeat(topic.handle));
  const snapshot = Uint8Array.from(topic.renderSnapshot({ id: '', reset: false }));
  return { epoch, seq, nextNumber: topic.ring.nextNumber, snapshot };
}

/**
 * Byte offset of the sequence number in a binary heartbeat, after the type and the stream number.
 */
const SEQ_AT = 5;

/** The sequence number in a heartbeat. */
export function seqOf(heartbeat: Uint8Array): number {
  if (!isBinaryMessage(heartbeat)) {
    return (JSON.parse(Buffer.from(heartbeat).toString()) as ResumePoint).seq;
  }
  let seq = 0;
  let unit = 1;
  for (const byte of heartbeat.subarray(SEQ_AT)) {
    seq += (byte & 0x7f) * unit;
    if (byte < 0x80) break;
    unit *= 0x80;
  }
  return seq;
}

/**
 * Returns the ring number of the next delta for a reader that has all frames up to `last` and has
 * passed the point; undefined when that delta was dropped.
 */
export function findFirstAfter(
  { epoch, ring }: Pick<StreamTopic, 'epoch' | 'ring'>,
  point: TopicPoint,
  last: ResumePoint,
): number | undefined {
  if (epoch !== last.epoch || epoch !== point.epoch) return undefined;
  if (ring.nextNumber === point.nextNumber || last.seq > ring.lastSeq) return ring.nextNumber;
  return last.seq < point.seq ? point.nextNumber : ring.findNumberAfter(last.seq);
}
