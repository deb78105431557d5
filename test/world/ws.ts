/** Stands in for the package `ws`: hosts of the model network by name, and the real package over the streams of a world. */
import * as real from 'ws';
import { hostOf } from '../simulation/network.js';
import { WebSocket as ModelSocket } from '../simulation/stand-ins/ws.js';
import { createServer } from './http.js';
import { connect } from './net.js';

export * from 'ws';

type Options = real.ClientOptions & { readonly handshakeTimeout?: number };

/** The real client's end, with a connection of a world. */
class StreamSocket extends real.WebSocket {
  constructor(url: string | URL, ...given: readonly unknown[]) {
    const options = given.find((one) => typeof one === 'object' && !Array.isArray(one)) ?? {};
    const protocols = given.find((one) => typeof one === 'string' || Array.isArray(one)) ?? [];
    const inWorld = { ...(options as Options), createConnection: (to: never) => connect(to) };
    super(url, protocols as string[], inWorld as unknown as Options);
  }
}

/** The client's end of a connection to a host of either network. */
export const WebSocket = new Proxy(StreamSocket, {
  construct: (target, given: [string, ...unknown[]], newTarget) => {
    const [url] = given;
    const isModel = hostOf(String(url)) !== null;
    if (isModel) return new ModelSocket(url, given[1] as Options) as unknown as StreamSocket;
    return Reflect.construct(target, given, newTarget) as StreamSocket;
  },
});

/** The real server; one with a port has a server of a world. */
export class WebSocketServer extends real.WebSocketServer {
  constructor(options: real.ServerOptions, onListening?: () => void) {
    const { port, host, ...others } = options;
    if (port === undefined) {
      super(options, onListening);
      return;
    }
    const server = createServer({});
    super({ ...others, server: server as unknown as NonNullable<real.ServerOptions['server']> });
    if (onListening !== undefined) server.once('listening', onListening);
    server.listen(port, host ?? '127.0.0.1');
  }
}

// biome-ignore lint/style/noDefaultExport: the package has one.
export default WebSocket;
