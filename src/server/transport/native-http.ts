/** Reads requests of the transport, and writes replies to its responses. */
import { STATUS_CODES } from 'node:http';
import { LIMITS } from '../../config/limits.js';
import type { Header, HttpRequest, Reply } from './reply.js';
import type { BodyWriter, UnsentReplies } from './unsent-replies.js';

/** The members of the transport's request that this file uses. */
interface NativeHead {
  getUrl(): string;
  getQuery(): string | undefined;
  getHeader(name: string): string;
  forEach(each: (name: string, value: string) => void): void;
}

/** The members of the transport's response that this file uses. */
interface NativeResponse extends BodyWriter {
  writeStatus(line: string): unknown;
  writeHeader(name: string, value: string): unknown;
  endWithoutBody(): unknown;
  getRemoteAddressAsText(): ArrayBuffer;
  getProxiedRemoteAddressAsText(): ArrayBuffer;
}

/** The origin of a request, as its connection and its headers state it. */
export interface RequestOrigin {
  /** The address of the other end of the connection. */
  readonly peer: string;
  /**
   * Returns the client address of a PROXY protocol header; empty when there is none. The transport
   * accepts such a header from any peer, before any request.
   */
  readProxied(): string;
  /** Whether the request has a non-empty X-Forwarded-For header. */
  readonly isForwarded: boolean;
  /** The lines of X-Forwarded-For, in order. */
  readForwarded(): readonly string[];
}

/** Finds the address of a request's client. */
export type FindClient = (origin: RequestOrigin) => string;

/** How a reply is written. */
export interface WriteOptions {
  /** False for HEAD. */
  readonly withBody: boolean;
  readonly unsent: UnsentReplies;
  readonly client: { readonly ip: string };
}

/** Writes a whole reply; bytes that the network does not accept yet are queued in `unsent`. */
export function writeReply(
  response: NativeResponse,
  reply: Reply,
  { withBody, unsent, client }: WriteOptions,
): void {
  const { status, headers, body, identity } = reply;
  if (reply.endsConnection) {
    writeLastReply(response, reply);
    return;
  }
  // The transport writes `200 OK` by default.
  if (status !== 200) response.writeStatus(statusLine(status));
  const [name, value] = joinHeaders(headers);
  response.writeHeader(name, value);
  if (body === null) {
    response.endWithoutBody();
  } else if (withBody) {
    unsent.sendBody(response, { body, identity, client });
  } else {
    // `endWithoutBody(length)` of this transport version never completes the response, so the
    // length is a header.
    response.writeHeader('Content-Length', String(Buffer.byteLength(body)));
    response.endWithoutBody();
  }
}

/**
 * Writes a reply and closes the connection immediately. A normal close would first handle all data
 * that arrived in the same packets as further requests.
 *
 * During parsing the transport buffers writes, and a close discards them unless they exceed the
 * buffer, so the body is padded with blanks.
 */
function writeLastReply(response: NativeResponse, { status, headers, body }: Reply): void {
  const text = Buffer.from(body ?? '')
    .toString()
    .padEnd(LIMITS.transportHeldBytesMax);
  const [name, value] = joinHeaders(headers);
  // The transport terminates each header with two bytes, which are the last two bytes of this body.
  const length = Buffer.byteLength(text) + 2;
  response.writeStatus(statusLine(status));
  response.writeHeader('Connection', 'close');
  response.writeHeader('Content-Length', String(length));
  response.writeHeader(name, `${value}\r\n\r\n${text}`);
  response.close();
}

/** Node has the older name of 413. */
const phrases = { ...STATUS_CODES, 413: 'Content Too Large' };

const statusLines = new Map(
  Object.entries(phrases).map(([status, phrase]) => [Number(status), `${status} ${phrase}`]),
);

function statusLine(status: number): string {
  return statusLines.get(status) ?? String(status);
}

const joinedHeaders = new WeakMap<readonly Header[], Header>();

/**
 * Joins all headers into one header: the transport writes names and values verbatim, and each of
 * its calls costs more than the writing.
 */
function joinHeaders(headers: readonly Header[]): Header {
  const known = joinedHeaders.get(headers);
  if (known !== undefined) return known;
  const [[name, first] = ['X-Content-Type-Options', 'nosniff'], ...others] = headers;
  const lines = [first, ...others.map(([other, value]) => `${other}: ${value}`)];
  if (lines.some((line) => /[\r\n]/.test(line))) throw new Error('a header had several lines');
  const header: Header = [name, lines.join('\r\n')];
  joinedHeaders.set(headers, header);
  return header;
}

/** A request that reads from the transport's request on demand. */
export class NativeRequest implements HttpRequest, RequestOrigin {
  readonly path: string;
  readonly query: string;
  isGone = false;
  readonly #native: NativeHead;
  readonly #response: NativeResponse;
  #head: HeadFacts | undefined;
  readonly #findClient: FindClient;

  constructor(
    native: NativeHead,
    response: NativeResponse,
    readonly method: string,
    findClient: FindClient,
  ) {
    this.#native = native;
    this.#response = response;
    this.#findClient = findClient;
    this.path = native.getUrl();
    this.query = native.getQuery() ?? '';
  }

  get ip(): string {
    return this.#findClient(this);
  }

  get peer(): string {
    return decodeText(this.#response.getRemoteAddressAsText());
  }

  readProxied(): string {
    return decodeText(this.#response.getProxiedRemoteAddressAsText());
  }

  get isForwarded(): boolean {
    return this.#native.getHeader('x-forwarded-for') !== '';
  }

  readForwarded(): readonly string[] {
    const lines: string[] = [];
    this.#native.forEach((name, value) => {
      if (name === 'x-forwarded-for') lines.push(value);
    });
    return lines;
  }

  getHeader(name: string): string {
    return this.#native.getHeader(name);
  }

  countHeaderBytes(): number {
    return this.#readHead().bytes;
  }

  announcesBody(): boolean {
    return this.#readHead().announcesBody;
  }

  /**
   * Reads every header line, because the transport's look-up finds only the first line of a name
   * and no empty line.
   */
  #readHead(): HeadFacts {
    if (this.#head !== undefined) return this.#head;
    let bytes = 0;
    let lengths = 0;
    let announcesBody = false;
    this.#native.forEach((name, value) => {
      bytes += name.length + value.length;
      if (name === 'content-length') {
        lengths += 1;
        announcesBody ||= lengths > 1 || value !== '0';
      } else if (name === 'transfer-encoding') {
        announcesBody = true;
      }
    });
    this.#head = { bytes, announcesBody };
    return this.#head;
  }
}

/** The facts about a request that this file gathers from all its header lines. */
interface HeadFacts {
  readonly bytes: number;
  readonly announcesBody: boolean;
}

/** Decodes text of the transport. */
export function decodeText(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString();
}
