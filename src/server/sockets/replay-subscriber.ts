/**
 * One replay of one socket: forwards the frames of the past as the client reads them, and becomes a reader of the live
 * topic when they have caught up with it, without a hole between the two.
 */
import { LIMITS } from '../../config/limits.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { Replay, ReplayCommand, ReplayItem } from '../../contract/replay-source.js';
import type { SocketCounts } from '../metrics/socket-metrics.js';
import { SocketError, UNSERVED_TEXT } from '../transport/errors.js';
import { findFirstAfter, readPoint, type TopicPoint } from './replay-link.js';
import { refusalError, textOfEvent } from './replay-messages.js';
import { StreamSubscriber } from './stream-subscriber.js';
import type { ResumePoint, StreamRequest, StreamTopic } from './stream-topic.js';
import { isServed, type StreamTopics } from './stream-topics.js';
import type {
  FrameSink,
  SendOutcome,
  SnapshotCallbacks,
  SnapshotKind,
  Subscriber,
} from './subscription.js';

/** The parts of a subscriber. */
export interface ReplaySubscriberParts {
  /** The live topic. */
  readonly request: StreamRequest;
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  readonly streams: StreamTopics;
  readonly counts: Pick<SocketCounts, 'countError'>;
  /** Begins the replay; a text says why there is no room for it. */
  readonly openReplay: (subscriber: ReplaySubscriber) => Replay | string;
  /** It is no replay any more. */
  readonly onGone: () => void;
}

/** The live topic, which is open before the frames of the past have come to its last publication. */
interface Prepared {
  readonly topic: StreamTopic;
  /** Undefined before its first mark. */
  readonly point: TopicPoint | undefined;
  readonly begin: () => void;
}

/** A reader of the past. */
export class ReplaySubscriber implements Subscriber {
  readonly isAlone = true;
  readonly #parts: ReplaySubscriberParts;
  readonly #replay: Replay;
  #callbacks: SnapshotCallbacks | undefined;
  #prepared: Prepared | undefined;
  /** What links the past and the live topic, and is still to be sent. */
  #links: Uint8Array[] = [];
  #live: { readonly subscriber: StreamSubscriber; readonly showing: SnapshotKind } | undefined;

  /** Throws a SocketError where there is no room for it. */
  constructor(parts: ReplaySubscriberParts) {
    this.#parts = parts;
    const replay = parts.openReplay(this);
    if (typeof replay === 'string') throw new SocketError('LIMIT_EXCEEDED', replay);
    this.#replay = replay;
  }

  get key(): string {
    return this.#parts.request.key;
  }

  get errorMembers(): object {
    return { topic: this.key };
  }

  attachCallbacks(callbacks: SnapshotCallbacks): void {
    this.#callbacks = callbacks;
  }

  /** There is something to send. */
  onItem(): void {
    this.#callbacks?.onReady();
  }

  /** The past has come to what is written: opens the live topic, and lets it go on. */
  onEnd(): void {
    this.#forgetPrepared();
    this.#guardHandover(() => this.#prepareLive());
  }

  /** Throws LIMIT_EXCEEDED when too many wait. */
  sendCommand(command: ReplayCommand): void {
    const { replayCommandsMax } = LIMITS;
    if (this.#replay.commandsWaiting >= replayCommandsMax) {
      const text = `a replay may have ${replayCommandsMax} messages without an answer`;
      throw new SocketError('LIMIT_EXCEEDED', text);
    }
    this.#leaveHandover();
    this.#replay.sendCommand(command);
  }

  /** Sends what waits, as far as the client has room for it; a replay is never through with it. */
  sendSnapshot(sink: FrameSink, showing: SnapshotKind): SendOutcome {
    while (this.#live === undefined) {
      const { next } = this.#replay;
      if (next === undefined) return 'later';
      if (sink.isBehind() || !this.#sendItem(sink, next)) return false;
      this.#replay.takeItem();
    }
    return this.#sendLive(sink, this.#live, showing);
  }

  leaveTopic(): void {
    this.endReplay();
    this.#live?.subscriber.leaveTopic();
  }

  /** Another subscription is to take its place. */
  endReplay(): void {
    this.#replay.close();
    this.#forgetPrepared();
    this.#parts.onGone();
  }

  /** It goes elsewhere, or comes to its end again: then the live topic is opened again. */
  #leaveHandover(): void {
    // The thread stands still at its end until this lets it go on.
    if (this.#prepared !== undefined && this.#prepared.point === undefined) this.#replay.finish();
    this.#forgetPrepared();
  }

  #prepareLive(): void {
    const { streams, request } = this.#parts;
    // Its market may have gone, or have another name, while the past was played.
    if (!isServed(request, this.#parts)) throw new SocketError('UNKNOWN_MARKET', UNSERVED_TEXT);
    const topic = streams.addSubscriber(request);
    const begin = (): void => this.#guardHandover(() => this.#beginHandover());
    this.#prepared = { topic, point: undefined, begin };
    if (topic.isUnmarked) topic.waiting.add(begin);
    else begin();
  }

  /** The live topic has a publication, to which the past is played. */
  #beginHandover(): void {
    const { topic, begin } = this.#prepared ?? {};
    if (topic === undefined || begin === undefined) return;
    this.#prepared = { topic, point: readPoint(topic, this.#parts.book), begin };
    this.#replay.finish();
  }

  /** What goes wrong ends this subscription, and neither the thread's messages nor the mark of all others. */
  #guardHandover(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#callbacks?.onFailed(error as Error);
    }
  }

  /** False when the client had no room for it. Throws the SocketError by which it ends. */
  #sendItem(sink: FrameSink, item: ReplayItem): boolean {
    if (item instanceof Uint8Array) return sink.send(item);
    switch (item.kind) {
      case 'failed':
        throw refusalError(item.refusal);
      case 'caughtUp':
        // What the client has asked for meanwhile takes it away from there.
        if (this.#replay.commandsWaiting === 0) this.#becomeLive(item);
        return true;
      case 'ended':
        // What is prepared since the client asked for something else is of the place after this.
        if (this.#replay.commandsWaiting === 0) this.#forgetPrepared();
        break;
      case 'seekRefused':
        this.#parts.counts.countError(refusalError(item.refusal).code);
    }
    return sink.send(Buffer.from(textOfEvent(item, this.key)));
  }

  /** All frames up to the live topic's publication are sent: from here on it is a reader of that. */
  #becomeLive(last: ResumePoint): void {
    const { streams } = this.#parts;
    const { topic, point } = this.#prepared ?? {};
    if (topic === undefined || point === undefined) throw new Error('Invariant: it is prepared');
    // What is left of the last mark is among the frames of the past already.
    streams.publisher.finishTopic(topic);
    const firstMissed = findFirstAfter(topic, point, last);
    const { epoch, seq } = last;
    const live = { type: 'live', topic: this.key, epoch, seq };
    this.#links = [Buffer.from(JSON.stringify(live))];
    // Nothing that it shows has changed in between, but the next delta links to that publication.
    if (firstMissed !== undefined && seq < point.seq) this.#links.push(point.snapshot);
    const resume = { epoch, seq };
    const subscriber = new StreamSubscriber({ streams, topic, id: '', resume, firstMissed });
    this.#live = { subscriber, showing: topic.epoch === epoch ? 'first' : 'reset' };
    this.#prepared = undefined;
    this.#replay.close();
    this.#parts.onGone();
  }

  #sendLive(
    sink: FrameSink,
    { subscriber, showing: first }: { subscriber: StreamSubscriber; showing: SnapshotKind },
    showing: SnapshotKind,
  ): SendOutcome {
    for (let link = this.#links[0]; link !== undefined; link = this.#links[0]) {
      if (sink.isBehind() || !sink.send(link)) return false;
      this.#links.shift();
    }
    return subscriber.sendSnapshot(sink, showing === 'reset' ? 'reset' : first);
  }

  #forgetPrepared(): void {
    const { topic, begin } = this.#prepared ?? {};
    this.#prepared = undefined;
    if (topic === undefined || begin === undefined) return;
    topic.waiting.delete(begin);
    this.#parts.streams.removeSubscriber(topic);
  }
}
