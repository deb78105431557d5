import {
  FORK_SLOTS_MAX,
  STRAY_PAGES_MAX,
  STRAYS_CAP_MS,
  STRAYS_FIRST_MS,
} from '../model/limits.js';
import type { StoredTransaction } from '../store/types.js';
import { type Listing, list, withPlaces } from './listing.js';
import type { IngestParts, IngestStore } from './parts.js';
import type { Progress, Span } from './progress.js';
import type { Reading, Reconciler } from './reconciler.js';
import { isReadingFailure, parseSlot } from './rpc-results.js';

/** What it works with. */
export interface StraysOptions {
  readonly parts: IngestParts;
  readonly store: IngestStore;
  readonly progress: Progress;
  readonly reconciler: Reconciler;
}

/**
 * Transactions at the edge or below it that are not final, although all there should be: one that was
 * told, or told again, after the edge had passed its slot, and those that a node which did not know
 * the edge could not judge. Their slots are listed once more, later and later while that is of no use.
 */
export class Strays {
  readonly #options: StraysOptions;
  #dueMs = 0;
  #waitMs = STRAYS_FIRST_MS;
  #count = 0;

  constructor(options: StraysOptions) {
    this.#options = options;
  }

  /** Looks at those that there are. */
  async look(reading: Reading): Promise<void> {
    const { parts, store, progress, reconciler } = this.#options;
    const slotUpTo = progress.edge?.slot ?? -1;
    const unsettled = store.unsettled({ slotAfter: -1, slotUpTo });
    const strays = unsettled.filter((one) => !progress.spans.some((span) => isIn(span, one)));
    const [oldest] = strays;
    if (oldest === undefined || !this.#isDue(strays.length, parts.timers.nowMs())) return;
    // A fork may have moved it down as well.
    const floor = Math.max(0, oldest.slot - FORK_SLOTS_MAX);
    const listing = await this.#list(floor, reading);
    const slots = new Set(unsettled.map(({ slot }) => slot));
    const signatures = new Set(unsettled.map(({ signature }) => signature));
    const rows = withPlaces(listing.rows).filter(({ slot, signature }) => {
      return slots.has(slot) || signatures.has(signature);
    });
    const above = (await lowestSlot(listing, floor, reading)) - 1;
    await reconciler.settle({ rows, above, upTo: slotUpTo }, trusting(reading), () => undefined);
  }

  #isDue(count: number, nowMs: number): boolean {
    if (count !== this.#count) {
      this.#count = count;
      this.#waitMs = STRAYS_FIRST_MS;
      this.#dueMs = 0;
    }
    if (nowMs < this.#dueMs) return false;
    this.#dueMs = nowMs + this.#waitMs;
    this.#waitMs = Math.min(STRAYS_CAP_MS, this.#waitMs * 2);
    return true;
  }

  #list(floor: number, { rpc, signal }: Reading): Promise<Listing> {
    return list(rpc, {
      programId: this.#options.parts.programId,
      commitment: 'finalized',
      before: null,
      until: { signature: null, slot: floor - 1 },
      sinceTs: 0,
      signaturesMax: Number.MAX_SAFE_INTEGER,
      pagesMax: STRAY_PAGES_MAX,
      signal,
    });
  }
}

/** From which slot on the node has all: below it, what it does not list may have happened. */
async function lowestSlot(
  { rows, isComplete, hasOlder }: Listing,
  floor: number,
  { rpc, signal }: Reading,
): Promise<number> {
  if (!isComplete) return rows.at(-1)?.slot ?? Number.MAX_SAFE_INTEGER;
  if (hasOlder) return floor;
  try {
    const first = await rpc.call('getFirstAvailableBlock', [], parseSlot, { signal });
    return Math.max(floor, first);
  } catch (error) {
    if (signal.aborted || !isReadingFailure(error)) throw error;
    return Number.MAX_SAFE_INTEGER;
  }
}

/** The slots of a listing were chosen so that the node has all of them. */
function trusting(reading: Reading): Reading {
  return { ...reading, trustedAbove: -1 };
}

/** What is in an open span is settled when the span is read. */
function isIn({ before, until }: Span, { slot }: StoredTransaction): boolean {
  return slot > (until?.slot ?? -1) && slot < (before?.slot ?? Number.MAX_SAFE_INTEGER);
}
