import {
  FORK_SLOTS_MAX,
  ORPHAN_PAGES_MAX,
  ORPHANS_CAP_MS,
  ORPHANS_FIRST_MS,
} from '../model/limits.js';
import type { StoredTransaction } from '../store/types.js';
import { type Listing, listSignatures, withPlaces } from './listing.js';
import type { IngestParts, IngestStore } from './parts.js';
import type { Gap, Progress } from './progress.js';
import type { FetchContext, Reconciler } from './reconciler.js';
import { isNodeFailure, parseSlot } from './rpc-results.js';

/** Its dependencies. */
interface OrphanedTransactionsOptions {
  readonly parts: IngestParts;
  readonly store: IngestStore;
  readonly progress: Progress;
  readonly reconciler: Reconciler;
}

/**
 * The transactions at or below the tip that are not final although they should be: late
 * notifications, and transactions that a node without the tip could not decide. Their slots are
 * listed again, at growing intervals while nothing changes.
 */
export class OrphanedTransactions {
  readonly #options: OrphanedTransactionsOptions;
  #dueMs = 0;
  #waitMs = ORPHANS_FIRST_MS;
  #count = 0;

  constructor(options: OrphanedTransactionsOptions) {
    this.#options = options;
  }

  /** Lists the slots of the orphaned transactions again and reconciles them. */
  async recheckSlots(context: FetchContext): Promise<void> {
    const { parts, store, progress, reconciler } = this.#options;
    const slotUpTo = progress.tip?.slot ?? -1;
    const unsettled = store.readUnfinalised({ slotAfter: -1, slotUpTo });
    const orphans = unsettled.filter((one) => !progress.gaps.some((gap) => isIn(gap, one)));
    const [oldest] = orphans;
    if (oldest === undefined || !this.#isDue(orphans.length, parts.timers.nowMs())) return;
    // A fork may also have moved the transaction to a lower slot.
    const floor = Math.max(0, oldest.slot - FORK_SLOTS_MAX);
    const listing = await this.#listSignatures(floor, context);
    const slots = new Set(unsettled.map(({ slot }) => slot));
    const signatures = new Set(unsettled.map(({ signature }) => signature));
    const rows = withPlaces(listing.rows).filter(({ slot, signature }) => {
      return slots.has(slot) || signatures.has(signature);
    });
    const above = (await lowestSlot(listing, floor, context)) - 1;
    await reconciler.reconcileSlots(
      { rows, above, upTo: slotUpTo, unread: listing.unread },
      withFullTrust(context),
      () => undefined,
    );
  }

  #isDue(count: number, nowMs: number): boolean {
    if (count !== this.#count) {
      this.#count = count;
      this.#waitMs = ORPHANS_FIRST_MS;
      this.#dueMs = 0;
    }
    if (nowMs < this.#dueMs) return false;
    this.#dueMs = nowMs + this.#waitMs;
    this.#waitMs = Math.min(ORPHANS_CAP_MS, this.#waitMs * 2);
    return true;
  }

  #listSignatures(floor: number, { rpc, others, signal }: FetchContext): Promise<Listing> {
    return listSignatures(rpc, {
      parts: this.#options.parts,
      commitment: 'finalized',
      before: null,
      until: { signature: null, slot: floor - 1 },
      sinceTs: 0,
      signaturesMax: Number.MAX_SAFE_INTEGER,
      pagesMax: ORPHAN_PAGES_MAX,
      others,
      signal,
    });
  }
}

/**
 * Returns the first slot that the node's list contains completely; transactions of older slots may
 * be missing.
 */
async function lowestSlot(
  { rows, isComplete, hasOlder }: Listing,
  floor: number,
  { rpc, signal }: FetchContext,
): Promise<number> {
  if (!isComplete) return rows.at(-1)?.slot ?? Number.MAX_SAFE_INTEGER;
  if (hasOlder) return floor;
  try {
    const first = await rpc.call('getFirstAvailableBlock', [], parseSlot, { signal });
    return Math.max(floor, first);
  } catch (error) {
    if (signal.aborted || !isNodeFailure(error)) throw error;
    return Number.MAX_SAFE_INTEGER;
  }
}

/**
 * Returns a context that trusts the node for the slots of the listing, which were chosen so that
 * the node has them completely.
 */
function withFullTrust(context: FetchContext): FetchContext {
  return { ...context, trustedAbove: -1 };
}

/** Returns whether a transaction is in an open gap; it becomes final when the gap is read. */
function isIn({ before, until }: Gap, { slot }: StoredTransaction): boolean {
  return slot > (until?.slot ?? -1) && slot < (before?.slot ?? Number.MAX_SAFE_INTEGER);
}
