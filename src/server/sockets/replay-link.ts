/** How a reader of the past goes on with the live topic. */
import type { BookSource } from '../../contract/book-source.js';
import type { StreamFanOut } from './stream-fan-out.js';
import type { ResumePoint, StreamTopic } from './stream-topics.js';

/** A publication of a live topic, to which the frames of the past lead. */
export interface TopicPoint extends ResumePoint {
  /** The number of the delta behind it. */
  readonly nextNumber: number;
  readonly snapshot: Uint8Array;
}

/** The last publication of a topic, which has begun. */
export function readPoint(
  topic: StreamTopic,
  { book, streams }: { readonly book: BookSource; readonly streams: StreamFanOut },
): TopicPoint {
  const heartbeat = Buffer.from(book.topicHeartbeat(topic.handle)).toString();
  const { epoch, seq } = JSON.parse(heartbeat) as ResumePoint;
  const snapshot = Uint8Array.from(streams.renderSnapshot(topic, { id: '', reset: false }));
  return { epoch, seq, nextNumber: topic.ring.nextNumber, snapshot };
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
