/** How far the history is complete, as it is kept in the store beside the records. */
import { SPANS_MAX } from '../model/limits.js';
import type { Mark } from './listing.js';
import type { IngestStore } from './parts.js';

/** Signatures that are still to be read, from the newer end down. */
export interface Span {
  /** Names it among the others. */
  readonly id: number;
  /** All from this one on is read; null begins at the newest finalised signature. */
  readonly before: Mark | null;
  /** Read down to this one, itself not; null for as far as the other bounds go. */
  readonly until: Mark | null;
  /** Nothing older than this is read, unix seconds. */
  readonly sinceTs: number;
  /** So many signatures at most. */
  readonly left: number;
}

/** Stores marks, or throws; null takes a mark away. */
export type WriteProgress = (marks: Readonly<Record<string, string | null>>) => void;

/** How the edge moves. */
export interface EdgeMove {
  readonly edge: Mark;
  readonly opened: Omit<Span, 'id'> | null;
  /** Unix seconds of the oldest that is stored without a hole; null when that is as it was. */
  readonly sinceTs: number | null;
}

/** How a span moves. */
export interface SpanMove {
  /** Null when nothing is left of it. */
  readonly rest: Pick<Span, 'before' | 'left'> | null;
  readonly sinceTs: number | null;
}

/** Where a filler takes its spans from, and notes how far they are. */
export type SpanMarks = Pick<Progress, 'spans' | 'moveSpan'>;

/** Names of the marks in the store. */
const EDGE = 'edge';
const SPANS = 'spans';
const SINCE = 'since';

/**
 * The finalised edge and the open spans. All that stands at the edge or before it, but for the spans,
 * is stored as the finalised chain has it. Changes are written with the records that they tell of,
 * and count from then on.
 */
export class Progress {
  #edge: Mark | null;
  #spans: readonly Span[];
  #sinceTs: number | null;

  constructor(store: Pick<IngestStore, 'progress'>) {
    const marks = store.progress();
    this.#edge = parsed(marks.get(EDGE), isMark);
    this.#spans = parsed(marks.get(SPANS), isSpans) ?? [];
    this.#sinceTs = parsed(marks.get(SINCE), isTime);
  }

  get edge(): Mark | null {
    return this.#edge;
  }

  get spans(): readonly Span[] {
    return this.#spans;
  }

  /** Unix seconds from which on all is stored; null while it is not known, or a span is open. */
  get completeSinceTs(): number | null {
    return this.#spans.length === 0 ? this.#sinceTs : null;
  }

  /**
   * Moves the edge, and opens a span for what was left out below it. `write` gets the marks and must
   * throw when they are not stored. `sinceTs` is given where nothing older is known of.
   */
  moveEdge({ edge, opened, sinceTs }: EdgeMove, write: WriteProgress): void {
    const spans = opened === null ? this.#spans : this.#with(opened);
    const since = this.#since(sinceTs);
    write({ [EDGE]: JSON.stringify(edge), [SPANS]: JSON.stringify(spans), ...sinceMark(since) });
    this.#edge = edge;
    this.#spans = spans;
    this.#sinceTs = since;
  }

  /** Moves the newer end of a span down, or takes the span away when nothing is left of it. */
  moveSpan(id: number, { rest, sinceTs }: SpanMove, write: WriteProgress): void {
    const spans = this.#spans.flatMap((span) => {
      if (span.id !== id) return [span];
      return rest === null ? [] : [{ ...span, ...rest }];
    });
    const since = this.#since(sinceTs);
    write({ [SPANS]: JSON.stringify(spans), ...sinceMark(since) });
    this.#spans = spans;
    this.#sinceTs = since;
  }

  /** A hole that no node filled is not forgotten for an older end. */
  #since(ts: number | null): number | null {
    return ts === null ? this.#sinceTs : Math.max(ts, this.#sinceTs ?? 0);
  }

  /** The newest first: of too many the two oldest are read as one, with what lies between. */
  #with(opened: Omit<Span, 'id'>): readonly Span[] {
    const id = 1 + Math.max(0, ...this.#spans.map((span) => span.id));
    const spans = [{ ...opened, id }, ...this.#spans];
    if (spans.length <= SPANS_MAX) return spans;
    const [older, oldest] = spans.slice(-2);
    if (older === undefined || oldest === undefined) return spans;
    const joined = {
      ...oldest,
      before: older.before,
      sinceTs: Math.min(older.sinceTs, oldest.sinceTs),
      left: older.left + oldest.left,
    };
    return [...spans.slice(0, -2), joined];
  }
}

function parsed<T>(text: string | undefined, check: (value: unknown) => value is T): T | null {
  if (text === undefined) return null;
  const value: unknown = JSON.parse(text);
  return check(value) ? value : null;
}

function sinceMark(ts: number | null): Readonly<Record<string, string>> {
  return ts === null ? {} : { [SINCE]: JSON.stringify(ts) };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number';
}

function isMark(value: unknown): value is Mark {
  if (typeof value !== 'object' || value === null) return false;
  const { signature, slot } = value as Partial<Record<keyof Mark, unknown>>;
  return typeof signature === 'string' && typeof slot === 'number';
}

function isSpans(value: unknown): value is readonly Span[] {
  return Array.isArray(value) && value.every((one) => isSpan(one));
}

/** Whether a value is a span, as the store keeps it. */
export function isSpan(value: unknown): value is Span {
  if (typeof value !== 'object' || value === null) return false;
  const { id, before, until, sinceTs, left } = value as Partial<Record<keyof Span, unknown>>;
  const marks = [before, until].every((mark) => mark === null || isMark(mark));
  return marks && [id, sinceTs, left].every((number) => typeof number === 'number');
}
