import type { AccountProblem } from '../contract/accounts.js';
import type { EngineTurn } from './types.js';

/** The maximum number of markets in a turn's report, which is the core's limit of markets. */
const MARKETS_MAX = 4096;

/** Words of the report before the market ids; the order is that of `Core.endTurn`. */
const HEAD_WORDS = 9;

/** Flag of a market id: only quotes changed. */
const QUOTES_ONLY = 2 ** 31;

/** Flag of a market id, set in addition: only indicative quotes changed. */
const INDICATIVE_ONLY = 2 ** 30;

/** The parts of a turn that are not in the report's words. */
interface ReportedTurn {
  /** The number of words that the core wrote. */
  readonly words: number;
  readonly problemCount: number;
  readonly problems: readonly AccountProblem[];
  /** The epoch and state of the book. */
  readonly stamp: string;
}

/** The core's report on a turn or a snapshot. The core writes its words into {@link TurnReport.bytes}. */
export class TurnReport {
  readonly bytes: Buffer;
  readonly #words = new Uint32Array(HEAD_WORDS + MARKETS_MAX);
  #marketSet = 0;
  /** The stamp of the last turn. */
  #stamp = '';

  constructor() {
    this.bytes = Buffer.from(this.#words.buffer);
  }

  get length(): number {
    return this.#words.length;
  }

  /** The version of the set of markets at the last turn; it changes when a market is added or changed. */
  get marketSet(): number {
    return this.#marketSet;
  }

  /** The number of problems in the turn. */
  get problemCount(): number {
    return this.wordAt(6);
  }

  wordAt(index: number): number {
    return this.#words[index] ?? 0;
  }

  /** Reads the report of a journal turn, which contains its own number of markets. */
  readCountedTurn(stamp: string): EngineTurn {
    const words = HEAD_WORDS + this.wordAt(8);
    return this.readTurn({ words, stamp, problemCount: 0, problems: [] });
  }

  /**
   * Reads the turn from the report's words. It is one object literal because a spread costs more
   * than all the other fields.
   */
  readTurn({ words, problemCount, problems, stamp }: ReportedTurn): EngineTurn {
    const allChanged = stamp !== this.#stamp;
    this.#stamp = stamp;
    const marketsChanged = this.wordAt(7) !== this.#marketSet;
    this.#marketSet = this.wordAt(7);
    const dirty: number[] = [];
    const requoted: number[] = [];
    const indicated: number[] = [];
    for (let at = HEAD_WORDS; at < words; at += 1) {
      const word = this.wordAt(at);
      if (word < QUOTES_ONLY) dirty.push(word);
      else if (word < QUOTES_ONLY + INDICATIVE_ONLY) requoted.push(word - QUOTES_ONLY);
      else indicated.push(word - QUOTES_ONLY - INDICATIVE_ONLY);
    }
    return {
      dirty,
      requoted,
      indicated,
      allChanged,
      applied: this.wordAt(5),
      changed: this.wordAt(0),
      unchanged: this.wordAt(1),
      stale: this.wordAt(2),
      ignored: this.wordAt(3),
      closed: this.wordAt(4),
      problemCount,
      problems,
      marketsChanged,
    };
  }
}
