/**
 * One replay for one socket: forwards recorded frames as fast as the client reads them, and
 * continues without a gap with the live topic once the recording has caught up.
 */
import { LIMITS } from '../../config/limits.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { Replay, ReplayCommand, ReplayItem } from '../../contract/replay-source.js';
import type { SocketCounts } from '../metrics/socket-metrics.js';
import { SocketError, UNSERVED_TEXT } from '../transport/errors.js';
import { findFirstAfter, readPoint, seqOf, type TopicPoint } from './replay-link.js';
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

/** The dependencies of a subscriber. */
interface ReplaySubscriberParts {
  /** The live topic. */
  readonly request: StreamRequest;
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  readonly streams: StreamTopics;
  readonly counts: Pick<SocketCounts, 'outcomes'>;
  /** Starts the replay. Returns a text, the reason, when the replay is refused. */
  readonly openReplay: (subscriber: ReplaySubscriber) => Replay | string;
  /** Called when the replay has ended. */
  readonly onGone: () => void;
  /** Called with the id of each command that the ended replay has not answered. */
  readonly onUnanswered: (id: string) => void;
}

/** The live topic, opened before the recorded frames reach the topic's last publication. */
interface Prepared {
  readonly topic: StreamTopic;
  /** Undefined before the topic's first mark. */
  readonly point: TopicPoint | undefined;
  readonly begin: () => void;
}

/** A reader of recorded frames. */
export class ReplaySubscriber implements Subscriber {
  readonly isAlone = true;
  readonly #parts: ReplaySubscriberParts;
  readonly #replay: Replay;
  #callbacks: SnapshotCallbacks | undefined;
  #prepared: Prepared | undefined;
  /** The ids of commands without an answer, in order. */
  #unanswered: string[] = [];
  /** Frames that link the recording to the live topic, waiting to be sent. */
  #links: Uint8Array[] = [];
  #live: { readonly subscriber: StreamSubscriber; readonly showing: SnapshotKind } | undefined;

  /** Throws a SocketError when the replay is refused. */
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

  /** Called when a frame is ready to send. */
  onItem(): void {
    this.#callbacks?.onReady();
  }

  /**
   * Called when the recording has reached its end: opens the live topic and lets the replay
   * continue.
   */
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
    this.#unanswered.push(command.id);
    this.#replay.sendCommand(command);
  }

  /**
   * Sends waiting frames while the client has room. The snapshot of a replay never counts as
   * complete.
   */
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

  /** Ends the replay because another subscription replaces it. */
  endReplay(): void {
    this.#replay.close();
    this.#forgetPrepared();
    this.#parts.onGone();
    for (const id of this.#unanswered.splice(0)) this.#parts.onUnanswered(id);
  }

  /** Ends the subscription: the replay has ended, and the one in its place was refused. */
  endWith(error: Error): void {
    this.#callbacks?.onFailed(error);
  }

  /** Leaves the live topic, because the replay moves to another time or reaches a new end. */
  #leaveHandover(): void {
    // The replay thread pauses at its end until this call.
    if (this.#prepared !== undefined && this.#prepared.point === undefined) this.#replay.finish();
    this.#forgetPrepared();
  }

  #prepareLive(): void {
    const { streams, request } = this.#parts;
    // The market may have been removed or renamed during the replay.
    if (!isServed(request, this.#parts)) throw new SocketError('UNKNOWN_MARKET', UNSERVED_TEXT);
    const topic = streams.addSubscriber(request);
    const begin = (): void => this.#guardHandover(() => this.#beginHandover());
    this.#prepared = { topic, point: undefined, begin };
    if (topic.isUnmarked) topic.waiting.add(begin);
    else begin();
  }

  /** Called when the live topic has a publication, up to which the replay then runs. */
  #beginHandover(): void {
    const { topic, begin } = this.#prepared ?? {};
    if (topic === undefined || begin === undefined) return;
    this.#prepared = { topic, point: readPoint(topic, this.#parts.book), begin };
    this.#replay.finish();
  }

  /**
   * Runs `work`. An error ends only this subscription; it affects neither the thread's messages nor
   * other topics.
   */
  #guardHandover(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#callbacks?.onFailed(error as Error);
    }
  }

  /** Returns false when the client has no room. Throws the SocketError that ends the replay. */
  #sendItem(sink: FrameSink, item: ReplayItem): boolean {
    if (item instanceof Uint8Array) return sink.send(item);
    switch (item.kind) {
      case 'failed':
        throw refusalError(item.refusal);
      case 'caughtUp':
        // A pending command moves the replay elsewhere.
        if (this.#replay.commandsWaiting === 0) this.#becomeLive(item);
        return true;
      case 'ended':
        // The prepared topic belongs to the position that the pending command leads to.
        if (this.#replay.commandsWaiting === 0) this.#forgetPrepared();
        break;
      case 'seekRefused':
        this.#parts.counts.outcomes.countError(refusalError(item.refusal).code);
    }
    const isSent = sink.send(Buffer.from(textOfEvent(item, this.key)));
    if (isSent && 'id' in item) this.#unanswered.shift();
    return isSent;
  }

  /** Switches to the live topic once all frames up to the topic's publication are sent. */
  #becomeLive(last: ResumePoint): void {
    const { streams, book } = this.#parts;
    const { topic, point } = this.#prepared ?? {};
    if (topic === undefined || point === undefined) throw new Error('Invariant: it is prepared');
    // The topic's pending frame of the last mark is already among the recorded frames.
    streams.publisher.finishTopic(topic);
    const firstMissed = findFirstAfter(topic, point, last);
    const { epoch, seq } = last;
    const live = { type: 'live', topic: this.key, epoch, seq };
    this.#links = [Buffer.from(JSON.stringify(live))];
    // Nothing visible changed in between, but the next live delta continues that publication, so
    // its snapshot is sent.
    if (firstMissed !== undefined && seq < point.seq) this.#links.push(point.snapshot);
    const resume = { epoch, seq };
    const subscriber = new StreamSubscriber({ streams, topic, id: '', resume, firstMissed });
    // A heartbeat of a smaller number than the client's would break its book.
    const isOlder = seqOf(book.topics.renderHeartbeat(topic.handle)) < seq;
    this.#live = { subscriber, showing: topic.epoch === epoch && !isOlder ? 'first' : 'reset' };
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
