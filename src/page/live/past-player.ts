/** Plays a book of the past: the stream that the service makes out of its journal, at a speed. */
import type { BookView, HttpClient, MomentQuery, StreamInterval } from '@slotbook/client';
import { PastBook, type Replay, type ReplayEvent } from '@slotbook/client/replay';
import { textOfError } from '../model/error-text.js';
import { groupLevels } from '../model/grouping.js';
import { BOOK_DEPTH, GROUPED_DEPTH, ORACLE_MS, PLAY_INTERVALS } from '../model/limits.js';
import type { BookChoice, ShownBook } from './book-feed.js';

type Level = BookView['bids'][number];

/** By which a turn is asked for again. */
export type ShownMoment = Required<Pick<MomentQuery, 'epoch' | 'seq'>>;

/** What is played, from where, and how fast. */
export interface PlayOptions {
  readonly choice: BookChoice;
  /** The market's tick, a raw price. */
  readonly tick: bigint;
  readonly from: ShownMoment;
  /** Times as fast as it happened, 1 to 100. */
  readonly speed: number;
}

/** What happens while it plays. */
export interface PastPlayerEvents {
  onBook(book: ShownBook, moment: ShownMoment & { readonly ts: number }): void;
  onOracle(oracle: bigint): void;
  /** It has played up to now. */
  onLive(): void;
  /** It plays no more; undefined where it has come to an end. */
  onStop(problem: string | undefined): void;
}

/** One stream, from {@link PastPlayer.play} to {@link PastPlayer.stop}. */
export class PastPlayer {
  readonly #http: HttpClient;
  readonly #url: string;
  readonly #events: PastPlayerEvents;
  #replay: Replay<Level> | undefined;
  /** When the oracle is read again, by the clock of the page. */
  #oracleAtMs = 0;

  constructor(http: HttpClient, url: string, events: PastPlayerEvents) {
    this.#http = http;
    this.#url = url;
    this.#events = events;
  }

  /** Plays from a moment on, in place of what it played. */
  play(options: PlayOptions): void {
    this.stop();
    const { choice, from, speed } = options;
    const replay = new PastBook(
      { url: this.#url },
      {
        ...{ channel: 'book', market: choice.market, intervalMs: intervalOf(speed) },
        // The best prices of a grouped book are those of its levels: it is grouped here.
        depth: choice.grouping === 1 ? BOOK_DEPTH : GROUPED_DEPTH,
        ...{ includeVamm: true, includeIndicative: true },
      },
    ).replay({ from, speed });
    this.#replay = replay;
    this.#oracleAtMs = 0;
    replay.onUpdate((view) => this.#showView(view, options));
    replay.onEvent((event) => this.#handleEvent(event));
    replay.onError((error) => {
      this.stop();
      this.#events.onStop(textOfError(error));
    });
  }

  /** Plays no more. */
  stop(): void {
    this.#replay?.close();
    this.#replay = undefined;
  }

  #showView(view: BookView, { choice, tick }: PlayOptions): void {
    const { epoch, seq, ts } = view;
    const groupSize = tick * BigInt(choice.grouping);
    const grouped = choice.grouping === 1 ? view : groupedView(view, groupSize);
    const best = { bid: view.bids[0] ?? null, ask: view.asks[0] ?? null };
    this.#events.onBook({ choice, view: grouped, ...best }, { epoch, seq, ts });
    void this.#readOracle(choice.market, { epoch, seq });
  }

  #handleEvent({ type }: ReplayEvent): void {
    if (type === 'hole') return;
    this.stop();
    if (type === 'live') this.#events.onLive();
    else this.#events.onStop(undefined);
  }

  /** The price of the oracle is in no frame: it is read beside them, as it is of now. */
  async #readOracle(marketName: string, moment: ShownMoment): Promise<void> {
    if (performance.now() < this.#oracleAtMs) return;
    this.#oracleAtMs = Number.POSITIVE_INFINITY;
    const replay = this.#replay;
    const query = { marketName, depth: 1, ...moment };
    // What goes wrong with the past is said by its stream.
    const book = await this.#http.l2(query).catch(() => undefined);
    if (this.#replay !== replay) return;
    this.#oracleAtMs = performance.now() + ORACLE_MS;
    if (book !== undefined) this.#events.onOracle(book.oracle);
  }
}

function groupedView(view: BookView, groupSize: bigint): BookView {
  const shared = { groupSize, levelsMax: GROUPED_DEPTH };
  return {
    ...view,
    bids: groupLevels(view.bids, { side: 'bid', ...shared }),
    asks: groupLevels(view.asks, { side: 'ask', ...shared }),
  };
}

/** The longest interval of which the screen still gets a frame for each of its own. */
function intervalOf(speed: number): StreamInterval {
  const [first, ...longer] = PLAY_INTERVALS;
  return longer.findLast((interval) => interval <= speed * first) ?? first;
}
