/** What is read of the transport's requests, and how an answer is written to its responses. */
import type { Header, HttpRequest, Reply } from './reply.js';
import { statusLine } from './status-line.js';
import type { BodyWriter, UnsentReplies } from './unsent-replies.js';

/** What is used of the transport's own request. */
interface NativeHead {
  getUrl(): string;
  getQuery(): string | undefined;
  getHeader(name: string): string;
  forEach(each: (name: string, value: string) => void): void;
}

/** What is used of the transport's own response. */
interface NativeResponse extends BodyWriter {
  writeStatus(line: string): unknown;
  writeHeader(name: string, value: string): unknown;
  endWithoutBody(): unknown;
  getRemoteAddressAsText(): ArrayBuffer;
}

/** How an answer is sent. */
export interface WriteOptions {
  /** HEAD is answered without it. */
  readonly withBody: boolean;
  readonly unsent: UnsentReplies;
}

/** Writes a whole answer; what the client does not take at once waits in `unsent`. */
export function writeReply(
  response: NativeResponse,
  { status, headers, body, identity }: Reply,
  { withBody, unsent }: WriteOptions,
): void {
  // What is not said is `200 OK`.
  if (status !== 200) response.writeStatus(statusLine(status));
  const { name, value } = joinHeaders(headers);
  response.writeHeader(name, value);
  if (body === null) {
    response.endWithoutBody();
  } else if (withBody) {
    unsent.sendBody(response, body, identity);
  } else {
    // `endWithoutBody(length)` of this version never completes the response.
    response.writeHeader('Content-Length', String(Buffer.byteLength(body)));
    response.endWithoutBody();
  }
}

/** Headers in the form of one, made once for each list of them. */
const joinedHeaders = new WeakMap<readonly Header[], JoinedHeader>();

interface JoinedHeader {
  readonly name: string;
  readonly value: string;
}

/**
 * All headers as one: the transport writes a name, a colon, a value and the end of the line as they
 * are given, and every call of it costs more than the writing.
 */
function joinHeaders(headers: readonly Header[]): JoinedHeader {
  const known = joinedHeaders.get(headers);
  if (known !== undefined) return known;
  const [[name, first] = ['X-Content-Type-Options', 'nosniff'], ...others] = headers;
  const lines = [first, ...others.map(([other, value]) => `${other}: ${value}`)];
  if (lines.some((line) => /[\r\n]/.test(line))) throw new Error('a header had several lines');
  const header = { name, value: lines.join('\r\n') };
  joinedHeaders.set(headers, header);
  return header;
}

/** The native request, read only as far as the handler asks. */
export class NativeRequest implements HttpRequest {
  readonly path: string;
  readonly query: string;
  isGone = false;

  constructor(
    private readonly native: NativeHead,
    private readonly response: NativeResponse,
    readonly method: string,
  ) {
    this.path = native.getUrl();
    this.query = native.getQuery() ?? '';
  }

  get ip(): string {
    return decodeText(this.response.getRemoteAddressAsText());
  }

  getHeader(name: string): string {
    return this.native.getHeader(name);
  }

  countHeaderBytes(): number {
    let bytes = 0;
    this.native.forEach((name, value) => {
      bytes += name.length + value.length;
    });
    return bytes;
  }
}

/** The bytes of a text that the transport gives. */
export function decodeText(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString();
}
