/**
 * A Yellowstone server on plain HTTP/2, for features that grpc-js's server lacks: compression, and
 * a test's TLS.
 */
import {
  createSecureServer,
  createServer,
  type Http2Server,
  type ServerHttp2Stream,
} from 'node:http2';
import { gzipSync } from 'node:zlib';

/** A key and certificate, PEM. */
interface ServerKeys {
  readonly key: Buffer;
  readonly cert: Buffer;
}

export class RawGrpc {
  /** The bodies of the requests that came. */
  requests = 0;
  readonly #server: Http2Server;
  readonly #streams = new Set<ServerHttp2Stream>();

  private constructor(server: Http2Server) {
    this.#server = server;
    server.on('stream', (stream) => {
      stream.respond({ 'content-type': 'application/grpc', 'grpc-encoding': 'gzip' });
      stream.on('data', () => {
        this.requests += 1;
      });
      stream.on('error', () => undefined);
      stream.on('close', () => this.#streams.delete(stream));
      this.#streams.add(stream);
    });
  }

  static async start(keys?: ServerKeys): Promise<RawGrpc> {
    const server = keys === undefined ? createServer() : createSecureServer({ ...keys });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new RawGrpc(server);
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('it does not listen');
    return address.port;
  }

  /** Notifies all readers of a message, compressed. */
  notifyBytes(bytes: Buffer): void {
    const packed = gzipSync(bytes);
    const head = Buffer.alloc(5);
    head.writeUInt8(1, 0);
    head.writeUInt32BE(packed.length, 1);
    for (const stream of this.#streams) stream.write(Buffer.concat([head, packed]));
  }

  stop(): void {
    for (const stream of this.#streams) stream.session?.destroy();
    this.#server.close();
  }
}
