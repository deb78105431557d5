/** How far the history is complete, as the store has it beside the records. */
import { GAPS_MAX } from '../model/limits.js';
import { REREAD_MARK } from '../store/retention.js';
import type { ListPosition } from './listing.js';
import type { IngestStore } from './parts.js';

/** Signatures that are still to be read, from the newer end down. */
export interface Gap {
  /** Names it among the others. */
  readonly id: number;
  /** All from this one on is read; null begins at the newest finalised signature. */
  readonly before: ListPosition | null;
  /** Read down to this one, itself not; null for as far as the other bounds go. */
  readonly until: ListPosition | null;
  /** Nothing older than this is read, unix seconds. */
  readonly sinceTs: number;
  /** So many signatures at most. */
  readonly left: number;
}

/** Stores marks, or throws; null takes a mark away. */
export type WriteProgress = (marks: Readonly<Record<string, string | null>>) => void;

/** How the tip moves. */
export interface TipMove {
  readonly tip: ListPosition;
  readonly opened: Omit<Gap, 'id'> | null;
  /** Unix seconds of the oldest that is stored without a hole; null when that is as it was. */
  readonly sinceTs: number | null;
}

/** How a gap moves. */
export interface GapMove {
  /** Null when nothing is left of it. */
  readonly rest: Pick<Gap, 'before' | 'left'> | null;
  readonly sinceTs: number | null;
}

/** Where a backfiller reads its gaps, and writes how far they are. */
export type GapMarks = Pick<Progress, 'gaps' | 'moveGap'>;

/** Names of the marks in the store, which are older than the words tip and gap. */
const TIP_MARK = 'edge';
const GAPS_MARK = 'spans';
const SINCE_MARK = 'since';

/**
 * The finalised tip and the open gaps. All at the tip or before it, but for the gaps, is stored as the
 * finalised chain has it. A change takes effect when it is written, after the records that it stands
 * for.
 */
export class Progress {
  #tip: ListPosition | null;
  #gaps: readonly Gap[];
  #sinceTs: number | null;
  #rereadTs: number | null;

  constructor(store: Pick<IngestStore, 'readProgress'>) {
    const marks = store.readProgress();
    this.#tip = parseMark(marks.get(TIP_MARK), isMark);
    this.#gaps = parseMark(marks.get(GAPS_MARK), isGaps) ?? [];
    this.#sinceTs = parseMark(marks.get(SINCE_MARK), isTime);
    this.#rereadTs = parseMark(marks.get(REREAD_MARK), isTime);
    // As in a new store, but for the gaps that are open already.
    if (this.#rereadTs !== null) this.#tip = null;
  }

  /** Unix seconds from which on all is read again, although some of it is stored; null for nothing. */
  get rereadTs(): number | null {
    return this.#rereadTs;
  }

  get tip(): ListPosition | null {
    return this.#tip;
  }

  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  /** Unix seconds from which on all is stored; null while it is not known, or a gap is open. */
  get completeSinceTs(): number | null {
    return this.#gaps.length === 0 ? this.#sinceTs : null;
  }

  /**
   * Moves the tip, and opens a gap for what was left out below it. `write` gets the marks and must
   * throw when they are not stored. `sinceTs` is given where nothing older is known of.
   */
  moveTip({ tip, opened, sinceTs }: TipMove, write: WriteProgress): void {
    const gaps = opened === null ? this.#gaps : this.#withGap(opened);
    const since = this.#laterSince(sinceTs);
    write({
      [TIP_MARK]: JSON.stringify(tip),
      [GAPS_MARK]: JSON.stringify(gaps),
      ...sinceMark(since),
      ...(this.#rereadTs === null ? {} : { [REREAD_MARK]: null }),
    });
    this.#rereadTs = null;
    this.#tip = tip;
    this.#gaps = gaps;
    this.#sinceTs = since;
  }

  /** Moves the newer end of a gap down, or removes the gap when nothing is left of it. */
  moveGap(id: number, { rest, sinceTs }: GapMove, write: WriteProgress): void {
    const gaps = this.#gaps.flatMap((gap) => {
      if (gap.id !== id) return [gap];
      return rest === null ? [] : [{ ...gap, ...rest }];
    });
    const since = this.#laterSince(sinceTs);
    write({ [GAPS_MARK]: JSON.stringify(gaps), ...sinceMark(since) });
    this.#gaps = gaps;
    this.#sinceTs = since;
  }

  /** A hole that no node filled is not forgotten for an older end. */
  #laterSince(ts: number | null): number | null {
    return ts === null ? this.#sinceTs : Math.max(ts, this.#sinceTs ?? 0);
  }

  /** The newest first: of too many the two oldest are read as one, with what lies between. */
  #withGap(opened: Omit<Gap, 'id'>): readonly Gap[] {
    const id = 1 + Math.max(0, ...this.#gaps.map((gap) => gap.id));
    const gaps = [{ ...opened, id }, ...this.#gaps];
    if (gaps.length <= GAPS_MAX) return gaps;
    const [older, oldest] = gaps.slice(-2);
    if (older === undefined || oldest === undefined) return gaps;
    const joined = {
      ...oldest,
      before: older.before,
      sinceTs: Math.min(older.sinceTs, oldest.sinceTs),
      left: older.left + oldest.left,
    };
    return [...gaps.slice(0, -2), joined];
  }
}

function parseMark<T>(text: string | undefined, check: (value: unknown) => value is T): T | null {
  if (text === undefined) return null;
  const value: unknown = JSON.parse(text);
  return check(value) ? value : null;
}

function sinceMark(ts: number | null): Readonly<Record<string, string>> {
  return ts === null ? {} : { [SINCE_MARK]: JSON.stringify(ts) };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number';
}

function isMark(value: unknown): value is ListPosition {
  if (typeof value !== 'object' || value === null) return false;
  const { signature, slot } = value as Partial<Record<keyof ListPosition, unknown>>;
  return typeof signature === 'string' && typeof slot === 'number';
}

function isGaps(value: unknown): value is readonly Gap[] {
  return Array.isArray(value) && value.every((one) => isGap(one));
}

/** Whether a value is a gap as the store has it. */
export function isGap(value: unknown): value is Gap {
  if (typeof value !== 'object' || value === null) return false;
  const { id, before, until, sinceTs, left } = value as Partial<Record<keyof Gap, unknown>>;
  const marks = [before, until].every((mark) => mark === null || isMark(mark));
  return marks && [id, sinceTs, left].every((number) => typeof number === 'number');
}
