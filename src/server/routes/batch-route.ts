/**
 * /batchL2: many books in one body, joined from the finished bytes of each.
 *
 * An entry that fails is an error object in its place; the others do not fail with it. No body is
 * cached here but the last: the core caches those of each market.
 */
import { createHash } from 'node:crypto';
import type { L2Request } from '../../contract/book-requests.js';
import type { BookSource, MarketVersion } from '../../contract/book-source.js';
import { lessFresh } from '../../contract/feed-status.js';
import { type BatchEntry, type L2Params, parseBatchL2 } from '../api/book-params.js';
import { ServerError } from '../transport/errors.js';
import type { Reply } from '../transport/reply.js';
import {
  type BookRoute,
  type BookRouteOptions,
  requireFirstBook,
  withPrefixDefaults,
} from './book-routes.js';
import {
  bodyReply,
  GzipCache,
  gzipBodyReply,
  newVersionTag,
  notModifiedReply,
  QueryMemo,
  requestAcceptsGzip,
  type VersionTag,
} from './versioned-reply.js';

/** The books of a list of /l2 queries. */
export function batchL2Route(options: BookRouteOptions): BookRoute {
  return withPrefixDefaults(options, (schema) => batchRouteOf(options, schema));
}

function batchRouteOf(options: BookRouteOptions, schema: L2Params): BookRoute {
  const { book, directory, readiness, budget } = options;
  const memo = new QueryMemo(directory, (raw) => newBatch(parseBatchL2(raw, directory, schema)));
  const gzips = new GzipCache();
  const tagNow = (batch: Batch): VersionTag => {
    const versions = batch.requests.map(({ market }) => book.version(market));
    return tagOf(batch, book.epoch, versions);
  };
  let last: Joined | undefined;
  /** The last batch is cached, so that equal requests share one copy of its bytes. */
  function* join(batch: Batch): Generator<undefined, Joined> {
    if (last?.tag.etag === tagNow(batch).etag) return last;
    last = yield* joinParts(batch, book);
    return last;
  }
  return (request) => {
    requireFirstBook(readiness());
    const batch = memo.parseQuery(request.query);
    const { key } = batch;
    const now = tagNow(batch);
    const unchanged = notModifiedReply(request, now);
    if (unchanged !== undefined) return unchanged;
    const isZipped = requestAcceptsGzip(request);
    const zipped = isZipped ? gzips.findBody({ key, version: now.etag }) : undefined;
    if (zipped !== undefined) return gzipBodyReply(now.headers, zipped);
    const replyWith = ({ body, tag }: Joined): Reply | Promise<Reply> =>
      bodyReply(tag, { body, identity: body, isZipped, gzips, key });
    const joined = budget.runSteps(join(batch), () => request.isGone);
    return joined instanceof Promise ? joined.then(replyWith) : replyWith(joined);
  };
}

/** A request, or the bytes of the error that stands in its place. */
type BatchPart = L2Request | Uint8Array;

interface Batch {
  readonly parts: readonly BatchPart[];
  readonly requests: readonly L2Request[];
  /** A hash of the request, since the list itself may have kilobytes. */
  readonly key: string;
}

function newBatch(entries: readonly BatchEntry[]): Batch {
  const parts = entries.map((entry) =>
    entry instanceof ServerError ? Buffer.from(entry.toBody()) : entry,
  );
  const requests = parts.filter((part): part is L2Request => !(part instanceof Uint8Array));
  const named = parts.map((part) => (part instanceof Uint8Array ? part.toString() : part));
  return { parts, requests, key: hashText(JSON.stringify(named)) };
}

/** The tag covers the version of every part; slot and state are those of the least fresh part. */
function tagOf({ key }: Batch, epoch: string, versions: readonly MarketVersion[]): VersionTag {
  const text = versions.map(({ seq, slot, state }) => `${seq}.${slot}.${state}`).join();
  return newVersionTag(`"${epoch}.${hashText(`${key} ${text}`)}"`, furthestBehind(versions));
}

/** The first size of a body: some 60 books of the default depth fit. */
const JOINED_BYTES_START = 128 << 10;

/** The slot and the state of the least fresh of some markets; undefined without any. */
export function furthestBehind(
  versions: readonly MarketVersion[],
): Pick<MarketVersion, 'slot' | 'state'> | undefined {
  const [first, ...others] = versions;
  if (first === undefined) return undefined;
  let { slot, state } = first;
  for (const other of others) {
    slot = Math.min(slot, other.slot);
    state = lessFresh(state, other.state);
  }
  return { slot, state };
}

const open = Buffer.from('{"l2s":[');
const comma = Buffer.from(',');
const close = Buffer.from(']}');

/** A body and its tag. */
interface Joined {
  readonly body: Uint8Array;
  readonly tag: VersionTag;
}

/**
 * Joins a batch, one book in each step. Between two steps the books may change: each part names its
 * own version, and the tag is made of all of them.
 */
function* joinParts(batch: Batch, book: BookSource): Generator<undefined, Joined> {
  const { parts } = batch;
  const { epoch } = book;
  const joined = new BatchBody(parts.length);
  const versions: MarketVersion[] = [];
  for (const part of parts) {
    if (part instanceof Uint8Array) {
      joined.addPart(part);
      continue;
    }
    versions.push(book.version(part.market));
    joined.addPart(book.l2(part));
    yield;
  }
  return { body: joined.closeArray(), tag: tagOf(batch, epoch, versions) };
}

/**
 * The bytes of a batch, in one buffer: 50,000 levels a side are 8 MB, which would take
 * milliseconds to join at the end.
 */
class BatchBody {
  #buffer = Buffer.allocUnsafeSlow(JOINED_BYTES_START);
  #length = 0;
  #count = 0;

  readonly #countInAll: number;

  constructor(countInAll: number) {
    this.#countInAll = countInAll;
    this.#appendBytes(open);
  }

  /** Copies the bytes of a part. */
  addPart(part: Uint8Array): void {
    if (this.#count > 0) this.#appendBytes(comma);
    this.#count += 1;
    this.#appendBytes(part);
  }

  closeArray(): Uint8Array {
    this.#appendBytes(close);
    return this.#buffer.subarray(0, this.#length);
  }

  #appendBytes(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#buffer.length) this.#growBuffer(needed);
    this.#buffer.set(bytes, this.#length);
    this.#length = needed;
  }

  /** Grows to the size of the whole, estimated from the parts so far, with a margin. */
  #growBuffer(needed: number): void {
    const likely = (needed / Math.max(1, this.#count)) * this.#countInAll;
    const grown = Buffer.allocUnsafeSlow(Math.ceil(Math.max(needed, likely) * 1.25));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

/** 128 bits: two batches with one hash do not occur by chance, and cannot be found while a tag lives. */
function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
