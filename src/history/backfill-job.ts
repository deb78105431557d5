import { type ListPosition, markOf } from './ingest/listing.js';
import type { IngestStore } from './ingest/parts.js';
import { type Gap, type GapMove, isGap } from './ingest/progress.js';
import type { FetchContext } from './ingest/reconciler.js';
import { malformedError, parseFinalSlot, parseSignatures } from './ingest/rpc-results.js';
import { HistoryError } from './model/error.js';
import { PAGE_SIGNATURES } from './model/limits.js';
import type { HistoryStore } from './store/store.js';

/** One end of a range: unix seconds, or the signature of a transaction. */
export type JobEnd = { readonly ts: number } | { readonly signature: string };

/** A requested range; both ends as they were given identify a stopped job. */
export interface JobBounds {
  readonly from: JobEnd;
  /** Null for the newest finalised transaction. */
  readonly to: JobEnd | null;
}

/** The part of the store that holds a job's progress and limits its older end. */
type JobStore = Pick<IngestStore, 'readProgress' | 'writeBatch'> &
  Pick<HistoryStore, 'tradesSince'>;

/**
 * A requested back-fill: a gap whose progress has a mark of its own in the store. It first finds
 * the newer end of the range, because nodes list signatures from the newest down.
 */
export class BackfillJob {
  readonly #store: Pick<IngestStore, 'readProgress' | 'writeBatch'>;
  readonly #bounds: JobBounds;
  readonly #name: string;
  readonly #sinceTsMin: number;
  #gap: Gap | null;
  #isFound: boolean;
  #isEnded = false;
  /** Whether a row of the search had a block time. */
  #hasTimes = false;

  constructor(store: JobStore, bounds: JobBounds) {
    this.#store = store;
    this.#sinceTsMin = store.tradesSince ?? Number.NEGATIVE_INFINITY;
    this.#bounds = bounds;
    this.#name = `job ${JSON.stringify([bounds.from, bounds.to])}`;
    const kept = parsedJob(store.readProgress().get(this.#name));
    this.#gap = kept;
    this.#isFound = kept !== null;
  }

  /** The gap for the backfiller; empty until both ends are known. */
  get gaps(): readonly Gap[] {
    return this.#gap === null || !this.#isFound || this.#isEnded ? [] : [this.#gap];
  }

  /**
   * Runs one step of the search for the newer end; resolves with true once the end is found.
   *
   * # Errors
   * Rejects with a HistoryError when the older end is before the retention cutoff, because nothing
   * would be stored.
   */
  async findNewerEnd(context: FetchContext, programId: string): Promise<boolean> {
    const { from, to } = this.#bounds;
    this.#gap ??= { ...EMPTY, sinceTs: await this.#sinceTs({ context, programId, from }) };
    this.#refuseRetired(this.#gap);
    if (this.#isFound) return true;
    if (to === null) this.#isFound = true;
    else if ('signature' in to) await this.#beginAt(context, to.signature);
    else await this.#seekNewerEnd({ context, programId, ts: to.ts });
    return this.#isFound;
  }

  moveGap(
    _id: number,
    { rest }: GapMove,
    write: (marks: Readonly<Record<string, string | null>>) => void,
  ): void {
    const moved = rest === null || this.#gap === null ? null : { ...this.#gap, ...rest };
    write({ [this.#name]: moved === null ? null : JSON.stringify(moved) });
    this.#gap = moved ?? this.#gap;
    this.#isEnded = moved === null;
  }

  #refuseRetired({ sinceTs }: Gap): void {
    const min = this.#sinceTsMin;
    if (sinceTs >= min) return;
    const message = `--from was ${timeText(sinceTs)}, must be ${timeText(min)} or later: trades before that were deleted by --retain and are not stored again`;
    throw new HistoryError('OUT_OF_RANGE', message, { param: '--from' });
  }

  async #beginAt(context: FetchContext, signature: string): Promise<void> {
    this.#storeNewerEnd({ signature, slot: await slotOfTransaction(context, signature) });
  }

  /**
   * Returns the time from which the range begins; for a signature, the time of the next older
   * transaction. Times are whole seconds, so this includes the signature's own second; nodes list
   * times correctly.
   */
  async #sinceTs({ context, programId, from }: Beginning): Promise<number> {
    if ('ts' in from) return from.ts;
    const { rpc, signal } = context;
    const { signature } = from;
    await slotOfTransaction(context, signature);
    // Several, because one row may be unreadable.
    const params = [programId, { commitment: 'finalized', before: signature, limit: 10 }];
    const { rows } = await rpc.call('getSignaturesForAddress', params, parseSignatures, { signal });
    return rows.find(({ blockTime }) => blockTime !== null)?.blockTime ?? 0;
  }

  /** Skips one page of the list, without reading transactions. */
  async #seekNewerEnd({ context, programId, ts }: Seeking): Promise<void> {
    const { rpc, signal } = context;
    const before = this.#gap?.before?.signature;
    const config = {
      commitment: 'finalized',
      limit: PAGE_SIGNATURES,
      ...(before === undefined ? {} : { before }),
    };
    const params = [programId, config];
    const { rows, unreadable } = await rpc.call(
      'getSignaturesForAddress',
      params,
      parseSignatures,
      { signal },
    );
    if (rows.length === 0 && unreadable.length >= PAGE_SIGNATURES)
      throw malformedError('getSignaturesForAddress', 'readable');
    const within = rows.findIndex(({ blockTime }) => blockTime !== null && blockTime <= ts);
    // A row without a time may be of the range, which is then read from a newer row.
    const oldest =
      within === -1
        ? rows.at(-1)
        : rows.slice(0, within).findLast(({ blockTime }) => blockTime !== null);
    const mark = oldest === undefined ? (this.#gap?.before ?? null) : markOf(oldest);
    const isLast = oldest === undefined || oldest.signature === before;
    this.#hasTimes ||= rows.some(({ blockTime }) => blockTime !== null);
    if (isLast && !this.#hasTimes && mark !== null)
      throw malformedError('getSignaturesForAddress', 'rows with block times');
    if (within !== -1 || isLast) this.#storeNewerEnd(mark);
    else if (this.#gap !== null) this.#gap = { ...this.#gap, before: mark };
  }

  #storeNewerEnd(before: ListPosition | null): void {
    if (this.#gap === null) return;
    this.#gap = { ...this.#gap, before };
    this.#isFound = true;
    const progress = { [this.#name]: JSON.stringify(this.#gap) };
    this.#store.writeBatch({ transactions: [], progress });
  }
}

interface Seeking {
  readonly context: FetchContext;
  readonly programId: string;
  readonly ts: number;
}

interface Beginning {
  readonly context: FetchContext;
  readonly programId: string;
  readonly from: JobEnd;
}

const EMPTY: Omit<Gap, 'sinceTs'> = {
  id: 0,
  before: null,
  until: null,
  left: Number.MAX_SAFE_INTEGER,
};

/**
 * Returns the slot of a finalised transaction, even when the node does not have the transaction
 * itself.
 */
async function slotOfTransaction(
  { rpc, signal }: FetchContext,
  signature: string,
): Promise<number> {
  const params = [[signature], { searchTransactionHistory: true }];
  const slot = await rpc.call('getSignatureStatuses', params, parseFinalSlot, { signal });
  if (slot !== null) return slot;
  const message = `the node does not know the transaction ${signature}`;
  throw new HistoryError('INVALID_PARAM', message, { param: signature });
}

function timeText(ts: number): string {
  return new Date(ts * 1_000).toISOString();
}

function parsedJob(text: string | undefined): Gap | null {
  if (text === undefined) return null;
  const value: unknown = JSON.parse(text);
  return isGap(value) ? value : null;
}
