/**
 * The book of past moments, which are read over HTTP or played as a stream. At most one read of a
 * book is in flight, and only the newest request waits.
 */
import { ClientError, type HttpClient, type L2Book, type MomentQuery } from '@slotbook/client';
import { textOfError } from '../model/error-text.js';
import { BOOK_DEPTH } from '../model/limits.js';
import { heldMoment, type Kept, momentText } from '../model/moments.js';
import type { BookChoice, ShownBook } from './book-feed.js';
import { PastPlayer, type ShownMoment } from './past-player.js';

/** A book of the past. */
export interface PastBook {
  readonly book: ShownBook;
  readonly oracle: bigint;
  /** The shown turn, in Unix milliseconds. */
  readonly ts: number;
  /** Addresses the same moment on other paths. */
  readonly moment: ShownMoment;
}

/** Events of the past book. */
interface PastFeedEvents {
  onChange(): void;
  /** Playback has reached the newest moment. */
  onCaughtUp(): void;
}

/** Shows the past of one book. */
export class PastFeed {
  readonly #http: HttpClient;
  readonly #events: PastFeedEvents;
  #kept: Kept | undefined;
  #choice: BookChoice | undefined;
  #shown: PastBook | undefined;
  #next: MomentQuery | undefined;
  #problem: string | undefined;
  #tick = 1n;
  #speed = 0;
  #work: AbortController | undefined;
  readonly #player: PastPlayer;

  /** `url` is the address of `http`'s service. */
  constructor(http: HttpClient, url: string, events: PastFeedEvents) {
    this.#http = http;
    this.#events = events;
    this.#player = new PastPlayer(http, url, {
      onBook: (book, { ts, ...moment }) => {
        const oracle = this.#shown?.oracle ?? 0n;
        this.#noteShown({ book, oracle, ts, moment });
      },
      onOracle: (oracle) => {
        if (this.#shown !== undefined) this.#noteShown({ ...this.#shown, oracle });
      },
      onLive: () => events.onCaughtUp(),
      onStop: (problem) => {
        this.pause();
        this.#problem = problem ?? 'The journal ends here.';
        events.onChange();
      },
    });
  }

  /** The book of the moment; undefined before the first book, and while another market is read. */
  get shown(): PastBook | undefined {
    return this.#shown;
  }

  /** The reason why the requested moment is not displayed; undefined when it is. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Playback speed factor; 0 when paused. */
  get speed(): number {
    return this.#speed;
  }

  /** Sets the available moments. */
  setKept(kept: Kept): void {
    this.#kept = kept;
  }

  /** Shows the same moment of another book. */
  setChoice(choice: BookChoice, tick: bigint): void {
    const ts = this.#shown?.ts;
    if (this.#choice?.market !== choice.market) this.#shown = undefined;
    this.#choice = choice;
    this.#tick = tick;
    if (ts === undefined) return;
    // Reads in flight belong to the previous book.
    this.#work?.abort();
    this.#work = undefined;
    this.#request({ ts });
  }

  /**
   * Shows the book at a time, or at the nearest stored moment before it; playback continues from
   * there.
   */
  showTime(ts: number): void {
    if (this.#kept === undefined) return;
    this.#request({ ts: heldMoment(this.#kept, ts) });
  }

  /** Shows a given moment, which may not be stored. */
  showMoment(moment: MomentQuery): void {
    this.#stopPlaying();
    this.#request(moment);
  }

  /** Shows the previous or next state of the book. */
  step(by: 1 | -1): void {
    if (this.#shown === undefined) return;
    this.#stopPlaying();
    const { epoch, seq } = this.#shown.moment;
    this.#request({ epoch, seq: seq + by });
  }

  /** Plays from the displayed moment, or from a moment that is being read once it arrives. */
  play(speed: number): void {
    if (this.#shown === undefined && this.#work === undefined) return;
    this.#speed = speed;
    if (this.#work === undefined) this.#playOn();
    this.#events.onChange();
  }

  /**
   * Pauses, and reads the displayed moment again, because the oracle price shown during playback is
   * older.
   */
  pause(): void {
    const hasPlayed = this.#speed > 0 && this.#work === undefined;
    this.#stopPlaying();
    if (hasPlayed && this.#shown !== undefined) this.#request(this.#shown.moment);
  }

  /** Stops all work, and clears the moment. */
  leave(): void {
    this.#player.stop();
    this.#work?.abort();
    this.#work = undefined;
    this.#next = undefined;
    this.#shown = undefined;
    this.#problem = undefined;
    this.#speed = 0;
  }

  #stopPlaying(): void {
    this.#player.stop();
    this.#speed = 0;
    this.#events.onChange();
  }

  #playOn(): void {
    if (this.#choice === undefined || this.#shown === undefined) return;
    this.#problem = undefined;
    const choice = this.#choice;
    const from = this.#shown.moment;
    this.#player.play({ choice, tick: this.#tick, from, speed: this.#speed });
  }

  #noteShown(past: PastBook): void {
    this.#shown = past;
    this.#events.onChange();
  }

  #request(next: MomentQuery): void {
    this.#player.stop();
    this.#problem = undefined;
    this.#next = next;
    if (this.#work === undefined) void this.#readRequests();
  }

  async #readRequests(): Promise<void> {
    const work = new AbortController();
    this.#work = work;
    while (this.#next !== undefined && !work.signal.aborted) {
      const moment = this.#next;
      const choice = this.#choice;
      this.#next = undefined;
      if (choice !== undefined) await this.#read(choice, moment, work.signal);
    }
    if (work.signal.aborted) return;
    this.#work = undefined;
    if (this.#speed > 0) this.#playOn();
  }

  async #read(choice: BookChoice, moment: MomentQuery, signal: AbortSignal): Promise<void> {
    try {
      const past = await this.#readBook(choice, moment, signal);
      if (!signal.aborted) this.#noteShown(past);
    } catch (error) {
      if (signal.aborted) return;
      this.#problem = this.#textOfProblem(error);
      this.#speed = 0;
      this.#events.onChange();
    }
  }

  /** Stored moments in a readable format. */
  #textOfProblem(error: unknown): string {
    const isLost = error instanceof ClientError && error.code === 'MOMENT_NOT_KEPT';
    if (!isLost || this.#kept === undefined) return textOfError(error);
    const [first, last] = [this.#kept.firstTs, this.#kept.lastTs].map((ts) => momentText(ts));
    return `That moment is not kept: the journal has ${first} to ${last} UTC.`;
  }

  /** The best prices of a grouped book need a second read. */
  async #readBook(choice: BookChoice, moment: MomentQuery, signal: AbortSignal): Promise<PastBook> {
    const { market: marketName, grouping, hasAmm: includeVamm } = choice;
    const query = { marketName, includeVamm, includeIndicative: true, ...moment };
    const [levels, best] = await Promise.all([
      this.#http.l2({ ...query, depth: BOOK_DEPTH, grouping }, { signal }),
      grouping === 1 ? undefined : this.#http.l2({ ...query, depth: 1 }, { signal }),
    ]);
    const { bids, asks } = best ?? levels;
    const book = { choice, view: viewOf(levels), bid: bids[0] ?? null, ask: asks[0] ?? null };
    const { oracle, epoch, seq } = levels;
    return { book, oracle, ts: levels.asOf?.ts ?? levels.ts, moment: { epoch, seq } };
  }
}

function viewOf(body: L2Book): ShownBook['view'] {
  return { ...body, market: body.marketName, isFollowing: false, timing: null };
}
