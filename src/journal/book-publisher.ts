import type { EndedTurn, MarkPublisher, PublishMark } from '../contract/publish-mark.js';
import type { Timers } from '../contract/timers.js';
import type { Engine } from '../engine/engine.js';

/** A mark for topics of all intervals. */
const ALL_CLASSES = 0xff;

/** A book that is made from a journal or a log, and its listeners. */
export interface PublishedBook {
  readonly engine: Engine;
  readonly timers: Timers;
  /** After each turn. */
  readonly onTurn?: ((turn: EndedTurn) => void) | undefined;
  /** Renders the frames of a publish mark; the next turn waits until they are rendered. */
  readonly publisher?: MarkPublisher | undefined;
}

/** Publishes the turns of a book that is made from a journal or a log. */
export class BookPublisher {
  readonly #book: PublishedBook;

  constructor(book: PublishedBook) {
    this.#book = book;
  }

  /** Resolves when the frames of the last turn are rendered. */
  async whenPublished(): Promise<void> {
    const { publisher } = this.#book;
    if (publisher?.isPublishing !== true) return;
    await new Promise<void>((resolve) => publisher.onceFinished(resolve));
  }

  /**
   * Returns the engine for a change of the book, after rendering the remaining frames of the last
   * turn.
   */
  moveBook(): Engine {
    this.#book.publisher?.finishMark();
    return this.#book.engine;
  }

  publishTurn(turn: Omit<EndedTurn, 'receivedAtMs'>): void {
    const { onTurn, timers } = this.#book;
    onTurn?.({ ...turn, receivedAtMs: timers.nowMs() });
  }

  /** Publishes the whole book, which replaces another book, to the topics of all markets. */
  publishWhole(): void {
    const mark = this.markOfAll();
    const dirty = mark.map(({ market }) => market);
    const changes = { dirty, requoted: [], indicated: [], allChanged: true };
    this.publishTurn({ changes: { ...changes, problems: [], marketsChanged: true }, mark });
  }

  /** Returns a publish mark for the topics of all markets. */
  markOfAll(): PublishMark {
    return this.#book.engine.markets().map(({ id }) => ({ market: id, classes: ALL_CLASSES }));
  }
}
