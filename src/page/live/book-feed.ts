/** The book of the displayed market, followed while the page is visible. */
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

/** The book to show. */
export interface BookChoice {
  readonly market: string;
  /** Ticks per price group. */
  readonly grouping: number;
  /** Whether the book contains the levels of the AMM. */
  readonly hasAmm: boolean;
}

/** A book for drawing, with the best prices of its market. */
export interface ShownBook {
  readonly choice: BookChoice;
  readonly view: BookView<Level>;
  /** The best levels of the market; they differ from the first groups of a grouped book. */
  readonly bid: Best | null;
  readonly ask: Best | null;
}

/** Whether the book is current. */
export interface Freshness {
  /** The state of the book; `live` and `past` are drawn normally, other states greyed. */
  readonly state: 'connecting' | 'disconnected' | 'paused' | 'refused' | 'past' | ServiceState;
  /**
   * The time since which the book has this state, Unix milliseconds by the page's clock; for a past
   * book, its moment.
   */
  readonly sinceMs: number;
}

type ServiceState = BookView['state'];

/** Events of the book. */
interface BookFeedEvents {
  /** Something changed that must be redrawn. */
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

  /** The newest book, which stays after a lost connection; undefined before the first book. */
  get shown(): ShownBook | undefined {
    return this.#shown;
  }

  get freshness(): Freshness {
    return this.#freshness;
  }

  /** The error with which the service rejects the book; undefined when it does not. */
  get error(): ClientError | undefined {
    return this.#error;
  }

  /** The stream, which other topics of the same market share. */
  get stream(): StreamClient {
    return this.#stream;
  }

  /** Shows another book; a changed grouping keeps the old book until the new one arrives. */
  show(choice: BookChoice): void {
    const isSameMarket = this.#choice?.market === choice.market;
    const { grouping, hasAmm } = this.#choice ?? {};
    const isFollowed = isSameMarket && grouping === choice.grouping && hasAmm === choice.hasAmm;
    if (isFollowed && this.#error === undefined) return;
    this.#choice = choice;
    this.#error = undefined;
    if (!isSameMarket) this.#shown = undefined;
    // The state must change now, because the new topic's book may take long to arrive.
    if (!this.#isPaused) this.#setState('connecting');
    this.#follow();
  }

  /** Stops all work and keeps the last book. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#close();
    this.#setState('paused');
  }

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
    const { market, grouping, hasAmm: includeVamm } = choice;
    const sources = { market, includeVamm, includeIndicative: true } as const;
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
    // Levels and best prices are topics of their own, and either may break while the other is
    // followed.
    this.#setState(levels.isFollowing && best.isFollowing ? levels.state : 'disconnected');
    this.#events.onChange();
  }

  #noteConnection(state: ConnectionState): void {
    if (this.#isPaused || this.#error !== undefined) return;
    // A topic that has a book reports itself when it is no longer followed; the displayed book may
    // be the previous topic's.
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
