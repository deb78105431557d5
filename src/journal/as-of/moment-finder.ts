import type { AsOfMoment, MarketIdentity } from '../../contract/as-of-source.js';
import { withoutPaths } from '../../contract/without-paths.js';
import { textOfError } from '../model/error.js';
import { LEARNED_MARKETS_MAX } from '../model/limits.js';
import type { JournalFiles } from '../model/messages.js';
import type { PlayedSegment } from '../store/journal-player.js';
import { JournalPlayer } from '../store/journal-player.js';
import {
  chooseBySeq,
  chooseByTime,
  describeNotKept,
  type SegmentChoice,
} from '../store/segment-choice.js';
import { SegmentIndex } from '../store/segment-index.js';
import type { SegmentInfo } from '../store/segment-info.js';

/** The segment that contains a moment. */
interface FoundMoment {
  /** Null when the moment is not kept. */
  readonly choice: SegmentChoice | null;
  /**
   * For a moment by sequence number: the id of its market in that epoch; -1 when the epoch has no
   * such market. Null for all other moments.
   */
  readonly market: number | null;
}

/** What a search needs besides the moment. */
interface MomentSearch {
  /** The market of a sequence number. */
  readonly key: MarketIdentity | null;
  readonly isCancelled?: () => boolean;
}

/** Finds moments in the files of a journal. */
export class MomentFinder {
  readonly #files: JournalFiles;
  readonly #index: SegmentIndex;
  /**
   * The ids of markets by epoch and market, the oldest first; -1 when an epoch that has ended had
   * no such market.
   */
  readonly #learned = new Map<string, number>();

  constructor(files: JournalFiles) {
    this.#files = files;
    this.#index = new SegmentIndex(files.folder, files.programId);
  }

  /**
   * Finds the segment of a moment. Whether the newest segment reaches the moment shows only when it
   * is read. Throws an EngineError, or the file system's error.
   */
  findMoment(moment: AsOfMoment, { key, isCancelled }: MomentSearch): FoundMoment {
    const all = this.#index.read().segments;
    const { epoch, by, value } = moment;
    const segments = all.filter((segment) => epoch === undefined || segment.epoch === epoch);
    const newest = all.at(-1)?.number ?? 0;
    const last = segments.at(-1);
    if (by !== 'seq')
      return { choice: chooseByTime(segments, { by, value, newest }), market: null };
    if (last === undefined || key === null) return { choice: null, market: null };
    const market = this.#learnId(last, key, {
      isNewest: last.epoch === all.at(-1)?.epoch,
      isCancelled,
    });
    const choice = chooseBySeq(segments, { epoch: epoch ?? '', market, seq: value, newest });
    return { choice, market };
  }

  /** Returns all segments, the oldest first. Throws the file system's error. */
  segments(): readonly SegmentInfo[] {
    return this.#index.read().segments;
  }

  /** Returns the next segment, of any epoch; undefined after the newest. */
  findNext({ number }: PlayedSegment): SegmentInfo | undefined {
    return this.#index.read().segments.find((segment) => segment.number > number);
  }

  /** Opens a player at the beginning of a segment. Throws the file system's error. */
  openSegment(segment: PlayedSegment): JournalPlayer {
    const { folder, program } = this.#files;
    return new JournalPlayer({ folder, segment, program });
  }

  /** Returns the error message for a moment that is not stored, with the present end of the journal. */
  describeNotKept(moment: AsOfMoment, error?: unknown): string {
    const { epoch } = moment;
    this.#index.forgetEnd();
    const { segments } = this.#index.read();
    const ofRun = segments.filter((segment) => epoch === undefined || segment.epoch === epoch);
    return describeNotKept(
      moment,
      ofRun,
      error === undefined ? undefined : withoutPaths(textOfError(error), this.#files.folder),
    );
  }

  /**
   * Reads the id of a market from the last segment of its epoch; an id that is missing in the
   * newest epoch may still be assigned.
   */
  #learnId(
    last: SegmentInfo,
    key: MarketIdentity,
    run: { readonly isNewest: boolean; readonly isCancelled: (() => boolean) | undefined },
  ): number {
    const known = this.#learned.get(nameOf(last, key));
    if (known !== undefined) return known;
    const player = this.openSegment(last);
    try {
      while (player.next().kind !== 'moreBytes' && run.isCancelled?.() !== true) {
        if (player.findMarket(key) === undefined) continue;
        for (const market of player.engine.markets())
          this.#remember(nameOf(last, market), market.id);
        return this.#learned.get(nameOf(last, key)) ?? -1;
      }
    } finally {
      player.release();
    }
    if (!run.isNewest && run.isCancelled?.() !== true) this.#remember(nameOf(last, key), -1);
    return -1;
  }

  #remember(name: string, id: number): void {
    this.#learned.set(name, id);
    const [oldest] = this.#learned.keys();
    if (this.#learned.size > LEARNED_MARKETS_MAX && oldest !== undefined) {
      this.#learned.delete(oldest);
    }
  }
}

function nameOf({ epoch }: SegmentInfo, { marketType, marketIndex }: MarketIdentity): string {
  return `${epoch} ${marketType} ${marketIndex}`;
}
