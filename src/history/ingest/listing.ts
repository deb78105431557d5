/** Lists the program's signatures from a node: newest first, in pages. */
import { subjectOf } from '../../rpc/error.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { HistoryError } from '../model/error.js';
import { PAGE_SIGNATURES, SLOT_PAGES_MAX, UNPROVEN_MAX } from '../model/limits.js';
import type { IngestParts } from './parts.js';
import {
  isNodeFailure,
  type ListedSignature,
  malformedError,
  type PlacedSignature,
  parseSignatures,
  type SignaturePage,
} from './rpc-results.js';

/** A signature and its slot. */
export interface ListPosition {
  readonly signature: string;
  readonly slot: number;
}

/** The position of a row. */
export function markOf({ signature, slot }: ListPosition): ListPosition {
  return { signature, slot };
}

/** The program to list, and the known unreadable rows. */
export type ListingParts = Pick<IngestParts, 'programId' | 'unreadable' | 'counters' | 'log'>;

/** The range to list. */
export interface ListingQuery {
  readonly parts: ListingParts;
  readonly commitment: 'confirmed' | 'finalized';
  /** The signature before which the list begins, exclusive; null for the newest. */
  readonly before: string | null;
  /** The older end of the list, exclusive; null for the beginning of the chain. */
  readonly until: ListPosition | { readonly signature: null; readonly slot: number } | null;
  /** The time of the oldest signatures to list, unix seconds; 0 for all. */
  readonly sinceTs: number;
  /** Maximum number of signatures; a few more may be returned to complete a slot. */
  readonly signaturesMax: number;
  readonly pagesMax: number;
  /** Other nodes, for a page that the node refuses. */
  readonly others: readonly NodeRpc[];
  readonly signal: AbortSignal;
}

/** A list of whole slots. */
export interface Listing {
  /** Newest first. */
  readonly rows: readonly ListedSignature[];
  /** Whether the list reaches its older end. */
  readonly isComplete: boolean;
  /** Whether the node has older signatures, which means that the list has no holes at its end. */
  readonly hasOlder: boolean;
  /** Number of unreadable rows that a later listing may return correctly. */
  readonly unread: number;
}

/** A page, the node that gave it, and whether that is the node in use and has given a longer one. */
type ListedPage = SignaturePage & { readonly giver: NodeRpc; readonly isShorter: boolean };

/** The rows of the longest page of each node. */
const longestPages = new WeakMap<NodeRpc, number>();

/**
 * Reads pages until the end or `pagesMax`. A node may have shorter pages than requested, so the end
 * is a page that is shorter than another one of the node, or has no other signatures. A slot that
 * exceeds the last page is left out, because places are counted from its oldest signature; a slot
 * longer than all pages is read whole.
 */
export async function listSignatures(rpc: NodeRpc, query: ListingQuery): Promise<Listing> {
  const rows: ListedSignature[] = [];
  const listed = new Set([query.before]);
  let unread = 0;
  let giver = rpc;
  for (let page = 1; ; page += 1) {
    const before = rows.at(-1)?.signature ?? query.before;
    const given = await readPage(rpc, query, { before, giver });
    const { rows: all, unreadable, isShorter } = given;
    giver = given.giver;
    const found = all.filter(({ signature }) => listed.size < listed.add(signature).size);
    if (found.length === 0 && all.length > 1) throw endlessListError('the same page twice');
    unread += countUnread(query.parts, { rows: found, unreadable });
    // The list ends at its last row in range, because a node may report a wrong block time for
    // other rows.
    const wanted = found.slice(0, found.findLastIndex((row) => isWanted(row, query)) + 1);
    rows.push(...wanted);
    const hasOlder = wanted.length < found.length;
    const isShort = all.length + unreadable.length < pageSize(query);
    const isLast = isShort && (found.length === 0 || isShorter);
    if (hasOlder || isLast) return { rows, isComplete: true, hasOlder, unread };
    if (page < query.pagesMax || (isShort && page < SLOT_PAGES_MAX)) continue;
    const whole = withoutOldestSlot(rows);
    if (whole.length > 0) return { rows: whole, isComplete: false, hasOlder: true, unread };
    if (page >= SLOT_PAGES_MAX) throw endlessListError(`${page} pages of one slot`);
  }
}

/**
 * Returns the number of unreadable rows of a page that may still be read; rows that stay unreadable
 * are skipped, counted and logged.
 *
 * # Errors
 * Throws a HistoryError when several rows are unreadable and no known row is readable.
 */
function countUnread(parts: ListingParts, page: SignaturePage): number {
  const isProven = page.rows.length > 0;
  const rows = new Set(page.unreadable);
  let unread = 0;
  for (const row of rows) {
    if (parts.unreadable.isGivenUp(row)) continue;
    const verdict = parts.unreadable.judge(row, { isProven });
    if (verdict === 'givenUp') {
      parts.counters.unavailable += 1;
      parts.log.warn({ row }, 'a row of the list of signatures cannot be read');
      continue;
    }
    const isNonsense = verdict === 'doubtful' && rows.size > UNPROVEN_MAX;
    if (isNonsense || verdict === 'blocked')
      throw malformedError('a signature', `a row, not ${row}`);
    unread += 1;
  }
  return unread;
}

/**
 * Reads a page; where the node refuses it or has unreadable rows, another node is asked for it. Its
 * page counts when it has rows, all of them readable, and all that the node has; an empty page
 * counts where the node refuses, and the other one gave the page before.
 *
 * # Errors
 * Those of the node, when no other node has the page.
 */
async function readPage(
  rpc: NodeRpc,
  query: ListingQuery,
  { before, giver }: { readonly before: string | null; readonly giver: NodeRpc },
): Promise<ListedPage> {
  const own = await readPageFrom(rpc, query, before).catch((error: unknown) => {
    if (query.signal.aborted || !isNodeFailure(error) || subjectOf(error) === 'node') throw error;
    return error;
  });
  if (!(own instanceof Error) && own.unreadable.length === 0) return own;
  for (const other of query.others) {
    const page = await readPageFrom(other, query, before).catch(() => null);
    if (page === null || page.unreadable.length > 0) continue;
    const mayBeEmpty = own instanceof Error && other === giver;
    if (page.rows.length === 0 && !mayBeEmpty) continue;
    const found = new Set(page.rows.map(({ signature }) => signature));
    const isWhole = own instanceof Error || own.rows.every(({ signature }) => found.has(signature));
    // The node in use may have more.
    if (isWhole) return { ...page, isShorter: false };
  }
  if (own instanceof Error) throw own;
  return own;
}

async function readPageFrom(
  rpc: NodeRpc,
  query: ListingQuery,
  before: string | null,
): Promise<ListedPage> {
  const { commitment, until, signal, parts } = query;
  const config = {
    commitment,
    limit: pageSize(query),
    ...(before === null ? {} : { before }),
    ...(until === null || until.signature === null ? {} : { until: until.signature }),
  };
  const params = [parts.programId, config];
  const page = await rpc.call('getSignaturesForAddress', params, parseSignatures, { signal });
  const length = page.rows.length + page.unreadable.length;
  const longest = longestPages.get(rpc) ?? 0;
  longestPages.set(rpc, Math.max(longest, length));
  return { ...page, giver: rpc, isShorter: length < longest };
}

function pageSize({ signaturesMax }: ListingQuery): number {
  return Math.min(PAGE_SIGNATURES, signaturesMax);
}

/**
 * A node that does not know `until` lists beyond it, so the slot of `until` ends the list as well.
 */
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

/** Numbers the signatures of each slot, oldest first. The rows are whole slots, newest first. */
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
