/** One subscription of candles or trades. */

import type { SocketError } from '../transport/ws-error.js';
import type { MarketFanOut, MarketTopic, Newcomer } from './market-fan-out.js';
import type { FrameSink, Reader, ReaderDoor, Showing, Shown } from './ws-reader.js';

/** What the topic goes on from, as the reader's client is told it. */
export interface MarketGreeting {
  /** What is sent behind it when a subscription begins; undefined where that was answered already. */
  readonly acknowledgement: string | undefined;
  /** What is sent when a subscription begins, before the acknowledgement. */
  first(text: string): readonly string[];
  /** What is sent when texts were left out. */
  reset(text: string): readonly string[];
}

/** What a reader is made of. */
export interface MarketReaderParts {
  readonly fanOut: MarketFanOut;
  /** Joined already. */
  readonly topic: MarketTopic;
  readonly greeting: MarketGreeting;
  readonly hasBeat: boolean;
  readonly errorMembers: object;
}

/** A reader: it asks the history to show the topic, and takes part when that has. */
export class MarketReader implements Reader, Newcomer {
  readonly hasBeat: boolean;
  readonly errorMembers: object;
  readonly #parts: MarketReaderParts;
  #door: ReaderDoor | undefined;
  /** What the history has just shown; it is old when this turn is over. */
  #text: string | undefined;

  constructor(parts: MarketReaderParts) {
    this.#parts = parts;
    this.hasBeat = parts.hasBeat;
    this.errorMembers = parts.errorMembers;
  }

  get key(): string {
    return this.#parts.topic.key;
  }

  get acknowledgement(): string | undefined {
    return this.#parts.greeting.acknowledgement;
  }

  attach(door: ReaderDoor): void {
    this.#door = door;
  }

  show(sink: FrameSink, showing: Showing): Shown {
    const { fanOut, topic, greeting } = this.#parts;
    if (this.#text === undefined) {
      fanOut.ask(topic, this);
      return 'later';
    }
    const { acknowledgement = '' } = greeting;
    const texts =
      showing === 'first'
        ? [...greeting.first(this.#text), acknowledgement]
        : greeting.reset(this.#text);
    return texts.filter((text) => text !== '').every((text) => sink.send(Buffer.from(text)));
  }

  shown(text: string): void {
    this.#text = text;
    this.#door?.ready();
    this.#text = undefined;
  }

  refused(error: SocketError): void {
    this.#door?.failed(error);
  }

  leave(): void {
    const { fanOut, topic } = this.#parts;
    topic.newcomers.delete(this);
    fanOut.leave(topic);
  }
}
