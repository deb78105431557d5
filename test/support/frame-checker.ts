import type { Engine } from '../../src/engine/engine.js';
import type { EngineTurn } from '../../src/engine/types.js';
import { BookFollower, levelsOf } from './book-follower.js';
import {
  type Chapter,
  type CheckerOptions,
  type Findings,
  type PublishedBook,
  problemOf,
  readOn,
  type Version,
  type WrittenChain,
} from './frame-findings.js';

/** No body has more levels. */
const DEPTH_MAX = 1_000;
/** Every market is looked at this often, whether it changed or not: a book that stands still ages. */
const SWEEP_MS = 100;
/** Work of the checker between two turns of the loop, which it shares with the service. */
const SLICE_MS = 4;
/** Wrong books that are described. */
const DESCRIBED_MAX = 5;
/** After a wrong book the search begins this long ago, or it would grow without end. */
const HORIZON_MS = 400;
/** Beyond the time after which a book counts as old. */
const LONG_AGO_MS = 500;
/** Of the book's second and the chain's: both are cut to whole ones, and it may age as well. */
const SECONDS_APART_MAX = 5;
/** A book may be ahead of a chain by so many slots: as many as a liar gets past a feed. */
const AHEAD_MAX = 32;
/** What has to be told of states is that which lasts: a publishing interval, and a busy machine. */
const STATE_LASTS_MS = 500;

/**
 * Judges every book that the service makes while it says `live`, by the writes of its chain, and
 * every book that a client gets by those. It learns from the engine what was made, and from nobody
 * what is right.
 */
export class FrameChecker {
  readonly findings: Findings = {
    judged: 0,
    wrong: 0,
    old: 0,
    published: 0,
    publishedWrong: 0,
    statesMissed: 0,
    wrongMsMax: 0,
    described: [],
  };
  readonly #options: CheckerOptions;
  readonly #versions = new Map<string, Version>();
  readonly #queue: Version[] = [];
  readonly #published: PublishedBook[] = [];
  readonly #lastSeq = new Map<string, number>();
  readonly #wrongSinceMs = new Map<string, number>();
  readonly #reached = new Map<string, number>();
  #chapters: Chapter[] = [];
  #targetMs = Number.POSITIVE_INFINITY;
  #moment = { slot: 0, unixSeconds: 0 };
  #sockets: { readonly markets: readonly string[]; readonly fromMs: number } | undefined;
  readonly #states: { readonly state: string; readonly atMs: number }[] = [];
  #state = '';
  #sweptAtMs = 0;
  #isTurnOpen = false;
  #working = false;

  constructor(chain: WrittenChain, options: CheckerOptions) {
    this.#options = options;
    this.follow(chain);
  }

  /** Judges what this engine makes from now on. */
  watch(engine: Engine): void {
    const { setClock, setState, endTurn, applySnapshot, endSnapshot } = engine;
    engine.setClock = (slot, unixSeconds) => {
      this.#moment = { slot, unixSeconds };
      setClock.call(engine, slot, unixSeconds);
    };
    engine.setState = (state) => {
      this.#state = state;
      this.#states.push({ state, atMs: performance.now() });
      this.#sweptAtMs = 0;
      setState.call(engine, state);
    };
    engine.endTurn = (tsMs) => {
      const turn = endTurn.call(engine, tsMs);
      this.#isTurnOpen = false;
      this.#turned(engine, turn);
      return turn;
    };
    engine.applySnapshot = (snapshot, from, count) => {
      this.#openTurn();
      return applySnapshot.call(engine, snapshot, from, count);
    };
    engine.endSnapshot = () => {
      this.#openTurn();
      return endSnapshot.call(engine);
    };
  }

  /** From now on the books may be of this chain as well; once they are, only of it. */
  follow(chain: WrittenChain): void {
    const first = [...chain.lastWrites()];
    const markets = chain.markets.map(({ name, account }): [string, BookFollower] => {
      return [name, new BookFollower(account, first, this.#options)];
    });
    const before = this.#chapters.at(-1);
    if (before !== undefined) before.endedAtMs = performance.now();
    const followers = new Map(markets);
    const read = chain.writes.length;
    this.#chapters.push({ chain, followers, read, endedAtMs: Number.POSITIVE_INFINITY });
  }

  /** A client got this book. */
  published(book: PublishedBook): void {
    this.findings.published += 1;
    const stream = `${book.via} ${book.market} ${book.epoch}`;
    const last = this.#lastSeq.get(stream) ?? 0;
    this.#lastSeq.set(stream, book.seq);
    if (book.seq < last) this.#describe(book, `its seq was ${book.seq} after ${last}`);
    if (book.seq < last) this.findings.publishedWrong += 1;
    this.#published.push(book);
  }

  /** From now on each state has to be told on these topics as well. */
  watchSockets(markets: readonly string[]): void {
    this.#sockets = { markets, fromMs: performance.now() };
  }

  /** Asks when every market has all that was written before this moment. */
  aim(atMs: number): void {
    this.#targetMs = atMs;
    this.#reached.clear();
  }

  /** How long after the aim the last market had all; undefined until then. */
  caughtUpMs(): number | undefined {
    if (this.#reached.size !== this.#chapters.at(-1)?.followers.size) return undefined;
    return Math.max(...this.#reached.values()) - this.#targetMs;
  }

  /** Judges all that is left. */
  async finish(): Promise<Findings> {
    while (this.#queue.length > 0) await this.#work();
    this.#judgeStates();
    for (const book of this.#published.splice(0)) this.#judgePublished(book);
    return this.findings;
  }

  /**
   * A snapshot changes the book before the turn ends that numbers it. The turn must end before the
   * loop goes on: who reads in between gets another book of the number before. Few do, so that
   * waiting for one would find this only now and then.
   */
  #openTurn(): void {
    this.#isTurnOpen = true;
    setImmediate(() => {
      if (!this.#isTurnOpen) return;
      this.findings.wrong += 1;
      const { slot } = this.#moment;
      const at = { market: 'all', state: this.#state, slot, atMs: performance.now() };
      this.#describe(at, 'the loop went on inside a turn');
    });
  }

  #turned(engine: Engine, { dirty }: EngineTurn): void {
    const atMs = performance.now();
    const sweeps = atMs - this.#sweptAtMs >= SWEEP_MS;
    if (sweeps) this.#sweptAtMs = atMs;
    engine.markets().forEach(({ id, symbol }) => {
      // A market without orders, as that of the quote asset, has no book to judge.
      if (!this.#chapters.some(({ followers }) => followers.has(symbol))) return;
      if (sweeps || dirty.includes(id)) this.#made(engine, id, symbol, atMs);
    });
  }

  #made(engine: Engine, id: number, market: string, atMs: number): void {
    const { seq } = engine.version(id);
    const levels = levelsOf(engine.l2({ market: id, depth: DEPTH_MAX }));
    const key = `${market} ${engine.epoch} ${seq}`;
    const known = this.#versions.get(key);
    if (known !== undefined && known.levels !== levels) {
      this.findings.wrong += 1;
      this.#describe(known, 'two books of one seq differ');
    }
    const { slot, unixSeconds } = this.#moment;
    const state = this.#state;
    const version: Version = {
      market,
      key,
      levels: known?.levels ?? levels,
      slot,
      unixSeconds,
      atMs,
      state,
      verdict: undefined,
    };
    if (known === undefined || known.verdict === undefined) this.#versions.set(key, version);
    // Only what is still live when the turn is over can be got by anyone.
    queueMicrotask(() => {
      if (state !== 'live' || this.#state !== 'live') return;
      const slotMax =
        Math.max(...this.#chapters.map(({ chain }) => chain.slot ?? slot)) + AHEAD_MAX;
      if (slot > slotMax) {
        this.findings.wrong += 1;
        this.#describe(version, `a slot beyond ${slotMax}`);
      }
      this.#queue.push(version);
      if (!this.#working) this.#workSoon();
    });
  }

  #workSoon(): void {
    this.#working = true;
    setImmediate(() => {
      this.#work().finally(() => {
        this.#working = false;
        if (this.#queue.length > 0) this.#workSoon();
      });
    });
  }

  async #work(): Promise<void> {
    const endMs = performance.now() + SLICE_MS;
    while (performance.now() < endMs) {
      const version = this.#queue.shift();
      if (version === undefined) return;
      this.#judge(version);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  #judge(version: Version): void {
    this.findings.judged += 1;
    for (const chapter of this.#chapters) readOn(chapter);
    const { market, atMs } = version;
    // What happened long ago is in the book or makes it wrong: it need not be searched for.
    const surelyMs = atMs - this.#options.oldMsMax - LONG_AGO_MS;
    for (const { followers } of this.#chapters) followers.get(market)?.skipTo(surelyMs);
    const at = this.#chapters.findIndex(({ followers }) => followers.get(market)?.accepts(version));
    // Every market comes to another chain at once. A market without a book has the same on both, and
    // would be taken for that of the chain before for as long as it has none.
    if (at > 0) this.#chapters.splice(0, at);
    const chapter = at < 0 ? undefined : this.#chapters[0];
    const isMade = this.#versions.get(version.key);
    version.verdict = chapter === undefined ? 'wrong' : 'right';
    if (isMade !== undefined && isMade.verdict !== 'wrong') isMade.verdict = version.verdict;
    const follower = chapter?.followers.get(market);
    if (chapter === undefined || follower === undefined) {
      this.#foundWrong(version);
      return;
    }
    this.#wrongSinceMs.delete(market);
    this.#judgeTime(version, follower, chapter);
    if (chapter !== this.#chapters.at(-1) || this.#reached.has(market)) return;
    if (atMs < this.#targetMs) return;
    const missingMs = follower.missingSinceMs(version, this.#targetMs);
    if (missingMs > this.#targetMs) this.#reached.set(market, atMs);
  }

  #judgeTime(version: Version, follower: BookFollower, { endedAtMs }: Chapter): void {
    const { atMs, unixSeconds } = version;
    const oldMs = atMs - this.#options.oldMsMax;
    const sinceMs = follower.oldestMs() < oldMs ? follower.missingSinceMs(version, oldMs) : atMs;
    const ageMs = atMs - Math.min(sinceMs, endedAtMs);
    const chainSeconds = (Date.now() - (performance.now() - atMs)) / 1_000;
    const apartS = Math.abs(unixSeconds - chainSeconds);
    const { oldMsMax, secondsAreApart } = this.#options;
    if (ageMs <= oldMsMax && (secondsAreApart || apartS <= SECONDS_APART_MAX)) return;
    this.findings.old += 1;
    this.#describe(
      version,
      `it lacked a write of ${Math.round(ageMs)} ms ago, its second was ${apartS.toFixed(1)} apart`,
    );
  }

  #foundWrong(version: Version): void {
    const { market, atMs } = version;
    this.findings.wrong += 1;
    const wrongSinceMs = this.#wrongSinceMs.get(market) ?? atMs;
    // A book that says that it is not live is not wrong meanwhile.
    const wasOwned = this.#states.some((one) => {
      return one.state !== 'live' && one.atMs > wrongSinceMs && one.atMs <= atMs;
    });
    const sinceMs = wasOwned ? atMs : wrongSinceMs;
    this.#wrongSinceMs.set(market, sinceMs);
    this.findings.wrongMsMax = Math.max(this.findings.wrongMsMax, atMs - sinceMs);
    if (!this.#options.forgiving) this.#describe(version, 'it equals the book after no write');
    for (const { followers } of this.#chapters) followers.get(market)?.skipTo(atMs - HORIZON_MS);
  }

  /** A state that lasts is told on every topic, soon after it began. */
  #judgeStates(): void {
    const { markets, fromMs } = this.#sockets ?? { markets: [], fromMs: 0 };
    this.#states.forEach(({ state, atMs }, index) => {
      const untilMs = this.#states[index + 1]?.atMs ?? atMs;
      if (atMs < fromMs || untilMs - atMs < STATE_LASTS_MS) return;
      const told = this.#published.filter((book) => {
        const inTime = book.atMs >= atMs && book.atMs <= atMs + this.#options.toldMsMax;
        return book.via === 'WebSocket' && book.state === state && inTime;
      });
      const toldOf = new Set(told.map(({ market }) => market));
      for (const market of markets) {
        if (toldOf.has(market)) continue;
        this.findings.statesMissed += 1;
        this.#describe({ market, state, slot: 0, atMs }, 'no frame told of this state');
      }
    });
  }

  #judgePublished(book: PublishedBook): void {
    const version = this.#versions.get(`${book.market} ${book.epoch} ${book.seq}`);
    const problem = problemOf(book, version);
    if (problem === undefined) return;
    this.findings.publishedWrong += 1;
    this.#describe(book, problem);
  }

  #describe(
    book: Pick<PublishedBook, 'market' | 'state' | 'slot' | 'atMs'>,
    problem: string,
  ): void {
    if (this.findings.described.length >= DESCRIBED_MAX) return;
    const { market, state, slot, atMs } = book;
    const at = `at slot ${slot}, ${Math.round(atMs)} ms`;
    this.findings.described.push(`${market} ${state} ${at}: ${problem}`);
  }
}
