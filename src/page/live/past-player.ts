/** Plays a past book as a stream that the service generates from its journal, at a speed. */
import type { BookView, HttpClient, MomentQuery, StreamInterval } from '@slotbook/client';
import { PastBook, type Replay, type ReplayEvent } from '@slotbook/client/replay';
import { textOfError } from '../model/error-text.js';
import { groupLevels } from '../model/grouping.js';
import { BOOK_DEPTH, GROUPED_DEPTH, ORACLE_MS, PLAY_INTERVALS } from '../model/limits.js';
import type { BookChoice, ShownBook } from './book-feed.js';

type Level = BookView['bids'][number];

/** Identifies a turn in requests. */
export type ShownMoment = Required<Pick<MomentQuery, 'epoch' | 'seq'>>;

/** The topic, the start, and the speed. */
interface PlayOptions {
  readonly choice: BookChoice;
  /** The market's tick, a raw price. */
  readonly tick: bigint;
  readonly from: ShownMoment;
  /** Speed factor, 1 to 100. */
  readonly speed: number;
}

/** Events of playback. */
interface PastPlayerEvents {
  onBook(book: ShownBook, moment: ShownMoment & { readonly ts: number }): void;
  onOracle(oracle: bigint): void;
  /** Playback has reached the present. */
  onLive(): void;
  /** Called when playback has ended; `problem` is undefined at the end of the journal. */
  onStop(problem: string | undefined): void;
}

/** One stream, from {@link PastPlayer.play} to {@link PastPlayer.stop}. */
export class PastPlayer {
  readonly #http: HttpClient;
  readonly #url: string;
  readonly #events: PastPlayerEvents;
  #replay: Replay<Level> | undefined;
  /** The time of the next read of the oracle, by the page's clock. */
  #oracleAtMs = 0;

  constructor(http: HttpClient, url: string, events: PastPlayerEvents) {
    this.#http = http;
    this.#url = url;
    this.#events = events;
  }

  /** Plays from a moment on; replaces earlier playback. */
  play(options: PlayOptions): void {
    this.stop();
    const { choice, from, speed } = options;
    const replay = new PastBook(
      { url: this.#url },
      {
        channel: 'book',
        market: choice.market,
        intervalMs: intervalOf(speed),
        // The page groups the levels itself, because it needs the market's best prices as well.
        depth: choice.grouping === 1 ? BOOK_DEPTH : GROUPED_DEPTH,
        includeVamm: choice.hasAmm,
        includeIndicative: true,
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

  /** Frames do not contain the oracle price, so it is read separately for the current moment. */
  async #readOracle(marketName: string, moment: ShownMoment): Promise<void> {
    if (performance.now() < this.#oracleAtMs) return;
    this.#oracleAtMs = Number.POSITIVE_INFINITY;
    const replay = this.#replay;
    const query = { marketName, depth: 1, ...moment };
    // The stream reports problems with the past.
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

/** Returns the longest interval that still gives each screen frame a new stream frame. */
function intervalOf(speed: number): StreamInterval {
  const [first, ...longer] = PLAY_INTERVALS;
  return longer.findLast((interval) => interval <= speed * first) ?? first;
}
