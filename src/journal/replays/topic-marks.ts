import type { MarketChanges } from '../../contract/feed-engine.js';
import type { PublishMark } from '../../contract/publish-mark.js';
import type { ReplayTopic } from '../../contract/replay-source.js';
import type { TopicSpec } from '../../contract/topics.js';
import { MARK_LATE_MS } from '../model/limits.js';

/** How much of a market has changed; a topic ignores changes beyond its content. */
const [NOTHING, INDICATIVE, QUOTES, BOOK] = [0, 1, 2, 3] as const;

/** The fields of a turn that affect marks. */
interface RecordedTurn {
  readonly turn: Omit<MarketChanges, 'allChanged'>;
  /** Whether state or epoch changed. */
  readonly isAllChanged: boolean;
  readonly mark: PublishMark;
}

/**
 * Finds the turns at which one topic's frames were made: the marks of its interval, after a change
 * of its content. At a checkpoint the delayed changes are unknown.
 */
export class TopicMarks {
  readonly #market: number;
  readonly #bit: number;
  readonly #least: number;
  /** The time after which earlier, unknown changes no longer matter. */
  readonly #knownFromMs: number;
  #isKnown = false;
  /** The changes since the last mark. */
  #changed: number = NOTHING;

  /** `market` is the id in this run of the book, `startMs` the time of the first added turn. */
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

  /** Whether the topic shows the book after the turn of this time. */
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
