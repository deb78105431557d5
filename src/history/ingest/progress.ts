/** How far the history is complete, as it is kept in the store beside the records. */
import { SPANS_MAX } from './limits.js';
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

/** Where a filler takes its spans from, and notes how far they are. */
export type SpanMarks = Pick<Progress, 'spans' | 'moveSpan'>;

/** Names of the marks in the store. */
const EDGE = 'edge';
const SPANS = 'spans';

/**
 * The finalised edge and the open spans. All that stands at the edge or before it, but for the spans,
 * is stored as the finalised chain has it. Changes are written with the records that they tell of,
 * and count from then on.
 */
export class Progress {
  #edge: Mark | null;
  #spans: readonly Span[];

  constructor(store: Pick<IngestStore, 'progress'>) {
    const marks = store.progress();
    this.#edge = parsed(marks.get(EDGE), isMark);
    this.#spans = parsed(marks.get(SPANS), isSpans) ?? [];
  }

  get edge(): Mark | null {
    return this.#edge;
  }

  get spans(): readonly Span[] {
    return this.#spans;
  }

  /**
   * Moves the edge, and opens a span for what was left out below it. `write` gets the marks and must
   * throw when they are not stored.
   */
  moveEdge(edge: Mark, opened: Omit<Span, 'id'> | null, write: WriteProgress): void {
    const spans = opened === null ? this.#spans : this.#with(opened);
    write({ [EDGE]: JSON.stringify(edge), [SPANS]: JSON.stringify(spans) });
    this.#edge = edge;
    this.#spans = spans;
  }

  /** Moves the newer end of a span down, or takes the span away when nothing is left of it. */
  moveSpan(id: number, rest: Pick<Span, 'before' | 'left'> | null, write: WriteProgress): void {
    const spans = this.#spans.flatMap((span) => {
      if (span.id !== id) return [span];
      return rest === null ? [] : [{ ...span, ...rest }];
    });
    write({ [SPANS]: JSON.stringify(spans) });
    this.#spans = spans;
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
