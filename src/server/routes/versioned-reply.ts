/**
 * Common parts of replies with a version: tag and headers, 304 for clients that have the version,
 * gzip for large bodies, and a cache of parsed queries.
 */

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LIMITS } from '../../config/limits.js';
import type { MarketDirectory, MarketVersion } from '../../contract/book-source.js';
import { lessFresh } from '../../contract/feed-status.js';
import {
  commonHeaders,
  type Header,
  type HttpRequest,
  jsonHeaders,
  type Reply,
} from '../transport/reply.js';
import { BYTES_TYPE } from './accept.js';
import { BodyCache } from './body-cache.js';

/** The tag and the headers of a version; bodies with equal tags are equal. */
export interface VersionTag {
  readonly etag: string;
  readonly headers: readonly Header[];
}

/** The encodings of a body that has several encodings; the client chooses by Accept. */
export type BodyEncoding = 'json' | 'binary';

/**
 * Returns the tag and the headers of a body in this version; without an encoding the body is JSON
 * only.
 */
export function newVersionTag(
  etag: string,
  version?: Pick<MarketVersion, 'slot' | 'state'>,
  encoding?: BodyEncoding,
): VersionTag {
  return { etag, headers: versionHeaders(etag, { cached: 'no-cache', version, encoding }) };
}

/** The version that a body's headers contain. */
interface VersionOf {
  readonly cached: string;
  readonly version: Pick<MarketVersion, 'slot' | 'state'> | undefined;
  readonly encoding?: BodyEncoding | undefined;
}

/** Returns the headers of a body with this tag; `cached` is the value of Cache-Control. */
export function versionHeaders(
  etag: string,
  { cached, version, encoding }: VersionOf,
): readonly Header[] {
  const headers: Header[] = [
    ...(encoding === 'binary' ? bytesHeaders : jsonHeaders),
    ['Cache-Control', cached],
    ['Vary', encoding === undefined ? 'Accept-Encoding' : 'Accept, Accept-Encoding'],
    ['ETag', etag],
  ];
  if (version !== undefined) {
    headers.push(['X-Slot', String(version.slot)], ['X-State', version.state]);
  }
  return headers;
}

const bytesHeaders: readonly Header[] = [['Content-Type', BYTES_TYPE], ...commonHeaders];

/** Returns a 304 when the client has this version, and undefined otherwise. */
export function notModifiedReply(
  request: Pick<HttpRequest, 'getHeader'>,
  { etag, headers }: VersionTag,
): Reply | undefined {
  const ifNoneMatch = request.getHeader('if-none-match');
  if (!matchesTag(ifNoneMatch, etag)) return undefined;
  const isWeak = ifNoneMatch.includes(`W/${etag}`);
  return { status: 304, headers: isWeak ? withWeakTags(headers) : headers, body: null };
}

/** Returns a 200 with a body, compressed when it is large and the client accepts that. */
export function bodyReply({ etag, headers }: VersionTag, content: Content): Reply | Promise<Reply> {
  const { body, identity, isZipped, gzips, key } = content;
  const plain: Reply = { status: 200, headers, body, identity };
  if (!isZipped || body.length < LIMITS.gzipBodyBytesMin) return plain;
  const copyBody = (): Uint8Array => (identity === body ? body : Buffer.from(body));
  const zipped = gzips.compressBody({ key, version: etag }, copyBody);
  return zipped === undefined ? plain : gzipBodyReply(headers, zipped);
}

/** Replies with bodies whose bytes never change. */
export class TaggedReplies {
  readonly #gzips = new GzipCache();

  /**
   * Reads the headers of a request, which is valid only within this call. The result replies with a
   * body, or with a 304 when the client has its version; `key` names the request.
   */
  readHeaders(request: HttpRequest) {
    const ifNoneMatch = request.getHeader('if-none-match');
    const isZipped = requestAcceptsGzip(request);
    const gzips = this.#gzips;
    return (tag: VersionTag, body: Uint8Array, key: string): Reply | Promise<Reply> =>
      notModifiedReply({ getHeader: () => ifNoneMatch }, tag) ??
      bodyReply(tag, { body, identity: body, isZipped, gzips, key });
  }
}

/** A body and the options of its sending. */
export interface Content {
  readonly body: Uint8Array;
  /**
   * A value that is equal for equal bodies of one version; the body itself when its bytes never
   * change.
   */
  readonly identity: object | string;
  /** Whether the client accepts it compressed. */
  readonly isZipped: boolean;
  readonly gzips: GzipCache;
  /** Names the request, whatever the version. */
  readonly key: string;
}

/** Returns a 200 reply with the compressed body; waits until the compression is done. */
export function gzipBodyReply(
  headers: readonly Header[],
  zipped: Uint8Array | Promise<Uint8Array>,
): Reply | Promise<Reply> {
  if (!(zipped instanceof Promise)) return gzipReply(headers, zipped);
  return zipped.then((bytes) => gzipReply(headers, bytes));
}

/** Whether the client accepts gzip. */
export function requestAcceptsGzip(request: HttpRequest): boolean {
  return acceptsGzip(request.getHeader('accept-encoding'));
}

/**
 * A 200 response with a compressed body, whose bytes must not change. Its tag is weak: the strong
 * tag is that of the uncompressed bytes.
 */
export function gzipReply(headers: readonly Header[], body: Uint8Array): Reply {
  return {
    status: 200,
    headers: [...withWeakTags(headers), ['Content-Encoding', 'gzip']],
    body,
    identity: body,
  };
}

function withWeakTags(headers: readonly Header[]): readonly Header[] {
  return headers.map(([name, value]) => [name, name === 'ETag' ? `W/${value}` : value]);
}

/**
 * Returns whether If-None-Match contains this tag. The weak form of the tag compares equal, by RFC
 * 9110.
 */
function matchesTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === '') return false;
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/**
 * A cache of parsed queries, so that a repeated query costs one map look-up. The cache is bounded:
 * the oldest entry is evicted first, and long queries are parsed each time.
 */
export class QueryMemo<Parsed> {
  readonly #entries = new Map<string, Parsed>();
  #markets;
  readonly #directory: Pick<MarketDirectory, 'markets'>;
  readonly #parse: (raw: string) => Parsed;

  constructor(directory: Pick<MarketDirectory, 'markets'>, parse: (raw: string) => Parsed) {
    this.#directory = directory;
    this.#parse = parse;
    this.#markets = directory.markets();
  }

  /**
   * Returns the cached form of a query, without regard to changes of the markets since it was
   * parsed.
   */
  findParsed(raw: string): Parsed | undefined {
    return this.#entries.get(raw);
  }

  /** Returns the parsed query. An error of the parser is thrown and not cached. */
  parseQuery(raw: string): Parsed {
    const markets = this.#directory.markets();
    if (markets !== this.#markets) {
      // A new market may have a name that a cached query resolved to another market.
      this.#entries.clear();
      this.#markets = markets;
    }
    return this.#entries.get(raw) ?? this.#cacheParsed(raw);
  }

  #cacheParsed(raw: string): Parsed {
    const parsed = this.#parse(raw);
    if (raw.length > LIMITS.queryMemoBytesMax) return parsed;
    if (this.#entries.size >= LIMITS.queryMemoEntriesMax) {
      const oldest = this.#entries.keys().next();
      if (oldest.done === false) this.#entries.delete(oldest.value);
    }
    this.#entries.set(raw, parsed);
    return parsed;
  }
}

const compress = promisify(gzip);

/**
 * The fastest compression level: a book is valid for one slot, and level 1 already saves four
 * fifths of its size.
 */
const LEVEL = 1;

/** The name of a body: equal keys and versions mean equal bodies. */
interface BodyVersion {
  readonly key: string;
  readonly version: string;
}

/**
 * A cache of compressed bodies, bounded by bytes; each body is compressed once for its version, off
 * the event loop.
 */
export class GzipCache {
  readonly #cached: BodyCache<Uint8Array>;
  readonly #pending = new Map<string, Promise<Uint8Array>>();
  #pendingBytes = 0;

  constructor(bytesMax: number = LIMITS.gzipCacheBytesMax) {
    this.#cached = new BodyCache(bytesMax);
  }

  /** Returns the compressed body when it is cached, or its promise during the compression. */
  findBody({ key, version }: BodyVersion): Uint8Array | Promise<Uint8Array> | undefined {
    return this.#cached.findBody(key, version) ?? this.#pending.get(nameOf({ key, version }));
  }

  /**
   * Returns the compressed body, and compresses it when it is not cached; undefined when too many
   * compressions run already. The bytes that `body` returns must not change.
   */
  compressBody(
    wanted: BodyVersion,
    body: () => Uint8Array,
  ): Uint8Array | Promise<Uint8Array> | undefined {
    const found = this.findBody(wanted);
    if (found !== undefined) return found;
    const { gzipPendingMax, gzipPendingBytesMax } = LIMITS;
    if (this.#pending.size >= gzipPendingMax) return undefined;
    if (this.#pendingBytes >= gzipPendingBytesMax) return undefined;
    const { key, version } = wanted;
    const name = nameOf(wanted);
    const plain = body();
    this.#pendingBytes += plain.length;
    const made = compress(plain, { level: LEVEL })
      .then((zipped) => {
        this.#cached.cacheBody(key, { version, body: zipped, bytes: zipped.length });
        return zipped;
      })
      .finally(() => {
        this.#pendingBytes -= plain.length;
        this.#pending.delete(name);
      });
    this.#pending.set(name, made);
    return made;
  }
}

function nameOf({ key, version }: BodyVersion): string {
  return `${key} ${version}`;
}

/** Whether an Accept-Encoding header allows gzip by name; `q=0` forbids it. */
export function acceptsGzip(header: string): boolean {
  return header.split(',').some((coding) => {
    const [name, ...parameters] = coding.toLowerCase().split(';');
    return name?.trim() === 'gzip' && !parameters.some((part) => /^\s*q=0(\.0*)?\s*$/.test(part));
  });
}

/** Returns slot and state of the least fresh of these markets; undefined without markets. */
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
