import type { AccountProblem } from '../contract/accounts.js';
import type { EngineTurn } from './types.js';

/** Markets that one turn can report; the core allows no more than this. */
const MARKETS_MAX = 4096;

/** Words of the report before the market ids; the order is that of `Core.endTurn`. */
const HEAD_WORDS = 9;

/** Added to the id of a market in which nothing but quotes changed. */
const QUOTES_ONLY = 2 ** 31;

/** Added as well where these are indicative quotes alone. */
const INDICATIVE_ONLY = 2 ** 30;

/** What the core says of a turn or of a snapshot, in words that it writes in place. */
export class TurnReport {
  /** For the core to write into. */
  readonly bytes: Buffer;
  readonly #words = new Uint32Array(HEAD_WORDS + MARKETS_MAX);
  #marketSet = 0;

  constructor() {
    this.bytes = Buffer.from(this.#words.buffer);
  }

  /** Words that there is room for. */
  get length(): number {
    return this.#words.length;
  }

  /** The number of the set of markets at the last turn: another one where a market is another. */
  get marketSet(): number {
    return this.#marketSet;
  }

  /** Problems of the turn that the core has found. */
  get problemCount(): number {
    return this.word(6);
  }

  word(index: number): number {
    return this.#words[index] ?? 0;
  }

  /** The turn as the first `words` words say it. One literal: a spread is dearer than all else here. */
  turn(words: number, problemCount: number, problems: readonly AccountProblem[]): EngineTurn {
    const marketsChanged = this.word(7) !== this.#marketSet;
    this.#marketSet = this.word(7);
    const dirty: number[] = [];
    const requoted: number[] = [];
    const indicated: number[] = [];
    for (let at = HEAD_WORDS; at < words; at += 1) {
      const word = this.word(at);
      if (word < QUOTES_ONLY) dirty.push(word);
      else if (word < QUOTES_ONLY + INDICATIVE_ONLY) requoted.push(word - QUOTES_ONLY);
      else indicated.push(word - QUOTES_ONLY - INDICATIVE_ONLY);
    }
    return {
      dirty,
      requoted,
      indicated,
      applied: this.word(5),
      changed: this.word(0),
      unchanged: this.word(1),
      stale: this.word(2),
      ignored: this.word(3),
      closed: this.word(4),
      problemCount,
      problems,
      marketsChanged,
    };
  }
}
