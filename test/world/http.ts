/** Stands in for `node:http`: its real servers and requests, over the streams of a world. */
import * as real from 'node:http';
import { connect, type Socket, Server as StreamServer } from './net.js';

export * from 'node:http';

/** The real server of HTTP, which is given connections of a world. */
export class Server extends real.Server {
  readonly #streams = new StreamServer((socket: Socket) => void this.emit('connection', socket));

  constructor(...given: Parameters<typeof real.createServer>) {
    super(...(given as unknown as []));
    this.#streams.on('listening', () => this.emit('listening'));
    this.#streams.on('error', (error) => this.emit('error', error));
    this.#streams.on('close', () => this.emit('close'));
  }

  override listen(...given: unknown[]): this {
    const onListening = given.find((one) => typeof one === 'function');
    if (onListening !== undefined) this.once('listening', onListening as () => void);
    this.#streams.listen(...given.filter((one) => typeof one !== 'function'));
    return this;
  }

  override close(onClose?: (error?: Error) => void): this {
    this.#streams.close(onClose);
    return this;
  }

  override address(): ReturnType<real.Server['address']> {
    return this.#streams.address();
  }

  override closeAllConnections(): void {
    this.#streams.closeAllConnections();
  }
}

export function createServer(
  ...given: [onRequest: real.RequestListener] | Parameters<typeof real.createServer>
): Server {
  return new Server(...(given as Parameters<typeof real.createServer>));
}

type Requested = (url: unknown, options?: unknown, onResponse?: unknown) => real.ClientRequest;

/** The connection of a request, and all that the caller gave. */
function inWorld(options: object): object {
  return { ...options, agent: undefined, createConnection: (to: never) => connect(to) };
}

export const request = ((...given: readonly unknown[]): real.ClientRequest => {
  const url = typeof given[0] === 'string' || given[0] instanceof URL ? new URL(given[0]) : null;
  const [options, onResponse] = url === null ? given : given.slice(1);
  const isCallback = typeof options === 'function';
  const made = inWorld(isCallback ? {} : ((options as object | undefined) ?? {}));
  const callback = isCallback ? options : onResponse;
  const send = real.request as unknown as Requested;
  return url === null ? send(made, callback) : send(url, made, callback);
}) as typeof real.request;

export const get = ((...given: Parameters<typeof request>) => {
  const sent = request(...given);
  sent.end();
  return sent;
}) as typeof real.get;

// biome-ignore lint/style/noDefaultExport: the module has one.
export default { ...real, Server, createServer, request, get };
