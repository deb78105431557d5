import { type Listing, listSignatures, markOf, withPlaces } from './listing.js';
import type { IngestParts } from './parts.js';
import type { Gap, GapMarks } from './progress.js';
import type { FetchContext, Reconciler } from './reconciler.js';
import type { ListedSignature } from './rpc-results.js';

/** The dependencies of a backfiller. */
interface BackfillerOptions {
  readonly parts: IngestParts;
  readonly progress: GapMarks;
  readonly reconciler: Reconciler;
}

/** One step of back-fill, for progress displays. */
export interface BackfillStep {
  readonly signatures: number;
  /** The oldest of them; null for none. */
  readonly oldest: ListedSignature | null;
  /**
   * Whether the page is done; false when a transaction must be fetched again before the gap
   * advances.
   */
  readonly isDone: boolean;
}

/**
 * Reads gaps from the newer end down, a page at a time; a progress mark is stored with each page.
 */
export class Backfiller {
  readonly #options: BackfillerOptions;

  constructor(options: BackfillerOptions) {
    this.#options = options;
  }

  /** The gap to read next: the newest, which most queries concern. Null when no gap is due. */
  nextGap(isDue: (gap: Gap) => boolean = () => true): Gap | null {
    return this.#options.progress.gaps.find(isDue) ?? null;
  }

  async readNextPage(gap: Gap, context: FetchContext): Promise<BackfillStep> {
    const { parts, progress, reconciler } = this.#options;
    const listing = await listSignatures(context.rpc, {
      parts,
      commitment: 'finalized',
      before: gap.before?.signature ?? null,
      until: gap.until,
      sinceTs: gap.sinceTs,
      signaturesMax: gap.left,
      pagesMax: 1,
      others: context.others,
      signal: context.signal,
    });
    const rows = listing.rows;
    const oldest = rows.at(-1) ?? null;
    const left = gap.left - rows.length;
    const isEnd = listing.isComplete || oldest === null || left <= 0;
    const slots = {
      rows: withPlaces(rows),
      above: isEnd && listing.isComplete ? (gap.until?.slot ?? -1) : (oldest?.slot ?? 0) - 1,
      upTo: (gap.before?.slot ?? Number.MAX_SAFE_INTEGER) - 1,
      unread: listing.unread,
    };
    const { isDone } = await reconciler.reconcileSlots(slots, context, (write) => {
      const rest = isEnd || oldest === null ? null : { before: markOf(oldest), left };
      const sinceTs = isEnd ? sinceOf(gap, listing, context) : null;
      progress.moveGap(gap.id, { rest, sinceTs }, write);
    });
    return { signatures: rows.length, oldest, isDone };
  }
}

/**
 * Returns the time from which the history is complete once a gap is closed; null to keep the
 * earlier value.
 */
function sinceOf(
  { until, sinceTs }: Gap,
  { rows, isComplete, hasOlder }: Listing,
  { trustedAbove }: FetchContext,
): number | null {
  const oldestTs = rows.at(-1)?.blockTime ?? sinceTs;
  if (until !== null) return hasOlder || trustedAbove <= until.slot ? null : oldestTs;
  if (isComplete) return hasOlder ? sinceTs : oldestTs;
  // Older transactions may share the second of the last one.
  return oldestTs + 1;
}
