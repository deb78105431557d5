import { EDGE_PAGES_MAX, SETTLE_MARGIN_SLOTS } from '../model/limits.js';
import { type Listing, type ListingQuery, list, type Mark, withPlaces } from './listing.js';
import type { Strays } from './orphans.js';
import type { IngestParts } from './parts.js';
import type { Progress, Span, WriteProgress } from './progress.js';
import type { Reading, Reconciler } from './reconciler.js';
import { type ListedSignature, parseKnown, parseSlot } from './rpc-results.js';
import type { Seen } from './store-records.js';

/** What the edge works with. */
export interface EdgeOptions {
  readonly parts: IngestParts;
  readonly progress: Progress;
  readonly reconciler: Reconciler;
  readonly strays: Strays;
  readonly seen: Seen;
  /** How deep an empty store is filled: so many signatures, and none older than this. */
  readonly firstSpan: () => Pick<Span, 'sinceTs' | 'left'>;
}

/**
 * The live edge of the history: from the newest signature down to where all is finalised and stored.
 * What is too much to be held at once is left to a span.
 */
export class Edge {
  readonly #options: EdgeOptions;
  /** Transactions above it are told by the socket; one that only a listing has was missed. */
  #toldFromSlot = Number.MAX_SAFE_INTEGER;
  #finalSlot = 0;
  #trustedAbove = Number.MAX_SAFE_INTEGER;

  constructor(options: EdgeOptions) {
    this.#options = options;
  }

  /** The newest finalised slot that a node told of. */
  get finalSlot(): number {
    return this.#finalSlot;
  }

  /** Notifications come from about this slot on. */
  toldFrom(slot: number): void {
    this.#toldFromSlot = slot;
  }

  /** The node has all slots above this one: it knows the edge, or it has listed one itself. */
  get trustedAbove(): number {
    return this.#trustedAbove;
  }

  /** Asks whether the node knows the signature at the edge; true while there is none. */
  async isKnownTo({ rpc, signal }: Pick<Reading, 'rpc' | 'signal'>): Promise<boolean> {
    const isKnown = await this.#isKnownTo({ rpc, signal });
    if (isKnown) this.#trustedAbove = -1;
    return isKnown;
  }

  async #isKnownTo({ rpc, signal }: Pick<Reading, 'rpc' | 'signal'>): Promise<boolean> {
    const { edge } = this.#options.progress;
    if (edge === null) return true;
    const params = [[edge.signature], { searchTransactionHistory: true }];
    const [known] = await rpc.call('getSignatureStatuses', params, parseKnown, { signal });
    return known === true;
  }

  /** Adds what was confirmed since the edge. What lies too deep comes when it is finalised. */
  async catchUp(reading: Reading): Promise<void> {
    const { rows } = await this.#list(reading, 'confirmed');
    await this.#options.reconciler.add(withPlaces(rows), reading);
  }

  /** One finalised check; true when the edge is where the finalised chain is. */
  async settle(reading: Reading): Promise<boolean> {
    const { parts, reconciler, seen } = this.#options;
    const { rpc, signal } = reading;
    const params = [{ commitment: 'finalized' }];
    this.#finalSlot = await rpc.call('getSlot', params, parseSlot, { signal });
    const upTo = this.#finalSlot - SETTLE_MARGIN_SLOTS;
    const listing = await this.#list(reading, 'finalized');
    const rows = listing.rows.filter(({ slot }) => slot <= upTo);
    const above = lowestSlot(listing, this.#options.progress.edge) - 1;
    const slots = { rows: withPlaces(rows), above, upTo };
    const { isDone, added } = await reconciler.settle(slots, reading, (write) => {
      this.#mark(rows, listing, write);
    });
    parts.counters.missed += added.filter(({ slot }) => slot > this.#toldFromSlot).length;
    parts.counters.settlePasses += 1;
    if (isDone) seen.forgetUpTo(this.#options.progress.edge?.slot ?? 0);
    await this.#options.strays.look(reading);
    return isDone;
  }

  #mark(rows: readonly ListedSignature[], listing: Listing, write: WriteProgress): void {
    const { progress, firstSpan } = this.#options;
    const [newest] = rows;
    const oldest = rows.at(-1);
    if (newest === undefined || oldest === undefined) return;
    const before = markOf(oldest);
    const { edge } = progress;
    const bounds = edge === null ? firstSpan() : { sinceTs: 0, left: Number.MAX_SAFE_INTEGER };
    const opened = listing.isComplete ? null : { before, until: edge, ...bounds };
    const sinceTs = this.#isBottom(listing) ? oldest.blockTime : null;
    progress.moveEdge({ edge: markOf(newest), opened, sinceTs }, write);
    this.#trustedAbove = Math.min(this.#trustedAbove, newest.slot);
  }

  /** Whether the node has nothing older, where the history does not go on either. */
  #isBottom({ isComplete, hasOlder }: Listing): boolean {
    const { edge } = this.#options.progress;
    return isComplete && !hasOlder && (edge === null || this.#trustedAbove > edge.slot);
  }

  #list(reading: Reading, commitment: ListingQuery['commitment']): Promise<Listing> {
    const { edge } = this.#options.progress;
    const { rpc, signal } = reading;
    return list(rpc, {
      programId: this.#options.parts.programId,
      commitment,
      before: null,
      until: edge,
      sinceTs: 0,
      signaturesMax: Number.MAX_SAFE_INTEGER,
      // The first look at a chain is one page; its span says how much is wanted.
      pagesMax: edge === null ? 1 : EDGE_PAGES_MAX,
      signal,
    });
  }
}

/** Of an incomplete list the slots below its oldest are a span's. */
function lowestSlot({ rows, isComplete }: Listing, edge: Mark | null): number {
  if (isComplete) return (edge?.slot ?? -1) + 1;
  return rows.at(-1)?.slot ?? Number.MAX_SAFE_INTEGER;
}

function markOf({ signature, slot }: ListedSignature): Mark {
  return { signature, slot };
}
