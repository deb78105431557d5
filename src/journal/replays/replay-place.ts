import type { AsOfMoment } from '../../contract/as-of-source.js';
import type { JournalMoment } from '../../contract/journal-source.js';
import type { SegmentInfo } from '../store/segment-info.js';
import type { MomentFinder } from './moment-finder.js';
import type { Beyond, SegmentCursor } from './segment-cursor.js';
import { type SnapshotHead, TopicFramer, type TopicFramerParts } from './topic-framer.js';

/**
 * `atEnd`: waits for what is not written yet. `finishing`: plays that at once. `caughtUp`: has come to the live topic.
 * `ended`: nothing follows.
 */
export type ReplayPhase = 'playing' | 'atEnd' | 'finishing' | 'caughtUp' | 'ended';

/** Where a replay begins. */
export interface PlaceStart extends SnapshotHead {
  /** Null for the beginning of the segment. */
  readonly from: AsOfMoment | null;
  /** Up to when the newest file has all turns, unix milliseconds; 0 when only what it holds tells. */
  readonly flushedMs: number;
  /** As fast it goes on from there; undefined as fast as before. */
  readonly speed?: number | undefined;
}

/** What a place is made of. */
interface ReplayPlaceParts {
  readonly finder: MomentFinder;
  readonly start: PlaceStart;
  readonly until: AsOfMoment | null;
  readonly cursor: SegmentCursor;
  readonly framer: TopicFramer;
}

/** Where a replay is, or where it goes to. */
export class ReplayPlace {
  readonly #finder: MomentFinder;
  readonly start: PlaceStart;
  readonly until: AsOfMoment | null;
  readonly cursor: SegmentCursor;
  readonly framer: TopicFramer;
  phase: ReplayPhase = 'playing';
  /** Its first frame was made. */
  hasBegun = false;
  #isThere: boolean;

  constructor({ finder, start, until, cursor, framer }: ReplayPlaceParts) {
    this.#finder = finder;
    this.start = start;
    this.until = until;
    this.cursor = cursor;
    this.framer = framer;
    this.#isThere = start.from === null;
  }

  /** User accounts of its book. */
  get users(): number {
    return this.cursor.isRestored ? this.cursor.engine.stats().users : 0;
  }

  /** The moment at which it begins is reached: it begins with what the topic shows next. */
  get isThere(): boolean {
    return this.#isThere;
  }

  /** The moment from which the next turn is waited for. */
  get startMoment(): JournalMoment {
    const { slot, ts } = this.cursor.moment;
    const { from } = this.start;
    return { slot, ts: from?.by === 'ts' ? Math.max(ts, from.value) : ts };
  }

  /**
   * Whether its first frame can be made of the book, or is refused for want of the market. Behind a hole the market is
   * waited for: the first checkpoint of a run is empty, and the markets come with its turns.
   */
  get hasTopic(): boolean {
    return this.framer.hasMarket || this.start.from !== null;
  }

  /** Whether the first frame is of the book as it is. */
  canBegin(): boolean {
    if (!this.#isThere) return false;
    return this.framer.hasMarket ? this.framer.canBegin() : this.hasTopic;
  }

  /** The next turn is of this moment. */
  lookAhead(next: JournalMoment): void {
    const { from } = this.start;
    if (from !== null) this.#isThere ||= this.#isReached(from, next);
  }

  /**
   * Whether its first frame is of the end of the segment. A mark behind a hole is none of this moment. Throws a ReplayFailure
   * when the moment at which it begins is in no segment.
   */
  beginsBefore(beyond: Beyond): boolean {
    this.#isThere ||= this.#isBefore(beyond);
    return this.canBegin() || (this.#isThere && this.hasTopic && beyond.kind === 'hole');
  }

  /** Whether all turns up to its end were played. */
  isDone(): boolean {
    return this.until !== null && this.#isReached(this.until, this.cursor.nextMoment());
  }

  /** Whether its end lies before a segment behind a hole: a number of a run that has ended is not in a later one. */
  isDoneBefore(segment: SegmentInfo): boolean {
    if (this.until === null) return false;
    const { by, value, epoch } = this.until;
    if (by !== 'seq') return segment.first[by] > value;
    if (epoch !== this.cursor.epoch) return false;
    return segment.epoch !== epoch || this.framer.seqIn(segment) > value;
  }

  /** Whether all turns up to a moment were applied; the next one is null where it is not known. */
  #isReached({ by, value, epoch }: AsOfMoment, next: JournalMoment | null): boolean {
    if (by !== 'seq') return next !== null && next[by] > value;
    const { marketSeq } = this.framer;
    return epoch === this.cursor.engine.epoch && marketSeq !== undefined && marketSeq >= value;
  }

  /** Whether the moment at which it begins is in the segment that was read to its end. */
  #isBefore(beyond: Beyond): boolean {
    const { from, flushedMs } = this.start;
    if (from === null || this.#isReached(from, null)) return true;
    const { moment } = this.cursor;
    const { by, value } = from;
    if (beyond.kind === 'next') return by !== 'seq' && beyond.segment.first[by] > value;
    const isKept = by !== 'seq' && value <= Math.max(moment[by], by === 'ts' ? flushedMs : 0);
    if (isKept) return true;
    throw this.#finder.notKept(from, beyond.kind === 'nothing' ? { newest: moment } : {});
  }
}

/** What all places of a replay share. */
interface ReplayPlacesParts extends TopicFramerParts {
  readonly finder: MomentFinder;
}

/** Opens the places of one replay. */
export class ReplayPlaces {
  readonly #parts: ReplayPlacesParts;

  constructor(parts: ReplayPlacesParts) {
    this.#parts = parts;
  }

  /** Throws a ReplayFailure for a moment that is not kept; of the newest moments that may show only when it is read. */
  openMoment(
    start: Omit<PlaceStart, 'isReset'> & { readonly from: AsOfMoment },
    until: AsOfMoment | null,
  ): ReplayPlace {
    const { finder, topic } = this.#parts;
    const cursor = finder.openMoment(start.from, topic.key);
    return this.#placeOf(cursor, { ...start, isReset: false }, until);
  }

  /** The beginning of a segment, behind a hole. Throws a ReplayFailure when its file is gone. */
  openSegment(segment: SegmentInfo, until: AsOfMoment | null): ReplayPlace {
    const cursor = this.#parts.finder.openSegment(segment, { by: 'ts', value: segment.first.ts });
    return this.#placeOf(cursor, { from: null, flushedMs: 0, id: '', isReset: true }, until);
  }

  #placeOf(cursor: SegmentCursor, start: PlaceStart, until: AsOfMoment | null): ReplayPlace {
    const { finder } = this.#parts;
    const framer = new TopicFramer(this.#parts, cursor);
    return new ReplayPlace({ finder, start, until, cursor, framer });
  }
}
