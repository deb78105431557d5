/** The book of the shown market, followed while the page is visible. */
import {
  type Best,
  type BookView,
  type ClientError,
  type ConnectionState,
  type Level,
  StreamClient,
  type Subscription,
} from '@slotbook/client';
import { BOOK_DEPTH } from '../model/limits.js';
import { measuredSocket, preciseNowMs } from './measured-socket.js';
import type { TruthMeter } from './truth-meter.js';

/** What is shown. */
export interface BookChoice {
  readonly market: string;
  /** Ticks a group. */
  readonly grouping: number;
}

/** A book with the best prices of its market, as it is drawn. */
export interface ShownBook {
  readonly choice: BookChoice;
  readonly view: BookView<Level>;
  /** The best levels of the market, which are not those of a grouped book. */
  readonly bid: Best | null;
  readonly ask: Best | null;
}

/** Whether the book is what the service has now. */
export interface Freshness {
  /** `live` and `past` are drawn as they are; everything else is greyed. */
  readonly state: 'connecting' | 'disconnected' | 'paused' | 'refused' | 'past' | ServiceState;
  /** Since when, Unix milliseconds of this clock; the moment of the past. */
  readonly sinceMs: number;
}

type ServiceState = BookView['state'];

/** What happens to the book. */
export interface BookFeedEvents {
  /** Something has changed that is to be drawn. */
  onChange(): void;
}

/** Follows one book. */
export class BookFeed {
  readonly #stream: StreamClient;
  readonly #truth: TruthMeter;
  readonly #events: BookFeedEvents;
  #choice: BookChoice | undefined;
  #levels: Subscription<Level> | undefined;
  #best: Subscription<Best> | undefined;
  #shown: ShownBook | undefined;
  #error: ClientError | undefined;
  #freshness: Freshness = { state: 'connecting', sinceMs: preciseNowMs() };
  #isPaused = false;
  #lastFrame: Readonly<Record<string, unknown>> | undefined;

  constructor(url: string, truth: TruthMeter, events: BookFeedEvents) {
    this.#truth = truth;
    this.#events = events;
    this.#stream = new StreamClient({
      url,
      WebSocket: measuredSocket(truth, 'compare'),
      onFrame: (frame) => {
        if (frame['topic'] === this.#levels?.topicName) this.#lastFrame = frame;
      },
      onRepair: (violation) => truth.noteViolation(violation),
    });
    this.#stream.onConnection((state) => this.#noteConnection(state));
  }

  /** The newest book, which stays when the connection is lost; undefined before the first. */
  get shown(): ShownBook | undefined {
    return this.#shown;
  }

  get freshness(): Freshness {
    return this.#freshness;
  }

  /** Why the service refuses the book; undefined while it does not. */
  get error(): ClientError | undefined {
    return this.#error;
  }

  /** The stream, for other topics of the same market. */
  get stream(): StreamClient {
    return this.#stream;
  }

  /** Shows another book; that of another grouping replaces the old one when it is there. */
  show(choice: BookChoice): void {
    const isSameMarket = this.#choice?.market === choice.market;
    const isFollowed = isSameMarket && this.#choice?.grouping === choice.grouping;
    if (isFollowed && this.#error === undefined) return;
    this.#choice = choice;
    this.#error = undefined;
    if (!isSameMarket) this.#shown = undefined;
    // The old book may stay for long: that of the new topic has yet to come.
    if (!this.#isPaused) this.#setState('connecting');
    this.#follow();
  }

  /** Stops all work, and leaves the last book as it is. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#close();
    this.#setState('paused');
  }

  /** Follows the book again. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#follow();
  }

  #follow(): void {
    const choice = this.#choice;
    if (choice === undefined || this.#isPaused) return;
    this.#close();
    this.#truth.noteNewTopic();
    const { market, grouping } = choice;
    const sources = { market, includeVamm: true, includeIndicative: true } as const;
    const book = { channel: 'book', depth: BOOK_DEPTH, grouping, timing: true } as const;
    this.#levels = this.#stream.subscribe({ ...book, ...sources });
    this.#best =
      grouping === 1 ? undefined : this.#stream.subscribe({ channel: 'bbo', ...sources });
    for (const part of [this.#levels, this.#best]) {
      part?.onError((error) => this.#noteRefusal(error));
    }
    this.#levels.onUpdate((view) => this.#handleView(choice, view));
    this.#best?.onUpdate(() => this.#compose(choice));
  }

  #close(): void {
    this.#levels?.close();
    this.#best?.close();
  }

  #handleView(choice: BookChoice, view: BookView<Level>): void {
    const frame = this.#lastFrame;
    this.#lastFrame = undefined;
    if (!view.isFollowing) this.#truth.noteInterruption();
    else if (frame !== undefined) this.#truth.noteFrame(frame);
    this.#compose(choice);
  }

  #compose(choice: BookChoice): void {
    const levels = this.#levels?.view;
    if (levels === undefined) return;
    const best = this.#best === undefined ? levels : this.#best.view;
    if (best === undefined) return;
    this.#shown = { choice, view: levels, bid: best.bids[0] ?? null, ask: best.asks[0] ?? null };
    // Each of the two topics can break by itself, and the best prices are shown as large as the levels.
    this.#setState(levels.isFollowing && best.isFollowing ? levels.state : 'disconnected');
    this.#events.onChange();
  }

  #noteConnection(state: ConnectionState): void {
    if (this.#isPaused || this.#error !== undefined) return;
    // A topic with a book says itself that it is not followed any more; what is shown may be of the topic before.
    if (this.#levels?.view !== undefined) return;
    this.#setState(state === 'pausing' ? 'disconnected' : 'connecting');
  }

  #noteRefusal(error: ClientError): void {
    this.#error = error;
    this.#setState('refused');
  }

  #setState(state: Freshness['state']): void {
    if (this.#freshness.state === state) return;
    this.#freshness = { state, sinceMs: preciseNowMs() };
    this.#events.onChange();
  }
}
