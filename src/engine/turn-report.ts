import type { AccountProblem } from '../contract/accounts.js';
import type { EngineTurn } from './types.js';

/** Markets that one turn can report; the core allows no more than this. */
const MARKETS_MAX = 4096;

/** Problems of a turn that are listed; further ones are counted. As in the core. */
const PROBLEMS_MAX = 64;

/** Words of the report before the market ids; the order is that of `Core.endTurn`. */
const HEAD_WORDS = 9;

/** Added to the id of a market in which nothing but quotes changed. */
const QUOTES_ONLY = 2 ** 31;

/** Added as well where these are indicative quotes alone. */
const INDICATIVE_ONLY = 2 ** 30;

/** What of a turn is not in the words of its report. */
interface ReportedTurn {
  /** Words that the core wrote. */
  readonly words: number;
  readonly problemCount: number;
  readonly problems: readonly AccountProblem[];
  /** Epoch and state of the book. */
  readonly stamp: string;
}

/** The report of the core on a turn or a snapshot, in words that it writes in place. */
export class TurnReport {
  /** For the core to write into. */
  readonly bytes: Buffer;
  readonly #words = new Uint32Array(HEAD_WORDS + MARKETS_MAX);
  #marketSet = 0;
  /** Of the last turn. */
  #stamp = '';

  constructor() {
    this.bytes = Buffer.from(this.#words.buffer);
  }

  /** Words that fit. */
  get length(): number {
    return this.#words.length;
  }

  /** The number of the set of markets at the last turn; it differs when a market is new or different. */
  get marketSet(): number {
    return this.#marketSet;
  }

  /** Problems that the core found in the turn. */
  get problemCount(): number {
    return this.wordAt(6);
  }

  wordAt(index: number): number {
    return this.#words[index] ?? 0;
  }

  /** A turn of a journal, which says by itself how many markets it changed. */
  readCountedTurn(stamp: string): EngineTurn {
    const words = HEAD_WORDS + this.wordAt(8);
    return this.readTurn({ words, stamp, problemCount: 0, problems: [] });
  }

  /** The turn, from the first `words` words. One literal: a spread costs more than the rest of it. */
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

/** Both parts of a turn as one. A market is in the list of the larger of its two changes. */
export function joinTurns(first: EngineTurn, second: EngineTurn): EngineTurn {
  const join = (name: 'dirty' | 'requoted' | 'indicated', others: readonly number[]): number[] => {
    return [...new Set([...first[name], ...second[name]])].filter((id) => !others.includes(id));
  };
  const dirty = join('dirty', []);
  const requoted = join('requoted', dirty);
  return {
    dirty,
    requoted,
    indicated: join('indicated', [...dirty, ...requoted]),
    allChanged: first.allChanged || second.allChanged,
    applied: first.applied + second.applied,
    changed: first.changed + second.changed,
    unchanged: first.unchanged + second.unchanged,
    stale: first.stale + second.stale,
    ignored: first.ignored + second.ignored,
    closed: first.closed + second.closed,
    problemCount: first.problemCount + second.problemCount,
    problems: [...first.problems, ...second.problems].slice(0, PROBLEMS_MAX),
    marketsChanged: first.marketsChanged || second.marketsChanged,
  };
}
