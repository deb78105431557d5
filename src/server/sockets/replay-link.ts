/** How a reader of the past goes on with the live topic. */
import type { BookSource } from '../../contract/book-source.js';
import { isBinaryMessage } from '../transport/client-socket.js';
import type { ResumePoint, StreamTopic } from './stream-topic.js';

/** A publication of a live topic, to which the frames of the past lead. */
export interface TopicPoint extends ResumePoint {
  /** The number of the delta behind it. */
  readonly nextNumber: number;
  readonly snapshot: Uint8Array;
}

/** The last publication of a topic, which has begun. */
export function readPoint(topic: StreamTopic, book: BookSource): TopicPoint {
  const { epoch } = topic;
  const seq = seqOf(book.topicHeartbeat(topic.handle));
  const snapshot = Uint8Array.from(topic.renderSnapshot({ id: '', reset: false }));
  return { epoch, seq, nextNumber: topic.ring.nextNumber, snapshot };
}

/** Where the number stands in a heartbeat of bytes, behind the first and the number of its stream. */
const SEQ_AT = 5;

function seqOf(heartbeat: Uint8Array): number {
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
 * The number of the delta with which a reader goes on that has all frames up to `last`, and has passed the point;
 * undefined when it is not known any more.
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
