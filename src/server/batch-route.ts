/**
 * /batchL2: many books in one answer, put together from the finished bytes of each.
 *
 * An entry that cannot be answered is an error object in its place; the others do not fail with it.
 * No body is kept here: the core has those of each market.
 */
import { createHash } from 'node:crypto';
import { type BookRoute, type BookRouteOptions, requireFirstBook } from './book-routes.js';
import type { BookSource, L2Request, MarketVersion } from './book-source.js';
import { ServerError } from './errors.js';
import { GzipCache } from './gzip.js';
import { type BatchEntry, parseBatchL2 } from './params.js';
import { deliver, notModified, QueryMemo, type Tagged, tagged } from './versioned.js';

/** The books of a list of /l2 queries. */
export function batchL2Route({ book, readiness }: BookRouteOptions): BookRoute {
  const memo = new QueryMemo(book, (raw) => newBatch(parseBatchL2(raw, book)));
  const gzips = new GzipCache();
  return (request) => {
    requireFirstBook(readiness());
    const batch = memo.get(request.query);
    const tag = tagOf(batch, book);
    const unchanged = notModified(request, tag);
    if (unchanged !== undefined) return unchanged;
    const body = joined(batch.parts, book);
    return deliver(request, tag, { body, gzips, key: () => batch.key });
  };
}

/** A request, or the bytes of the error that stands in its place. */
type Part = L2Request | Uint8Array;

interface Batch {
  readonly parts: readonly Part[];
  readonly requests: readonly L2Request[];
  /** A digest of what was asked for, since the list itself may have kilobytes. */
  readonly key: string;
}

function newBatch(entries: readonly BatchEntry[]): Batch {
  const parts = entries.map((entry) =>
    entry instanceof ServerError ? Buffer.from(entry.body()) : entry,
  );
  const requests = parts.filter((part): part is L2Request => !(part instanceof Uint8Array));
  const named = parts.map((part) => (part instanceof Uint8Array ? part.toString() : part));
  return { parts, requests, key: digest(JSON.stringify(named)) };
}

/** The tag covers the version of every part; slot and state are those of the part furthest behind. */
function tagOf({ requests, key }: Batch, book: BookSource): Tagged {
  const versions = requests.map(({ market }) => book.version(market));
  const text = versions.map(({ seq, slot, state }) => `${seq}.${slot}.${state}`).join();
  return tagged(`"${book.epoch}.${digest(`${key} ${text}`)}"`, furthestBehind(versions));
}

/** From the freshest to the one that says the least about now. */
const states = ['live', 'lagging', 'stale', 'rebuilding'];

function furthestBehind(
  versions: readonly MarketVersion[],
): Pick<MarketVersion, 'slot' | 'state'> | undefined {
  const [first, ...others] = versions;
  if (first === undefined) return undefined;
  let { slot, state } = first;
  for (const other of others) {
    slot = Math.min(slot, other.slot);
    if (states.indexOf(other.state) > states.indexOf(state)) state = other.state;
  }
  return { slot, state };
}

const open = Buffer.from('{"l2s":[');
const comma = Buffer.from(',');
const close = Buffer.from(']}');

/** Each body is copied, because the next one takes its place. */
function joined(parts: readonly Part[], book: BookSource): Uint8Array {
  const pieces: Uint8Array[] = [open];
  for (const part of parts) {
    if (pieces.length > 1) pieces.push(comma);
    pieces.push(part instanceof Uint8Array ? part : Buffer.from(book.l2(part)));
  }
  pieces.push(close);
  return Buffer.concat(pieces);
}

/** 128 bits: two batches of one digest are not met by chance, nor found in the life of a tag. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
