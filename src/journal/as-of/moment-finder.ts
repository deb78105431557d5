import type { AsOfMoment, MarketIdentity } from '../../contract/as-of-source.js';
import type { JournalMoment } from '../../contract/journal-source.js';
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

/** Where a moment is. */
interface FoundMoment {
  /** Null where it is not kept. */
  readonly choice: SegmentChoice | null;
  /** Of the moment of a sequence number: the id of its market in that run; -1 where the run has none. Null for all others. */
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
  /** The ids of markets by run and market, the oldest first; -1 where a run that has ended had none. */
  readonly #learned = new Map<string, number>();

  constructor(files: JournalFiles) {
    this.#files = files;
    this.#index = new SegmentIndex(files.folder, files.programId);
  }

  /** The segment of a moment; whether the newest one goes so far is seen when it is read. Throws an EngineError, or what the file system says. */
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

  /** The next segment, of whichever run; undefined for the newest. */
  findNext({ number }: PlayedSegment): SegmentInfo | undefined {
    return this.#index.read().segments.find((segment) => segment.number > number);
  }

  /** A player at the beginning of a segment. Throws what the file system says. */
  openSegment(segment: PlayedSegment): JournalPlayer {
    return new JournalPlayer({ folder: this.#files.folder, segment });
  }

  /** The error message for a moment that is not stored; `newest` is the end of the newest segment. */
  describeNotKept(
    moment: AsOfMoment,
    { error, newest }: { readonly error?: unknown; readonly newest?: JournalMoment } = {},
  ): string {
    const { epoch } = moment;
    const { segments } = this.#index.read();
    const ofRun = segments.filter((segment) => epoch === undefined || segment.epoch === epoch);
    return describeNotKept(
      moment,
      ofRun,
      error === undefined ? undefined : textOfError(error),
      newest,
    );
  }

  /** The id of a market in the run of this segment, its last: the newest run may still get it. */
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
