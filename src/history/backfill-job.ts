import type { Mark } from './ingest/listing.js';
import type { IngestStore } from './ingest/parts.js';
import { isSpan, type Span, type SpanMove } from './ingest/progress.js';
import type { Reading } from './ingest/reconciler.js';
import { parseSignatures, parseTransaction } from './ingest/rpc-results.js';
import { HistoryError } from './model/error.js';
import { PAGE_SIGNATURES } from './model/limits.js';
import type { HistoryStore } from './store/store.js';

/** One end of what is to be read: unix seconds, or the signature of a transaction. */
export type JobEnd = { readonly ts: number } | { readonly signature: string };

/** What is to be read, both ends as they were given: by them a stopped job is known again. */
export interface JobBounds {
  readonly from: JobEnd;
  /** Null for the newest finalised transaction. */
  readonly to: JobEnd | null;
}

/** Where a job keeps its mark, and what it may not go behind. */
export type JobStore = Pick<IngestStore, 'progress' | 'write'> & Pick<HistoryStore, 'tradesSince'>;

/**
 * A back-fill that was asked for: a span with a mark of its own in the store. Its newer end is looked
 * for before the first page is read, because nodes list from the newest transaction down.
 */
export class Job {
  readonly #store: Pick<IngestStore, 'progress' | 'write'>;
  readonly #bounds: JobBounds;
  readonly #name: string;
  readonly #sinceTsMin: number;
  #span: Span | null;
  /** Whether the newer end is found. */
  #isFound: boolean;
  #isEnded = false;

  constructor(store: JobStore, bounds: JobBounds) {
    this.#store = store;
    this.#sinceTsMin = store.tradesSince ?? Number.NEGATIVE_INFINITY;
    this.#bounds = bounds;
    this.#name = `job ${JSON.stringify([bounds.from, bounds.to])}`;
    const kept = parsedJob(store.progress().get(this.#name));
    this.#span = kept;
    this.#isFound = kept !== null;
  }

  /** The span, for the filler; none before its ends are found. */
  get spans(): readonly Span[] {
    return this.#span === null || !this.#isFound || this.#isEnded ? [] : [this.#span];
  }

  /**
   * One step towards the newer end; true when it is found.
   *
   * # Errors
   * HistoryError when its older end is before what retention has deleted: none of it would be kept.
   */
  async begin(reading: Reading, programId: string): Promise<boolean> {
    const { from, to } = this.#bounds;
    this.#span ??= { ...EMPTY, sinceTs: await this.#sinceTs({ reading, programId, from }) };
    this.#refuseRetired(this.#span);
    if (this.#isFound) return true;
    if (to === null) this.#isFound = true;
    else if ('signature' in to) await this.#beginAt(reading, to.signature);
    else await this.#seek({ reading, programId, ts: to.ts });
    return this.#isFound;
  }

  moveSpan(
    _id: number,
    { rest }: SpanMove,
    write: (marks: Readonly<Record<string, string | null>>) => void,
  ): void {
    const moved = rest === null || this.#span === null ? null : { ...this.#span, ...rest };
    write({ [this.#name]: moved === null ? null : JSON.stringify(moved) });
    this.#span = moved ?? this.#span;
    this.#isEnded = moved === null;
  }

  #refuseRetired({ sinceTs }: Span): void {
    const min = this.#sinceTsMin;
    if (sinceTs >= min) return;
    const message = `--from was ${timeText(sinceTs)}, must be ${timeText(min)} or later: trades before that were deleted by --retention-days and are not stored again`;
    throw new HistoryError('OUT_OF_RANGE', message, { param: '--from' });
  }

  async #beginAt(reading: Reading, signature: string): Promise<void> {
    this.#found({ signature, slot: await slotOfTransaction(reading, signature) });
  }

  /**
   * Of a signature it is the time of the next older one: lists have the right time everywhere, and
   * with whole seconds nothing of the signature's own second is left out.
   */
  async #sinceTs({ reading, programId, from }: Beginning): Promise<number> {
    if ('ts' in from) return from.ts;
    const { rpc, signal } = reading;
    const { signature } = from;
    await slotOfTransaction(reading, signature);
    const params = [programId, { commitment: 'finalized', before: signature, limit: 1 }];
    const rows = await rpc.call('getSignaturesForAddress', params, parseSignatures, { signal });
    return rows[0]?.blockTime ?? 0;
  }

  /** One page down the list, without reading transactions. */
  async #seek({ reading, programId, ts }: Seeking): Promise<void> {
    const { rpc, signal } = reading;
    const before = this.#span?.before?.signature;
    const config = {
      commitment: 'finalized',
      limit: PAGE_SIGNATURES,
      ...(before === undefined ? {} : { before }),
    };
    const params = [programId, config];
    const rows = await rpc.call('getSignaturesForAddress', params, parseSignatures, { signal });
    const newer = rows.filter(({ blockTime }) => blockTime === null || blockTime > ts);
    const oldest = newer.at(-1);
    const mark = oldest === undefined ? (this.#span?.before ?? null) : markOf(oldest);
    if (newer.length < rows.length || rows.length < PAGE_SIGNATURES) this.#found(mark);
    else if (this.#span !== null) this.#span = { ...this.#span, before: mark };
  }

  #found(before: Mark | null): void {
    if (this.#span === null) return;
    this.#span = { ...this.#span, before };
    this.#isFound = true;
    const progress = { [this.#name]: JSON.stringify(this.#span) };
    this.#store.write({ transactions: [], progress });
  }
}

interface Seeking {
  readonly reading: Reading;
  readonly programId: string;
  readonly ts: number;
}

interface Beginning {
  readonly reading: Reading;
  readonly programId: string;
  readonly from: JobEnd;
}

const EMPTY: Omit<Span, 'sinceTs'> = {
  id: 0,
  before: null,
  until: null,
  left: Number.MAX_SAFE_INTEGER,
};

function markOf({ signature, slot }: Mark): Mark {
  return { signature, slot };
}

/** The slot of a transaction. */
async function slotOfTransaction({ rpc, signal }: Reading, signature: string): Promise<number> {
  const config = { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 0 };
  const found = await rpc.call('getTransaction', [signature, config], parseTransaction, { signal });
  if (found !== null) return found.slot;
  const message = `the node does not know the transaction ${signature}`;
  throw new HistoryError('INVALID_PARAM', message, { param: signature });
}

function timeText(ts: number): string {
  return new Date(ts * 1_000).toISOString();
}

function parsedJob(text: string | undefined): Span | null {
  if (text === undefined) return null;
  const value: unknown = JSON.parse(text);
  return isSpan(value) ? value : null;
}
