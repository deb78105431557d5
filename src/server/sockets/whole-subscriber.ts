import type { WholeTopic } from './publisher.js';
import type { FrameSink, SnapshotKind, Subscriber } from './subscription.js';

/** Sends the newest frame of its topic, then the acknowledgement if the dialect has one. */
export class WholeSubscriber implements Subscriber {
  readonly #topic: WholeTopic;
  readonly acknowledgement: string | undefined;
  readonly errorMembers: object;

  /** The subscriber is already counted in the topic. */
  constructor(
    topic: WholeTopic,
    texts: { readonly acknowledgement?: string; readonly errorMembers?: object } = {},
  ) {
    this.#topic = topic;
    this.acknowledgement = texts.acknowledgement;
    this.errorMembers = texts.errorMembers ?? {};
  }

  get key(): string {
    return this.#topic.key;
  }

  sendSnapshot(sink: FrameSink, showing: SnapshotKind): boolean {
    if (!sink.send(this.#topic.renderFirst())) return false;
    if (showing === 'reset' || this.acknowledgement === undefined) return true;
    return sink.send(Buffer.from(this.acknowledgement));
  }

  leaveTopic(): void {
    this.#topic.leave();
  }
}
