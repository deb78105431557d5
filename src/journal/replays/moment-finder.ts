import type { AsOfMoment, MarketKey } from '../../contract/as-of-source.js';
import type { JournalMoment } from '../../contract/journal-source.js';
import type { JournalFiles } from '../as-of/warm-book.js';
import { textOfError } from '../model/error.js';
import { LEARNED_MARKETS_MAX } from '../model/limits.js';
import { chooseBySeq, chooseByTime, describeNotKept } from '../store/segment-choice.js';
import { SegmentIndex } from '../store/segment-index.js';
import type { SegmentInfo } from '../store/segment-info.js';
import { ReplayFailure } from './replay-failure.js';
import { isFileFault, SegmentCursor } from './segment-cursor.js';

/** Finds moments in a journal's files, and opens cursors there. */
export class MomentFinder {
  readonly #files: JournalFiles;
  readonly #index: SegmentIndex;
  /** Market ids by run and market, oldest first; -1 when an ended run had none. */
  readonly #learned = new Map<string, number>();

  constructor(files: JournalFiles) {
    this.#files = files;
    this.#index = new SegmentIndex(files.folder, files.programId);
  }

  /**
   * A cursor at the start of a moment's segment; the end of the newest segment is only found by
   * reading. Throws a {@link ReplayFailure}.
   */
  openMoment(moment: AsOfMoment, key: MarketKey): SegmentCursor {
    const all = this.#index.read().segments;
    const { epoch, by, value } = moment;
    const segments = all.filter((segment) => epoch === undefined || segment.epoch === epoch);
    const newest = all.at(-1)?.number ?? 0;
    const choice =
      by === 'seq'
        ? chooseBySeq(segments, {
            ...{ epoch: epoch ?? '', seq: value, newest },
            market: this.#learnId(segments, moment, key, all.at(-1)?.epoch),
          })
        : chooseByTime(segments, { by, value, newest });
    if (choice === null) throw this.notKept(moment);
    return this.openSegment(choice.segment, moment);
  }

  /** Throws a {@link ReplayFailure} when the file is gone. */
  openSegment(segment: SegmentInfo, moment: AsOfMoment): SegmentCursor {
    try {
      return new SegmentCursor(this.#files, this.#index, segment);
    } catch (error) {
      if (!isFileFault(error)) throw error;
      throw this.notKept(moment, { error });
    }
  }

  /** The message for a moment that is not stored; `newest` is the end of the newest segment. */
  notKept(
    moment: AsOfMoment,
    { error, newest }: { readonly error?: unknown; readonly newest?: JournalMoment } = {},
  ): ReplayFailure {
    const { epoch } = moment;
    const segments = this.#index
      .read()
      .segments.filter((segment) => epoch === undefined || segment.epoch === epoch);
    const damage = error === undefined ? undefined : textOfError(error);
    const message = describeNotKept(moment, segments, damage, newest);
    return new ReplayFailure({ kind: 'notKept', message });
  }

  /** The id of a market in the run of these segments; -1 for none. The newest run may still assign one. */
  #learnId(
    segments: readonly SegmentInfo[],
    moment: AsOfMoment,
    key: MarketKey,
    newestEpoch: string | undefined,
  ): number {
    const last = segments.at(-1);
    if (last === undefined) return -1;
    const name = `${last.epoch} ${key.marketType} ${key.marketIndex}`;
    const known = this.#learned.get(name);
    if (known !== undefined) return known;
    const id = this.#readId(last, moment, key);
    if (id !== -1 || last.epoch !== newestEpoch) this.#remember(name, id);
    return id;
  }

  #readId(segment: SegmentInfo, moment: AsOfMoment, key: MarketKey): number {
    const cursor = this.openSegment(segment, moment);
    try {
      return readIdOf(cursor, key);
    } catch (error) {
      if (!isFileFault(error)) throw error;
      throw this.notKept(moment, { error });
    } finally {
      cursor.close();
    }
  }

  #remember(name: string, id: number): void {
    this.#learned.set(name, id);
    const [oldest] = this.#learned.keys();
    if (this.#learned.size > LEARNED_MARKETS_MAX && oldest !== undefined) {
      this.#learned.delete(oldest);
    }
  }
}

/** When a run's first checkpoint is empty, its first turns add the markets. */
function readIdOf(cursor: SegmentCursor, key: MarketKey): number {
  while (cursor.step().kind !== 'moreBytes') {
    const id = idOf(cursor, key);
    if (id !== undefined) return id;
  }
  return -1;
}

/** The id of a market in the book of a cursor; undefined for none. */
export function idOf(
  { engine, isRestored }: Pick<SegmentCursor, 'engine' | 'isRestored'>,
  { marketType, marketIndex }: MarketKey,
): number | undefined {
  if (!isRestored) return undefined;
  return engine
    .markets()
    .find((row) => row.marketType === marketType && row.marketIndex === marketIndex)?.id;
}
