/** A subscriber to whole books, each of which is complete by itself. */
import type { BookFanOut, BookTopic, BookTopicSpec } from './compatible-fan-out.js';
import type { FrameSink, Subscriber } from './subscription.js';

/** Sends the newest book of its topic. */
export class BookSubscriber implements Subscriber {
  readonly errorMembers = {};

  readonly #fanOut: BookFanOut;
  readonly #topic: BookTopic;

  private constructor(fanOut: BookFanOut, topic: BookTopic) {
    this.#fanOut = fanOut;
    this.#topic = topic;
  }

  /** Throws when the book cannot be rendered. */
  static open(fanOut: BookFanOut, spec: BookTopicSpec): BookSubscriber {
    const topic = fanOut.addSubscriber(spec);
    try {
      fanOut.renderFrame(topic);
    } catch (error) {
      fanOut.removeSubscriber(topic);
      throw error;
    }
    return new BookSubscriber(fanOut, topic);
  }

  get key(): string {
    return this.#topic.spec.key;
  }

  sendSnapshot(sink: FrameSink): boolean {
    return sink.send(this.#fanOut.renderFrame(this.#topic));
  }

  leaveTopic(): void {
    this.#fanOut.removeSubscriber(this.#topic);
  }
}
