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
  const bodies = new BatchBody(book);
  return (request) => {
    requireFirstBook(readiness());
    const batch = memo.get(request.query);
    const tag = tagOf(batch, book);
    const unchanged = notModified(request, tag);
    if (unchanged !== undefined) return unchanged;
    const body = bodies.of(batch.parts);
    return deliver(request, tag, { body, gzips, key: () => batch.key, identity: tag.etag });
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

/** The first size of the joined body: 50 books of the default depth fit. */
const JOINED_BYTES_START = 256 << 10;

/**
 * Puts a batch together in one buffer, which grows to the largest batch there was: 50 books of 1,000
 * levels are 8 MB, and allocating them anew each time would take longer than copying them.
 */
class BatchBody {
  private buffer = Buffer.allocUnsafeSlow(JOINED_BYTES_START);
  private length = 0;

  constructor(private readonly book: BookSource) {}

  /** Valid until the next call, as the bodies of the book are. */
  of(parts: readonly Part[]): Uint8Array {
    this.length = 0;
    this.append(open);
    for (const [index, part] of parts.entries()) {
      if (index > 0) this.append(comma);
      this.append(part instanceof Uint8Array ? part : this.book.l2(part));
    }
    this.append(close);
    return this.buffer.subarray(0, this.length);
  }

  private append(bytes: Uint8Array): void {
    const needed = this.length + bytes.length;
    if (needed > this.buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.buffer.length * 2));
      this.buffer.copy(grown, 0, 0, this.length);
      this.buffer = grown;
    }
    this.buffer.set(bytes, this.length);
    this.length = needed;
  }
}

/** 128 bits: two batches of one digest are not met by chance, nor found in the life of a tag. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
