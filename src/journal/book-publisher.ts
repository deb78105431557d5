import type { EndedTurn, MarkPublisher, PublishMark } from '../contract/publish-mark.js';
import type { Timers } from '../contract/timers.js';
import type { Engine } from '../engine/engine.js';

/** A mark for topics of all intervals. */
const ALL_CLASSES = 0xff;

/** The book that a journal or a log makes, and its listeners. */
export interface PublishedBook {
  readonly engine: Engine;
  readonly timers: Timers;
  /** After each turn. */
  readonly onTurn?: ((turn: EndedTurn) => void) | undefined;
  /** Makes the frames of a mark: the next turn waits for them. */
  readonly publisher?: MarkPublisher | undefined;
}

/** Publishes the turns of a book that a journal or a log makes. */
export class BookPublisher {
  readonly #book: PublishedBook;

  constructor(book: PublishedBook) {
    this.#book = book;
  }

  /** Resolves when the frames of the last turn are made. */
  async whenPublished(): Promise<void> {
    const { publisher } = this.#book;
    if (publisher?.isPublishing !== true) return;
    await new Promise<void>((resolve) => publisher.onceFinished(resolve));
  }

  /** The engine, to be moved now: the frames of the last turn are made first. */
  moveBook(): Engine {
    this.#book.publisher?.finishMark();
    return this.#book.engine;
  }

  publishTurn(turn: Omit<EndedTurn, 'receivedAtMs'>): void {
    const { onTurn, timers } = this.#book;
    onTurn?.({ ...turn, receivedAtMs: timers.nowMs() });
  }

  /** Publishes the book as it is, in place of another one, to the topics of all markets. */
  publishWhole(): void {
    const mark = this.markOfAll();
    const dirty = mark.map(({ market }) => market);
    const changes = { dirty, requoted: [], indicated: [], allChanged: true };
    this.publishTurn({ changes: { ...changes, problems: [], marketsChanged: true }, mark });
  }

  /** A mark for the topics of all markets. */
  markOfAll(): PublishMark {
    return this.#book.engine.markets().map(({ id }) => ({ market: id, classes: ALL_CLASSES }));
  }
}
