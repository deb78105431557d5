import { type Listing, list, type Mark, withPlaces } from './listing.js';
import type { IngestParts } from './parts.js';
import type { Span, SpanMarks } from './progress.js';
import type { Reading, Reconciler } from './reconciler.js';
import type { ListedSignature } from './rpc-results.js';

/** What a filler works with. */
export interface FillerOptions {
  readonly parts: IngestParts;
  readonly progress: SpanMarks;
  readonly reconciler: Reconciler;
}

/** One step of back-fill, for whoever shows how far it is. */
export interface FillStep {
  /** Signatures that were looked at. */
  readonly signatures: number;
  /** The oldest of them; null when there was none. */
  readonly oldest: ListedSignature | null;
  /** Whether nothing is left of the span. */
  readonly isEnd: boolean;
  /** False when something is to be asked again before the span moves on. */
  readonly isDone: boolean;
}

/** Reads spans from the newer end down, a page at a time; each page is marked as it is stored. */
export class Filler {
  readonly #options: FillerOptions;

  constructor(options: FillerOptions) {
    this.#options = options;
  }

  /** The span to read next: the newest, of which most is asked. Null when none is open. */
  get next(): Span | null {
    return this.#options.progress.spans[0] ?? null;
  }

  /** Reads one page of a span. */
  async step(span: Span, reading: Reading): Promise<FillStep> {
    const { parts, progress, reconciler } = this.#options;
    const listing = await list(reading.rpc, {
      programId: parts.programId,
      commitment: 'finalized',
      before: span.before?.signature ?? null,
      until: span.until,
      sinceTs: span.sinceTs,
      signaturesMax: span.left,
      pagesMax: 1,
      signal: reading.signal,
    });
    const rows = listing.rows;
    const oldest = rows.at(-1) ?? null;
    const left = span.left - rows.length;
    const isEnd = listing.isComplete || oldest === null || left <= 0;
    const slots = {
      rows: withPlaces(rows),
      above: isEnd && listing.isComplete ? (span.until?.slot ?? -1) : (oldest?.slot ?? 0) - 1,
      upTo: (span.before?.slot ?? Number.MAX_SAFE_INTEGER) - 1,
    };
    const { isDone } = await reconciler.settle(slots, reading, (write) => {
      const rest = isEnd || oldest === null ? null : { before: markOf(oldest), left };
      const sinceTs = isEnd ? sinceOf(span, listing, reading) : null;
      progress.moveSpan(span.id, { rest, sinceTs }, write);
    });
    return { signatures: rows.length, oldest, isEnd, isDone };
  }
}

/** From when on all is stored once a span has ended; null when what was there before goes on. */
function sinceOf(
  { until, sinceTs }: Span,
  { rows, isComplete, hasOlder }: Listing,
  { trustedAbove }: Reading,
): number | null {
  const oldestTs = rows.at(-1)?.blockTime ?? sinceTs;
  if (until !== null) return hasOlder || trustedAbove <= until.slot ? null : oldestTs;
  if (isComplete) return hasOlder ? sinceTs : oldestTs;
  // Of the second of the last one, others may be older.
  return oldestTs + 1;
}

function markOf({ signature, slot }: ListedSignature): Mark {
  return { signature, slot };
}
