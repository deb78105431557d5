/** Lists of the program's signatures, as a node gives them: newest first, in pages. */
import type { NodeRpc } from '../../rpc/node-pool.js';
import { HistoryError } from '../model/error.js';
import { PAGE_SIGNATURES, SLOT_PAGES_MAX } from '../model/limits.js';
import { type ListedSignature, parseSignatures } from './rpc-results.js';

/** A signature and its slot. */
export interface ListPosition {
  readonly signature: string;
  readonly slot: number;
}

/** What is listed. */
export interface ListingQuery {
  readonly programId: string;
  readonly commitment: 'confirmed' | 'finalized';
  /** Only signatures older than this one; null for all. */
  readonly before: string | null;
  /** Where the list ends, itself not in it; null for the beginning of the chain. */
  readonly until: ListPosition | { readonly signature: null; readonly slot: number } | null;
  /** Only of this time or later, unix seconds; 0 for all. */
  readonly sinceTs: number;
  /** Signatures at most; somewhat more may be returned, so that slots are whole. */
  readonly signaturesMax: number;
  readonly pagesMax: number;
  readonly signal: AbortSignal;
}

/** A list of whole slots. */
export interface Listing {
  /** Newest first. */
  readonly rows: readonly ListedSignature[];
  /** Whether it goes down to where it should end; else there is more below. */
  readonly isComplete: boolean;
  /** Whether the node has older ones: then it lacks none of those that should be listed. */
  readonly hasOlder: boolean;
}

/** A transaction with its place among the program's transactions of its slot. */
export interface PlacedSignature extends ListedSignature {
  readonly place: number;
}

/**
 * Reads pages until the end or `pagesMax`. A slot that goes over the last page is left out, because
 * places are counted from its oldest signature; one that is longer than all pages is read whole.
 */
export async function listSignatures(rpc: NodeRpc, query: ListingQuery): Promise<Listing> {
  const rows: ListedSignature[] = [];
  for (let page = 1; ; page += 1) {
    const before = rows.at(-1)?.signature ?? query.before;
    const found = await readPage(rpc, query, before);
    if (found.some(({ signature }) => signature === before))
      throw endlessListError('the same page twice');
    // By the last one, because a node may be wrong about the time of a block among others.
    const wanted = found.slice(0, found.findLastIndex((row) => isWanted(row, query)) + 1);
    rows.push(...wanted);
    const hasOlder = wanted.length < found.length;
    if (hasOlder || found.length < pageSize(query)) return { rows, isComplete: true, hasOlder };
    if (page < query.pagesMax) continue;
    const whole = withoutOldestSlot(rows);
    if (whole.length > 0) return { rows: whole, isComplete: false, hasOlder: true };
    if (page >= SLOT_PAGES_MAX) throw endlessListError(`${page} pages of one slot`);
  }
}

function readPage(
  rpc: NodeRpc,
  query: ListingQuery,
  before: string | null,
): Promise<readonly ListedSignature[]> {
  const { programId, commitment, until, signal } = query;
  const config = {
    commitment,
    limit: pageSize(query),
    ...(before === null ? {} : { before }),
    ...(until === null || until.signature === null ? {} : { until: until.signature }),
  };
  return rpc.call('getSignaturesForAddress', [programId, config], parseSignatures, { signal });
}

function pageSize({ signaturesMax }: ListingQuery): number {
  return Math.min(PAGE_SIGNATURES, signaturesMax);
}

/** A node that does not know `until` lists beyond it, so its slot ends the list as well. */
function isWanted({ slot, blockTime }: ListedSignature, { until, sinceTs }: ListingQuery): boolean {
  if (until !== null && slot <= until.slot) return false;
  return blockTime === null || blockTime >= sinceTs;
}

function endlessListError(what: string): HistoryError {
  const message = `the list of signatures had ${what}, must go on to older ones`;
  return new HistoryError('MALFORMED_HISTORY_ANSWER', message, { what });
}

function withoutOldestSlot(rows: readonly ListedSignature[]): readonly ListedSignature[] {
  const oldest = rows.at(-1)?.slot;
  return rows.filter(({ slot }) => slot !== oldest);
}

/** Numbers the signatures of each slot from its oldest on. The rows are whole slots, newest first. */
export function withPlaces(rows: readonly ListedSignature[]): readonly PlacedSignature[] {
  const placed: PlacedSignature[] = [];
  let slot = -1;
  let place = 0;
  for (const row of rows.toReversed()) {
    if (row.slot !== slot) place = 0;
    slot = row.slot;
    placed.push({ ...row, place });
    place += 1;
  }
  return placed;
}
