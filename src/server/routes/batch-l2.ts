/**
 * /batchL2: several books in one body, joined from the finished bytes of each book.
 *
 * An invalid entry becomes an error object; the other entries are not affected. Only the last body
 * is cached here, because the core caches the bodies of each market.
 */
import { createHash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { AsOfMoment, AsOfPart } from '../../contract/as-of-source.js';
import type { L2Request } from '../../contract/book-requests.js';
import type { BookSource, MarketDirectory, MarketVersion } from '../../contract/book-source.js';
import { asOf, pastErrors } from '../api/book-parts.js';
import { batchEntry, splitLists } from '../api/list-params.js';
import { queuedClient } from '../transport/client-address.js';
import { ServerError } from '../transport/errors.js';
import type { Reply } from '../transport/reply.js';
import { ABSENT_TEXT, marketKeyOf, withMoment } from './as-of-route.js';
import { type BookRoute, type BookRouteOptions, requireFirstBook } from './book-routes.js';
import { type L2Params, l2Params, l2Request, schemaOf, withPrefixDefaults } from './l2.js';
import { type Path, type PathService, type Route, shared } from './path.js';
import {
  bodyReply,
  furthestBehind,
  GzipCache,
  gzipBodyReply,
  newVersionTag,
  notModifiedReply,
  QueryMemo,
  requestAcceptsGzip,
  type VersionTag,
} from './versioned-reply.js';

/** Returns a reference to a schema by its name in the API description. */
const named = (name: string) => Type.Unsafe({ $ref: `#/components/schemas/${name}` });

const batch = {
  kind: 'book',
  params: l2Params,
  style: 'lists',
  body: {
    name: 'BatchL2',
    schema: Type.Object({
      l2s: Type.Array(Type.Union([named('L2'), named('Error')]), {
        description: 'One book or one error for each entry, in their order.',
      }),
      asOf,
    }),
  },
  tagged: true,
  moment: true,
  errors: pastErrors,
  open: shared(openBatch),
} as const;

/** The path. */
export const batchL2 = {
  ...batch,
  summary: 'Many /l2 books; lists of one length, at most 256 entries',
} as const satisfies Path;

/** The path under its other name. */
export const batchL2Cache = { ...batch, summary: 'The same as /batchL2' } as const satisfies Path;

/** Returns the route of a list of /l2 queries, for the live book and for past moments. */
function openBatch(service: PathService): Route {
  const { directory } = service;
  return withMoment(service, {
    encodings: 'json',
    bodiesOf: ({ query, path }, { moment }) => {
      const parts = partsOf(parseBatchL2(query, directory, schemaOf(service, path)), service);
      requireNoSeq(moment);
      return { parts };
    },
    live: withPrefixDefaults(service, (schema) => batchRouteOf(service, schema)),
  });
}

function requireNoSeq({ by }: AsOfMoment): void {
  if (by !== 'seq') return;
  const message = 'seq was given for a batch, must be slot or ts: each market has a seq of its own';
  throw new ServerError('INVALID_PARAM', message, 'seq');
}

function partsOf(
  entries: readonly BatchEntry[],
  { directory }: Pick<PathService, 'directory'>,
): readonly AsOfPart[] {
  const absent = new ServerError('UNKNOWN_MARKET', ABSENT_TEXT, 'marketName').toBody();
  return entries.map((entry) => {
    if (entry instanceof ServerError) return { text: entry.toBody() };
    return { read: { path: 'l2', key: marketKeyOf(entry, directory), request: entry }, absent };
  });
}

/** One entry of a batch: its request, or its error. */
type BatchEntry = L2Request | ServerError;

/**
 * Reads the parameters of /batchL2, which are those of /l2 as comma-separated lists of one length.
 * Throws a ServerError when the lists differ in length or ask for too much; an invalid entry holds
 * its own error.
 */
function parseBatchL2(
  raw: string,
  markets: MarketDirectory,
  schema = l2Params,
): readonly BatchEntry[] {
  const entries = splitLists(raw, schema).map((texts) =>
    batchEntry(() => l2Request(texts, markets, schema)),
  );
  requireBatchLevels(entries);
  return entries;
}

function requireBatchLevels(entries: readonly BatchEntry[]): void {
  let levels = 0;
  for (const entry of entries) if (!(entry instanceof ServerError)) levels += entry.depth;
  if (levels <= LIMITS.batchLevelsMax) return;
  const message = `the depths add up to ${levels}, must be at most ${LIMITS.batchLevelsMax}`;
  throw new ServerError('OUT_OF_RANGE', message, 'depth');
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
    const joined = budget.runSteps(join(batch), queuedClient(request));
    return joined instanceof Promise ? joined.then(replyWith) : replyWith(joined);
  };
}

/** A request, or the bytes of the error of an entry. */
type BatchPart = L2Request | Uint8Array;

type Batch = ReturnType<typeof newBatch>;

function newBatch(entries: readonly BatchEntry[]) {
  const parts = entries.map(
    (entry): BatchPart => (entry instanceof ServerError ? Buffer.from(entry.toBody()) : entry),
  );
  const requests = parts.filter((part): part is L2Request => !(part instanceof Uint8Array));
  const named = parts.map((part) => (part instanceof Uint8Array ? part.toString() : part));
  // A hash of the request, because the list itself may have kilobytes.
  return { parts, requests, key: hashText(JSON.stringify(named)) };
}

/**
 * Returns a tag that covers the version of every part; slot and state are those of the least fresh
 * part.
 */
function tagOf({ key }: Batch, epoch: string, versions: readonly MarketVersion[]): VersionTag {
  const text = versions.map(({ seq, slot, state }) => `${seq}.${slot}.${state}`).join();
  return newVersionTag(`"${epoch}.${hashText(`${key} ${text}`)}"`, furthestBehind(versions));
}

/** The initial buffer size in bytes: about 60 books of the default depth fit. */
const JOINED_BYTES_START = 128 << 10;

const open = Buffer.from('{"l2s":[');
const comma = Buffer.from(',');
const close = Buffer.from(']}');

/** A body and its tag. */
interface Joined {
  readonly body: Uint8Array;
  readonly tag: VersionTag;
}

/**
 * Joins a batch, one book in each step. Books may change between two steps: each part keeps its own
 * version, and the tag combines all versions.
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
 * The bytes of a batch in one growing buffer: 50,000 levels a side are 8 MB, and joining the parts
 * at the end would block the event loop for milliseconds.
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

  /**
   * Grows the buffer to the estimated total size, which is extrapolated from the finished parts,
   * with a margin.
   */
  #growBuffer(needed: number): void {
    const likely = (needed / Math.max(1, this.#count)) * this.#countInAll;
    const grown = Buffer.allocUnsafeSlow(Math.ceil(Math.max(needed, likely) * 1.25));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

/**
 * Returns a hash of 128 bits: two batches do not share a hash by chance, and a collision cannot be
 * found while a tag is valid.
 */
function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
