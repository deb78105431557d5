/**
 * The transport: the only file that imports uWebSockets.js.
 *
 * It turns a native request into a HttpRequest, calls the handler, and writes the reply. It knows no
 * path, no parameter and no market. No exception leaves a callback, because one would end the process,
 * and no response is touched after the client has gone.
 */

import './transport-setting.js';
import uws from 'uWebSockets.js';
import { createRequire } from 'node:module';
import { ServerError } from './errors.js';
import { errorReply, type Reply } from './reply.js';

/** One request. `header` may only be called before the handler's first await. */
export interface HttpRequest {
  /** In lower case. */
  readonly method: string;
  /** As sent, undecoded, without the query. */
  readonly path: string;
  /** The raw query without `?`; empty when there is none. */
  readonly query: string;
  /** A header by its lower-case name; empty when it was not sent. */
  header(name: string): string;
  /** Bytes of all header names and values; only before the first await, as well. */
  headerBytes(): number;
}

/** Answers one request. A rejected promise or an exception is answered with INTERNAL. */
export type Handler = (request: HttpRequest) => Reply | Promise<Reply>;

/** What `listen` needs. */
export interface ListenOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly handler: Handler;
  /** Told of every error that a handler did not mean. */
  readonly onFault: (error: unknown, path: string) => void;
}

/** A bound port. */
export interface Listener {
  readonly port: number;
  /** Stops listening and cuts what is connected. */
  close(): void;
}

/** The version of the transport, for /version. */
export const transportVersion: string = readTransportVersion();

/**
 * Binds the port and serves. The port is taken exclusively: a second instance fails here, where the
 * default would silently split the traffic between the two.
 */
export function listen(options: ListenOptions): Promise<Listener> {
  assertNativeTransport();
  const app = uws.App();
  app.any('/*', (response, request) => answer(response, request, options));
  return new Promise((resolve, reject) => {
    const { host, port } = options;
    const onListen = (socket: uws.us_listen_socket | false): void => {
      if (socket === false) {
        const why = 'in use, or not an address of this machine';
        reject(new Error(`${host}:${port} cannot be listened on: ${why}`));
        return;
      }
      resolve({ port: uws.us_socket_local_port(socket), close: () => void app.close() });
    };
    const bind = app.listen as unknown as ListenExclusive;
    const { LIBUS_LISTEN_EXCLUSIVE_PORT } = uws as unknown as ExclusiveOption;
    bind.call(app, host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, onListen);
  });
}

/** The form of `listen` that takes host and options, which the package's types leave out. */
type ListenExclusive = (
  this: uws.TemplatedApp,
  host: string,
  port: number,
  options: number,
  callback: (socket: uws.us_listen_socket | false) => void,
) => void;

/** The package exports the option by itself; its types put it into an enum that is not there. */
interface ExclusiveOption {
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
}

/** The package has no other build to fall back on today; a later one must not bring one unseen. */
function assertNativeTransport(): void {
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  const binary = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  if (loaded.some((file) => file.endsWith(binary))) return;
  throw new Error(`the native HTTP server ${binary} is not loaded`);
}

function readTransportVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('uWebSockets.js/package.json');
  const version = (manifest as { readonly version?: unknown }).version;
  return typeof version === 'string' ? version : 'unknown';
}

function answer(
  response: uws.HttpResponse,
  native: uws.HttpRequest,
  { handler, onFault }: ListenOptions,
): void {
  const request = new NativeRequest(native);
  const withBody = request.method !== 'head';
  let reply: Reply | Promise<Reply>;
  try {
    reply = handler(request);
  } catch (error) {
    onFault(error, request.path);
    reply = internalReply;
  }
  if (reply instanceof Promise) answerLater(response, { reply, withBody, request, onFault });
  else write(response, reply, withBody);
}

function answerLater(
  response: uws.HttpResponse,
  pending: {
    readonly reply: Promise<Reply>;
    readonly withBody: boolean;
    readonly request: HttpRequest;
    readonly onFault: ListenOptions['onFault'];
  },
): void {
  let gone = false;
  response.onAborted(() => {
    gone = true;
  });
  const finish = (reply: Reply): void => {
    if (!gone) response.cork(() => write(response, reply, pending.withBody));
  };
  pending.reply.then(finish, (error: unknown) => {
    pending.onFault(error, pending.request.path);
    finish(internalReply);
  });
}

function write(response: uws.HttpResponse, reply: Reply, withBody: boolean): void {
  response.writeStatus(statusLine(reply.status));
  for (const [name, value] of reply.headers) response.writeHeader(name, value);
  if (reply.body === null) {
    response.endWithoutBody();
  } else if (withBody) {
    response.end(reply.body);
  } else {
    // `endWithoutBody(length)` of this version never completes the response.
    response.writeHeader('Content-Length', String(Buffer.byteLength(reply.body)));
    response.endWithoutBody();
  }
}

const internalReply = errorReply(new ServerError('INTERNAL', 'the request could not be answered'));

/** The native request, read only as far as the handler asks. */
class NativeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;

  constructor(private readonly native: uws.HttpRequest) {
    this.method = native.getMethod();
    this.path = native.getUrl();
    this.query = native.getQuery() ?? '';
  }

  header(name: string): string {
    return this.native.getHeader(name);
  }

  headerBytes(): number {
    let bytes = 0;
    this.native.forEach((name, value) => {
      bytes += name.length + value.length;
    });
    return bytes;
  }
}

const statusLines: Readonly<Record<number, string>> = {
  200: '200 OK',
  204: '204 No Content',
  304: '304 Not Modified',
  400: '400 Bad Request',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  413: '413 Content Too Large',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
};

function statusLine(status: number): string {
  return statusLines[status] ?? String(status);
}
