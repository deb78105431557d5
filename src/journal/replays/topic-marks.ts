import type { MarketChanges } from '../../contract/feed-engine.js';
import type { PublishMark } from '../../contract/publish-mark.js';
import type { ReplayTopic } from '../../contract/replay-source.js';
import type { TopicSpec } from '../../contract/topics.js';
import { MARK_LATE_MS } from '../model/limits.js';

/**
 * The kinds of a market's change, in order; a topic ignores changes of content that it does not
 * show.
 */
const [NOTHING, INDICATIVE, QUOTES, BOOK] = [0, 1, 2, 3] as const;

/** The fields of a turn that affect marks. */
interface RecordedTurn {
  readonly turn: Omit<MarketChanges, 'allChanged'>;
  /** Whether state or epoch changed. */
  readonly isAllChanged: boolean;
  readonly mark: PublishMark;
}

/**
 * Finds the turns at which the frames of one topic were published: the marks of its interval class
 * after a change of its content. At a checkpoint, changes that wait for a mark are unknown.
 */
export class TopicMarks {
  readonly #market: number;
  readonly #bit: number;
  readonly #least: number;
  /** The time from which on such unknown changes no longer matter. */
  readonly #knownFromMs: number;
  #isKnown = false;
  /** The changes since the last mark. */
  #changed: number = NOTHING;

  /** `market` is the market's id in this epoch, `startMs` the time of the first added turn. */
  constructor({ spec, classIndex }: ReplayTopic, market: number, startMs: number) {
    this.#market = market;
    this.#bit = 1 << classIndex;
    this.#least = leastOf(spec);
    this.#knownFromMs = startMs + (spec.intervalMs ?? 0) + MARK_LATE_MS;
  }

  /** Adds a turn; returns whether the topic is published at its end. */
  addTurn({ turn, isAllChanged, mark }: RecordedTurn): boolean {
    this.#changed = Math.max(this.#changed, isAllChanged ? BOOK : this.#changeIn(turn));
    if (!mark.some(({ market, classes }) => market === this.#market && classes & this.#bit)) {
      return false;
    }
    const isPublished = this.#changed >= this.#least;
    this.#changed = NOTHING;
    this.#isKnown = true;
    return isPublished;
  }

  /** Returns whether the topic shows the book as it is after the turn of this time. */
  isPublished(tsMs: number): boolean {
    return this.#changed < this.#least && (this.#isKnown || tsMs >= this.#knownFromMs);
  }

  #changeIn({ dirty, requoted, indicated }: RecordedTurn['turn']): number {
    if (dirty.includes(this.#market)) return BOOK;
    if (requoted.includes(this.#market)) return QUOTES;
    return indicated.includes(this.#market) ? INDICATIVE : NOTHING;
  }
}

function leastOf({ indicative, vamm }: TopicSpec): number {
  if (indicative === true) return INDICATIVE;
  return vamm === true ? QUOTES : BOOK;
}
