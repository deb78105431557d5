/** One subscription of candles or trades. */

import type { SocketError } from '../transport/errors.js';
import type { MarketFanOut, MarketTopic, PendingSubscriber } from './market-fan-out.js';
import type {
  FrameSink,
  SendOutcome,
  SnapshotCallbacks,
  SnapshotKind,
  Subscriber,
} from './subscription.js';

/** What the topic goes on from, as the reader's client is told it. */
export interface SnapshotFormat {
  /** What is sent behind it when a subscription begins; undefined where that was answered already. */
  readonly acknowledgement: string | undefined;
  /** What is sent when a subscription begins, before the acknowledgement. */
  formatFirst(text: string): readonly string[];
  /** What is sent when texts were left out. */
  formatReset(text: string): readonly string[];
}

/** What a reader is made of. */
export interface MarketSubscriberParts {
  readonly fanOut: MarketFanOut;
  /** Joined already. */
  readonly topic: MarketTopic;
  readonly format: SnapshotFormat;
  readonly hasHeartbeat: boolean;
  readonly errorMembers: object;
}

/** A reader: it asks the history to show the topic, and takes part when that has. */
export class MarketSubscriber implements Subscriber, PendingSubscriber {
  readonly hasHeartbeat: boolean;
  readonly errorMembers: object;
  readonly #parts: MarketSubscriberParts;
  #callbacks: SnapshotCallbacks | undefined;
  /** What the history has just shown; it is old when this turn is over. */
  #text: string | undefined;

  constructor(parts: MarketSubscriberParts) {
    this.#parts = parts;
    this.hasHeartbeat = parts.hasHeartbeat;
    this.errorMembers = parts.errorMembers;
  }

  get key(): string {
    return this.#parts.topic.key;
  }

  get acknowledgement(): string | undefined {
    return this.#parts.format.acknowledgement;
  }

  attachCallbacks(door: SnapshotCallbacks): void {
    this.#callbacks = door;
  }

  sendSnapshot(sink: FrameSink, showing: SnapshotKind): SendOutcome {
    const { fanOut, topic, format } = this.#parts;
    if (this.#text === undefined) {
      fanOut.requestSnapshot(topic, this);
      return 'later';
    }
    const { acknowledgement = '' } = format;
    const texts =
      showing === 'first'
        ? [...format.formatFirst(this.#text), acknowledgement]
        : format.formatReset(this.#text);
    return texts.filter((text) => text !== '').every((text) => sink.send(Buffer.from(text)));
  }

  onSnapshot(text: string): void {
    this.#text = text;
    this.#callbacks?.onReady();
    this.#text = undefined;
  }

  onRefused(error: SocketError): void {
    this.#callbacks?.onFailed(error);
  }

  leaveTopic(): void {
    const { fanOut, topic } = this.#parts;
    topic.pendingSubscribers.delete(this);
    fanOut.removeSubscriber(topic);
  }
}
