import type { NodeRpc } from '../../rpc/node-pool.js';
import { FINALISED_MARGIN_SLOTS, TIP_PAGES_MAX } from '../model/limits.js';
import {
  type Listing,
  type ListingQuery,
  type ListPosition,
  listSignatures,
  markOf,
  withPlaces,
} from './listing.js';
import type { OrphanedTransactions } from './orphans.js';
import type { IngestParts } from './parts.js';
import type { Gap, Progress, WriteProgress } from './progress.js';
import type { FetchContext, Reconciler } from './reconciler.js';
import {
  isNodeFailure,
  type ListedSignature,
  parseBlockTime,
  parseKnown,
  parseSlot,
} from './rpc-results.js';
import type { EmptyTransactions } from './store-records.js';

/** A node, and its name for the log. */
interface NamedNode {
  readonly name: string;
  readonly rpc: NodeRpc;
}

/** The dependencies of the tip. */
interface HistoryTipOptions {
  readonly parts: IngestParts;
  readonly progress: Progress;
  readonly reconciler: Reconciler;
  readonly orphans: OrphanedTransactions;
  readonly emptyTransactions: EmptyTransactions;
  /** See `SessionOptions`. */
  readonly firstGap: (newestTs: number | null) => Pick<Gap, 'sinceTs' | 'left'>;
  /** See `SessionOptions`. */
  readonly onBlockTime: (ts: number) => void;
}

/**
 * The live tip of the history: reads from the newest signature down to the finalised and stored
 * part. A range that is too large for memory becomes a gap.
 */
export class HistoryTip {
  readonly #options: HistoryTipOptions;
  /**
   * The slot above which the socket delivers transactions; a transaction above it that is found
   * only in a listing was missed.
   */
  #notifiedFromSlot = Number.MAX_SAFE_INTEGER;
  #finalSlot = 0;
  #trustedAbove = Number.MAX_SAFE_INTEGER;

  constructor(options: HistoryTipOptions) {
    this.#options = options;
  }

  get finalSlot(): number {
    return this.#finalSlot;
  }

  setNotifiedFrom(slot: number): void {
    this.#notifiedFromSlot = slot;
  }

  /**
   * The slot above which the node is complete, because it knows the tip or has listed the slots
   * itself.
   */
  get trustedAbove(): number {
    return this.#trustedAbove;
  }

  /** Finds out whether the node is complete, because it knows the signature at the tip. */
  async checkNode({ name, rpc }: NamedNode, signal: AbortSignal): Promise<void> {
    const { counters, log } = this.#options.parts;
    const isKnown = await this.#isKnownTo(rpc, signal);
    this.#trustedAbove = isKnown ? -1 : Number.MAX_SAFE_INTEGER;
    if (isKnown) return;
    counters.edgeUnknown += 1;
    log.warn({ node: name }, 'the node does not know where the history ends');
  }

  /** True while there is no tip. */
  async #isKnownTo(rpc: NodeRpc, signal: AbortSignal): Promise<boolean> {
    const { tip } = this.#options.progress;
    if (tip === null) return true;
    const params = [[tip.signature], { searchTransactionHistory: true }];
    const [known] = await rpc.call('getSignatureStatuses', params, parseKnown, { signal });
    return known === true;
  }

  /**
   * Adds transactions that were confirmed since the tip. Older ones are added when they are
   * finalised.
   */
  async catchUp(context: FetchContext): Promise<void> {
    const { rows } = await this.#listSignatures(context, 'confirmed');
    await this.#options.reconciler.addMissing(withPlaces(rows), context);
  }

  /** Runs one finalised check; resolves with true when the tip has reached the finalised chain. */
  async checkFinalised(context: FetchContext): Promise<boolean> {
    const { parts, reconciler, emptyTransactions } = this.#options;
    const { rpc, signal } = context;
    const params = [{ commitment: 'finalized' }];
    this.#finalSlot = await rpc.call('getSlot', params, parseSlot, { signal });
    const upTo = this.#finalSlot - FINALISED_MARGIN_SLOTS;
    const [listing] = await Promise.all([
      this.#listSignatures(context, 'finalized'),
      this.#readBlockTime(context),
    ]);
    const rows = listing.rows.filter(({ slot }) => slot <= upTo);
    const above = lowestSlot(listing, this.#options.progress.tip) - 1;
    const slots = { rows: withPlaces(rows), above, upTo, unread: listing.unread };
    const { isDone, added } = await reconciler.reconcileSlots(slots, context, (write) => {
      this.#writeMarks(rows, listing, write);
    });
    parts.counters.missed += added.filter(({ slot }) => slot > this.#notifiedFromSlot).length;
    parts.counters.settlePasses += 1;
    if (isDone) emptyTransactions.forgetUpTo(this.#options.progress.tip?.slot ?? 0);
    await this.#options.orphans.recheckSlots(context);
    return isDone;
  }

  /** Reads the block time; without one, the next check requests it again. */
  async #readBlockTime({ rpc, signal }: FetchContext): Promise<void> {
    const { parts, onBlockTime } = this.#options;
    try {
      const ts = await rpc.call('getBlockTime', [this.#finalSlot], parseBlockTime, { signal });
      if (ts === null) parts.counters.blockTimesUnknown += 1;
      else onBlockTime(ts);
    } catch (error) {
      if (signal.aborted || !isNodeFailure(error)) throw error;
      parts.counters.blockTimesUnknown += 1;
    }
  }

  #writeMarks(rows: readonly ListedSignature[], listing: Listing, write: WriteProgress): void {
    const { progress, firstGap } = this.#options;
    const [newest] = rows;
    const oldest = rows.at(-1);
    if (newest === undefined || oldest === undefined) return;
    const before = markOf(oldest);
    const { tip } = progress;
    const whole = { sinceTs: 0, left: Number.MAX_SAFE_INTEGER };
    const bounds = tip === null ? firstGap(newest.blockTime) : whole;
    const opened = listing.isComplete ? null : { before, until: tip, ...bounds };
    const bottomTs = this.#isBottom(listing) ? oldest.blockTime : null;
    progress.moveTip({ tip: markOf(newest), opened, sinceTs: bottomTs }, write);
    this.#trustedAbove = Math.min(this.#trustedAbove, newest.slot);
  }

  /** Returns whether neither the node nor the history has anything older. */
  #isBottom({ isComplete, hasOlder }: Listing): boolean {
    const { tip } = this.#options.progress;
    return isComplete && !hasOlder && (tip === null || this.#trustedAbove > tip.slot);
  }

  #listSignatures(context: FetchContext, commitment: ListingQuery['commitment']): Promise<Listing> {
    const { tip } = this.#options.progress;
    const { rpc, signal } = context;
    return listSignatures(rpc, {
      parts: this.#options.parts,
      commitment,
      before: null,
      until: tip,
      sinceTs: 0,
      signaturesMax: Number.MAX_SAFE_INTEGER,
      // On a new chain one page is read; the gap below it covers the rest.
      pagesMax: tip === null ? 1 : TIP_PAGES_MAX,
      others: context.others,
      signal,
    });
  }
}

/**
 * Returns the first slot of a list; slots below the oldest slot of an incomplete list belong to a
 * gap.
 */
function lowestSlot({ rows, isComplete }: Listing, tip: ListPosition | null): number {
  if (isComplete) return (tip?.slot ?? -1) + 1;
  return rows.at(-1)?.slot ?? Number.MAX_SAFE_INTEGER;
}
