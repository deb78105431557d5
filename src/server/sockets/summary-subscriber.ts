/** A subscriber to the statistics of all markets. */
import type { FrameSink, SnapshotKind, Subscriber } from './subscription.js';
import { type SummaryChannel, type SummaryFanOut, summaryName } from './summary-fan-out.js';

/** Begins with the data as of now; every later message is whole as well. */
export class SummarySubscriber implements Subscriber {
  readonly errorMembers: object;
  readonly #fanOut: SummaryFanOut;
  readonly #channel: SummaryChannel;
  readonly #acknowledgement: string;

  /** The acknowledgement follows the first message. */
  constructor(
    fanOut: SummaryFanOut,
    channel: SummaryChannel,
    texts: { readonly acknowledgement: string; readonly errorMembers: object },
  ) {
    this.#fanOut = fanOut;
    this.#channel = channel;
    this.#acknowledgement = texts.acknowledgement;
    this.errorMembers = texts.errorMembers;
    fanOut.addSubscriber(channel);
  }

  get key(): string {
    return summaryName(this.#channel);
  }

  get acknowledgement(): string {
    return this.#acknowledgement;
  }

  sendSnapshot(sink: FrameSink, showing: SnapshotKind): boolean {
    const texts = [this.#fanOut.writeInit(this.#channel)];
    if (showing === 'first') texts.push(this.#acknowledgement);
    return texts.every((text) => sink.send(Buffer.from(text)));
  }

  leaveTopic(): void {
    this.#fanOut.removeSubscriber(this.#channel);
  }
}
