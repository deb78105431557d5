import type { AsOfMoment } from '../../contract/as-of-source.js';
import type { JournalMoment } from '../../contract/journal-source.js';
import type { MomentFinder } from '../as-of/moment-finder.js';
import { type Beyond, isFileFault, type JournalPlayer } from '../store/journal-player.js';
import type { SegmentInfo } from '../store/segment-info.js';
import { momentNotKept } from './replay-failure.js';
import { type SnapshotHead, TopicFramer, type TopicFramerParts } from './topic-framer.js';

/**
 * `atEnd`: waits until more turns are written. `finishing`: plays those turns without delay.
 * `caughtUp`: has reached the live topic. `ended`: complete.
 */
type ReplayPhase = 'playing' | 'atEnd' | 'finishing' | 'caughtUp' | 'ended';

/** The start of a replay. */
interface PlaceStart extends SnapshotHead {
  /** Null for the beginning of the segment. */
  readonly from: AsOfMoment | null;
  /** The newest file has all turns up to this time, unix milliseconds; 0 when unknown. */
  readonly flushedMs: number;
  /** The new speed; undefined keeps the speed. */
  readonly speed?: number | undefined;
}

interface ReplayPlaceParts {
  readonly finder: MomentFinder;
  readonly start: PlaceStart;
  readonly until: AsOfMoment | null;
  readonly player: JournalPlayer;
  readonly framer: TopicFramer;
}

/** The position of a replay, or the target of a seek. */
export class ReplayPlace {
  readonly #finder: MomentFinder;
  readonly start: PlaceStart;
  readonly until: AsOfMoment | null;
  readonly player: JournalPlayer;
  readonly framer: TopicFramer;
  phase: ReplayPhase = 'playing';
  /** Whether its first frame was made. */
  hasBegun = false;
  #isThere: boolean;

  constructor({ finder, start, until, player, framer }: ReplayPlaceParts) {
    this.#finder = finder;
    this.start = start;
    this.until = until;
    this.player = player;
    this.framer = framer;
    this.#isThere = start.from === null;
  }

  /** User accounts of its book. */
  get users(): number {
    return this.player.users;
  }

  /**
   * Whether the start moment is reached; the replay then begins with the topic's next publication.
   */
  get isThere(): boolean {
    return this.#isThere;
  }

  /** The moment relative to which the time of the next turn is computed. */
  get startMoment(): JournalMoment {
    const { slot, ts } = this.player.moment;
    const { from } = this.start;
    return { slot, ts: from?.by === 'ts' ? Math.max(ts, from.value) : ts };
  }

  /**
   * Whether the first frame can be rendered, or the replay refused because the market is missing.
   * After a hole the market is awaited instead: the first checkpoint of an epoch is empty, and its
   * turns add the markets.
   */
  get hasTopic(): boolean {
    return this.framer.hasMarket || this.start.from !== null;
  }

  /** Whether the first frame can show the current book. */
  canBegin(): boolean {
    if (!this.#isThere) return false;
    return this.framer.hasMarket ? this.framer.canBegin() : this.hasTopic;
  }

  lookAhead(next: JournalMoment): void {
    const { from } = this.start;
    if (from !== null) this.#isThere ||= this.#isReached(from, next);
  }

  /**
   * Whether the first frame belongs to the end of the segment. A mark after a hole does not belong
   * to this moment. Throws a ReplayFailure when the start moment is in no segment.
   */
  beginsBefore(beyond: Beyond): boolean {
    this.#isThere ||= this.#isBefore(beyond);
    return this.canBegin() || (this.#isThere && this.hasTopic && beyond.kind === 'hole');
  }

  /** Whether all turns up to the requested end were played. */
  isDone(): boolean {
    return this.until !== null && this.#isReached(this.until, this.player.nextMoment());
  }

  /**
   * Whether the requested end precedes a segment after a hole: a sequence number of an ended epoch
   * is not in a later epoch.
   */
  isDoneBefore(segment: SegmentInfo): boolean {
    if (this.until === null) return false;
    const { by, value, epoch } = this.until;
    if (by !== 'seq') return segment.first[by] > value;
    if (epoch !== this.player.segment.epoch) return false;
    return segment.epoch !== epoch || this.framer.seqIn(segment) > value;
  }

  /**
   * Whether all turns up to a moment were applied; `next` is the moment of the next turn, null when
   * unknown.
   */
  #isReached({ by, value, epoch }: AsOfMoment, next: JournalMoment | null): boolean {
    if (by !== 'seq') return next !== null && next[by] > value;
    const { marketSeq } = this.framer;
    return epoch === this.player.engine.epoch && marketSeq !== undefined && marketSeq >= value;
  }

  /** Whether the start moment is in the segment that was just read to its end. */
  #isBefore(beyond: Beyond): boolean {
    const { from, flushedMs } = this.start;
    if (from === null || this.#isReached(from, null)) return true;
    const { moment } = this.player;
    const { by, value } = from;
    if (beyond.kind === 'next') return by !== 'seq' && beyond.segment.first[by] > value;
    const isKept = by !== 'seq' && value <= Math.max(moment[by], by === 'ts' ? flushedMs : 0);
    if (isKept) return true;
    throw momentNotKept(this.#finder, from);
  }
}

interface ReplayPlacesParts extends TopicFramerParts {
  readonly finder: MomentFinder;
}

/** Opens the places of one replay. */
export class ReplayPlaces {
  readonly #parts: ReplayPlacesParts;

  constructor(parts: ReplayPlacesParts) {
    this.#parts = parts;
  }

  /**
   * Opens the position of a moment. Throws a ReplayFailure for a moment that is not stored; for the
   * newest moments that may show only on reading.
   */
  openMoment(
    start: Omit<PlaceStart, 'isReset'> & { readonly from: AsOfMoment },
    until: AsOfMoment | null,
  ): ReplayPlace {
    const { finder, topic } = this.#parts;
    const player = this.#open(start.from, () => {
      const { choice } = finder.findMoment(start.from, topic);
      if (choice === null) throw momentNotKept(finder, start.from);
      return choice.segment;
    });
    return this.#placeOf(player, { ...start, isReset: false }, until);
  }

  /**
   * Opens the beginning of a segment, after a hole. Throws a ReplayFailure when its file is gone.
   */
  openSegment(segment: SegmentInfo, until: AsOfMoment | null): ReplayPlace {
    const player = this.#open({ by: 'ts', value: segment.first.ts }, () => segment);
    return this.#placeOf(player, { from: null, flushedMs: 0, id: '', isReset: true }, until);
  }

  /** Opens a player. Throws a ReplayFailure when the file is gone or damaged. */
  #open(moment: AsOfMoment, find: () => SegmentInfo): JournalPlayer {
    const { finder } = this.#parts;
    try {
      return finder.openSegment(find());
    } catch (error) {
      if (!isFileFault(error)) throw error;
      throw momentNotKept(finder, moment, error);
    }
  }

  #placeOf(player: JournalPlayer, start: PlaceStart, until: AsOfMoment | null): ReplayPlace {
    const { finder } = this.#parts;
    const framer = new TopicFramer(this.#parts, player);
    return new ReplayPlace({ finder, start, until, player, framer });
  }
}
