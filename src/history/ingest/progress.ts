/** The completeness of the history, stored with the records. */
import { GAPS_MAX } from '../model/limits.js';
import type { ListPosition } from './listing.js';
import type { IngestStore } from './parts.js';

/** A range of signatures still to be read, from the newer end down. */
export interface Gap {
  /** Identifies the gap. */
  readonly id: number;
  /**
   * The position from which on everything newer is read; null begins at the newest finalised
   * signature.
   */
  readonly before: ListPosition | null;
  /** The older end, exclusive; null when only the other limits apply. */
  readonly until: ListPosition | null;
  /** The oldest time to read, unix seconds. */
  readonly sinceTs: number;
  /** Maximum signatures still to read. */
  readonly left: number;
}

/** Stores marks, or throws; null deletes a mark. */
export type WriteProgress = (marks: Readonly<Record<string, string | null>>) => void;

/** An advance of the tip. */
interface TipMove {
  readonly tip: ListPosition;
  readonly opened: Omit<Gap, 'id'> | null;
  /**
   * The time of the oldest record that is stored without a hole after it, unix seconds; null for
   * unchanged.
   */
  readonly sinceTs: number | null;
}

/** An advance of a gap. */
export interface GapMove {
  /** Null when the gap is complete. */
  readonly rest: Pick<Gap, 'before' | 'left'> | null;
  readonly sinceTs: number | null;
}

/** The gaps and their progress, as a backfiller needs them. */
export type GapMarks = Pick<Progress, 'gaps' | 'moveGap'>;

/** Names of the marks in the store, which are older than the terms tip and gap. */
const TIP_MARK = 'edge';
const GAPS_MARK = 'spans';
const SINCE_MARK = 'since';

/**
 * The finalised tip and the open gaps. Everything up to the tip, except for the gaps, is stored as
 * on the finalised chain. A change of the progress is written after the records that it covers, and
 * then takes effect.
 */
export class Progress {
  #tip: ListPosition | null;
  #gaps: readonly Gap[];
  #sinceTs: number | null;

  constructor(store: Pick<IngestStore, 'readProgress'>) {
    const marks = store.readProgress();
    this.#tip = parseMark(marks.get(TIP_MARK), isMark);
    this.#gaps = parseMark(marks.get(GAPS_MARK), isGaps) ?? [];
    this.#sinceTs = parseMark(marks.get(SINCE_MARK), isTime);
  }

  get tip(): ListPosition | null {
    return this.#tip;
  }

  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  /**
   * The time from which on the history is complete, unix seconds; null while unknown or while a gap
   * is open.
   */
  get completeSinceTs(): number | null {
    return this.#gaps.length === 0 ? this.#sinceTs : null;
  }

  /**
   * Advances the tip, and opens a gap for skipped signatures below it. `write` stores the marks and
   * must throw when it fails. `sinceTs` is set when it is unknown whether older data is complete.
   */
  moveTip({ tip, opened, sinceTs }: TipMove, write: WriteProgress): void {
    const gaps = opened === null ? this.#gaps : this.#withGap(opened);
    const since = this.#laterSince(sinceTs);
    write({
      [TIP_MARK]: JSON.stringify(tip),
      [GAPS_MARK]: JSON.stringify(gaps),
      ...sinceMark(since),
    });
    this.#tip = tip;
    this.#gaps = gaps;
    this.#sinceTs = since;
  }

  /** Moves the newer end of a gap down, or removes a completed gap. */
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

  /** A hole that no node filled overrides an older start. */
  #laterSince(ts: number | null): number | null {
    return ts === null ? this.#sinceTs : Math.max(ts, this.#sinceTs ?? 0);
  }

  /**
   * Returns the gaps with a new one, newest first; when there are too many, the two oldest gaps and
   * the range between them merge.
   */
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

/** Validates a stored gap. */
export function isGap(value: unknown): value is Gap {
  if (typeof value !== 'object' || value === null) return false;
  const { id, before, until, sinceTs, left } = value as Partial<Record<keyof Gap, unknown>>;
  const marks = [before, until].every((mark) => mark === null || isMark(mark));
  return marks && [id, sinceTs, left].every((number) => typeof number === 'number');
}
