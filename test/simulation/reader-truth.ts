/** Compares clients with the service: their books at the end, and meanwhile the names of the markets that they follow. */
import type { Engine } from '../../src/engine/engine.js';
import { rowsOf } from '../support/stream-checker.js';
import type { Followed } from '../support/stream-follower.js';
import type { ModelReader } from './model-reader.js';

/** A topic by a name that no market has any more ends within this time, for a client that reads. */
const STRAY_MS_MAX = 5_000;

/** The judge of one run's clients. */
export class ReaderTruth {
  readonly #readers: readonly ModelReader[];
  /** Since when topics are followed whose name no market of the book has. */
  readonly #straySinceMs = new Map<Followed, number>();

  constructor(readers: readonly ModelReader[]) {
    this.#readers = readers;
  }

  /** Nothing is claimed of a book that is not live. */
  forgetStrays(): void {
    this.#straySinceMs.clear();
  }

  /** The first topic by an old name that goes on for too long; null when there is none. */
  findStray(engine: Engine, nowMs: number): string | null {
    for (const reader of this.#readers) {
      for (const followed of reader.followed) {
        const isStray =
          reader.isReading &&
          followed.isFollowing &&
          engine.findMarket(followed.request.market) === undefined;
        if (!isStray) this.#straySinceMs.delete(followed);
        else if (!this.#straySinceMs.has(followed)) this.#straySinceMs.set(followed, nowMs);
        if (nowMs - (this.#straySinceMs.get(followed) ?? nowMs) > STRAY_MS_MAX)
          return `${followed.book?.topic} went on, and no market has its name`;
      }
    }
    return null;
  }

  /** The first topic that is not followed; null when all are. */
  findNotFollowed(): string | null {
    const lacking = this.#readers.map(({ notFollowing }) => notFollowing);
    const found = lacking.find((request) => request !== null);
    return found == null ? null : `${found.channel} was not followed`;
  }

  /** The topics that are not what the service shows. */
  findWrong(engine: Engine): readonly string[] {
    return this.#readers.flatMap(({ followed }) =>
      followed.flatMap(({ request, book }) => {
        const market = engine.findMarket(request.market)?.id;
        if (market === undefined) return `no market is ${request.market}`;
        const { depth = 1 } = request;
        const bytes =
          request.channel === 'l3' ? engine.l3({ market, depth }) : engine.l2({ market, depth });
        const shown = rowsOf(request.channel, JSON.parse(Buffer.from(bytes).toString()));
        const { bids, asks } = (request.channel === 'l3' ? book?.orders : book?.levels) ?? {};
        if (JSON.stringify([bids, asks]) === shown) return [];
        return `${request.channel} of ${request.market} is not what the service shows`;
      }),
    );
  }
}
