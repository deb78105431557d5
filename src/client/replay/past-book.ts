import { ClientError } from '../error.js';
import type { Level, RestingOrder } from '../generated/rows.js';
import type { Best, BookTopic, BookView, OrdersTopic, Topic } from '../stream/topic.js';
import { endOf, type PastMoment, type ReplayOptions } from './moment.js';
import { type PastBookOptions, Replay } from './replay.js';

type RowOf<T extends Topic> = T extends BookTopic
  ? Level
  : T extends OrdersTopic
    ? RestingOrder
    : Best;

/**
 * The past books of one topic, with the same types as its live book.
 *
 * @example
 * const book = new PastBook({ url: 'http://127.0.0.1:8080' }, { channel: 'book', market:
 * 'SOL-PERP', depth: 20 });
 * const { bids, asks } = await book.at({ ts: Date.now() - 60_000 });
 */
export class PastBook<T extends Topic> {
  readonly #options: PastBookOptions;
  readonly #topic: T;

  constructor(options: PastBookOptions, topic: T) {
    this.#options = options;
    this.#topic = topic;
  }

  /**
   * Returns the book of a moment as its stream showed it, or at its next publication. Rejects with
   * a ClientError: MOMENT_NOT_KEPT, whose message contains the stored range, NO_JOURNAL,
   * UNKNOWN_MARKET, LIMIT_EXCEEDED, or ABORTED. Retries while the service is unreachable; a signal
   * of `AbortSignal.timeout` limits the retries.
   *
   * @example
   * const { bestBidPrice, ts } = await book.at({ slot: 350_000_000 });
   */
  async at(
    moment: PastMoment,
    { signal }: Pick<ReplayOptions, 'signal'> = {},
  ): Promise<BookView<RowOf<T>>> {
    const replay = this.replay({ from: moment, until: endOf(moment), ...(signal && { signal }) });
    for await (const view of replay) return view;
    throw new ClientError(
      'MOMENT_NOT_KEPT',
      `the journal has no book at ${JSON.stringify(moment)}`,
    );
  }

  /**
   * Plays the books from a moment on, over a separate socket. Throws INVALID_OPTION for a malformed
   * URL, and WEBSOCKET_NOT_FOUND.
   *
   * @example
   * for await (const { ts, bestBidPrice } of book.replay({ from: { ts: Date.now() - 60_000 },
   * speed: 10 })) draw(ts, bestBidPrice);
   */
  replay(options: ReplayOptions): Replay<RowOf<T>> {
    return new Replay<RowOf<T>>(this.#options, this.#topic, options);
  }
}
