/**
 * The book of past moments, read from the journal over HTTP: one moment at a time, stepped through, or played.
 * There is never more than one read under way, and the newest request is the next one.
 */
import { ClientError, type HttpClient, type L2Book, type MomentQuery } from '@slotbook/client';
import { textOfError } from '../model/error-text.js';
import { BOOK_DEPTH, PLAY_MS } from '../model/limits.js';
import { heldMoment, type Kept, momentText } from '../model/moments.js';
import type { BookChoice, ShownBook } from './book-feed.js';

/** By which a turn is asked for again. */
export type ShownMoment = Required<Pick<MomentQuery, 'epoch' | 'seq'>>;

/** A book of the past. */
export interface PastBook {
  readonly book: ShownBook;
  readonly oracle: bigint;
  /** The turn that is shown: Unix milliseconds. */
  readonly ts: number;
  /** By which other paths are asked for the same moment. */
  readonly moment: ShownMoment;
}

/** What happens to it. */
export interface PastFeedEvents {
  onChange(): void;
  /** It has played up to the newest moment. */
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
  #speed = 0;
  /** Where playing began, and when by the clock of the page. */
  #anchor = { ts: 0, atMs: 0 };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #work: AbortController | undefined;

  constructor(http: HttpClient, events: PastFeedEvents) {
    this.#http = http;
    this.#events = events;
  }

  /** The book of the moment; undefined before the first, and while another market is read. */
  get shown(): PastBook | undefined {
    return this.#shown;
  }

  /** Why the moment that was requested is not shown; undefined while all is well. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Times as fast as it happened; 0 while it stands still. */
  get speed(): number {
    return this.#speed;
  }

  /** What can be shown. */
  setKept(kept: Kept): void {
    this.#kept = kept;
  }

  /** Shows the same moment of another book. */
  setChoice(choice: BookChoice): void {
    const ts = this.#shown?.ts;
    if (this.#choice?.market !== choice.market) this.#shown = undefined;
    this.#choice = choice;
    if (ts === undefined) return;
    // What is under way is of the book before.
    this.#work?.abort();
    this.#work = undefined;
    this.#request({ ts });
  }

  /** Shows a time, or the nearest kept moment before it. */
  showTime(ts: number): void {
    if (this.#kept === undefined) return;
    const held = heldMoment(this.#kept, ts, 'back');
    this.#anchor = { ts: held, atMs: performance.now() };
    this.#request({ ts: held });
  }

  /** Shows a moment that something else has named, which may not be kept. */
  showMoment(moment: MomentQuery): void {
    this.pause();
    this.#request(moment);
  }

  /** Shows the state of the book before or after the shown one. */
  step(by: 1 | -1): void {
    if (this.#shown === undefined) return;
    this.pause();
    const { epoch, seq } = this.#shown.moment;
    this.#request({ epoch, seq: seq + by });
  }

  /** Plays on from the shown moment. */
  play(speed: number): void {
    if (this.#shown === undefined) return;
    this.#speed = speed;
    this.#anchor = { ts: this.#shown.ts, atMs: performance.now() };
    this.#playOn();
  }

  /** Stands still. */
  pause(): void {
    clearTimeout(this.#timer);
    this.#speed = 0;
    this.#events.onChange();
  }

  /** Ends all work, and forgets the moment. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#work?.abort();
    this.#work = undefined;
    this.#next = undefined;
    this.#shown = undefined;
    this.#problem = undefined;
    this.#speed = 0;
  }

  #playOn(): void {
    if (this.#kept === undefined || this.#speed === 0) return;
    const { ts, atMs } = this.#anchor;
    const now = ts + (performance.now() - atMs) * this.#speed;
    if (now >= this.#kept.lastTs) {
      this.#events.onCaughtUp();
      return;
    }
    const held = heldMoment(this.#kept, now, 'forward');
    // A time of which nothing is kept is not waited for.
    if (held > now) this.#anchor = { ts: held, atMs: performance.now() };
    this.#request({ ts: held });
  }

  #request(next: MomentQuery): void {
    this.#next = next;
    if (this.#work === undefined) void this.#readRequests();
  }

  async #readRequests(): Promise<void> {
    const work = new AbortController();
    this.#work = work;
    while (this.#next !== undefined && !work.signal.aborted) {
      const [moment, choice] = [this.#next, this.#choice];
      this.#next = undefined;
      if (choice !== undefined) await this.#read(choice, moment, work.signal);
    }
    if (work.signal.aborted) return;
    this.#work = undefined;
    if (this.#speed > 0) this.#timer = setTimeout(() => this.#playOn(), PLAY_MS);
  }

  async #read(choice: BookChoice, moment: MomentQuery, signal: AbortSignal): Promise<void> {
    try {
      const past = await this.#readBook(choice, moment, signal);
      if (signal.aborted) return;
      this.#shown = past;
      this.#problem = undefined;
    } catch (error) {
      if (signal.aborted) return;
      this.#problem = this.#textOfProblem(error);
      this.#speed = 0;
    }
    this.#events.onChange();
  }

  /** What is kept is said as people write it. */
  #textOfProblem(error: unknown): string {
    const isLost = error instanceof ClientError && error.code === 'MOMENT_NOT_KEPT';
    if (!isLost || this.#kept === undefined) return textOfError(error);
    const [first, last] = [this.#kept.firstTs, this.#kept.lastTs].map(momentText);
    return `That moment is not kept: the journal has ${first} to ${last} UTC.`;
  }

  /** The best prices of a grouped book are read beside it. */
  async #readBook(choice: BookChoice, moment: MomentQuery, signal: AbortSignal): Promise<PastBook> {
    const { market, grouping } = choice;
    const query = { marketName: market, includeVamm: true, includeIndicative: true, ...moment };
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

/** The body as a followed book has it, which it is not. */
function viewOf(body: L2Book): ShownBook['view'] {
  const { marketName: market, epoch, seq, slot, ts, state, bids, asks } = body;
  const { bestBidPrice, bestAskPrice } = body;
  return {
    ...{ market, epoch, seq, slot, ts, state, bids, asks, bestBidPrice, bestAskPrice },
    ...{ isFollowing: false, timing: null },
  };
}
