/**
 * The transport: the only file that imports uWebSockets.js.
 *
 * It turns a native request into a HttpRequest, calls the handler, and writes the reply; and a native
 * WebSocket into a ClientSocket with a session. It knows no path, no parameter and no market. No
 * exception leaves a callback, because one would end the process, and nothing is touched after the
 * client has gone.
 */

import './transport-setting.js';
import uws from 'uWebSockets.js';
import type { SocketHandlers, SocketSession } from './client-socket.js';
import { ServerError } from './errors.js';
import { decodeText, NativeRequest, type WriteOptions, writeReply } from './native-http.js';
import { assertNativeTransport } from './native-transport.js';
import { errorReply, type Handler, type Reply } from './reply.js';
import { socketOptions, TransportSocket } from './transport-socket.js';
import { UnsentReplies } from './unsent-replies.js';

export { transportVersion } from './native-transport.js';

/** What `listen` needs. */
export interface ListenOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly handler: Handler;
  /** Who takes the WebSockets, each of other paths; without it there are none. */
  readonly sockets?: readonly SocketHandlers[];
  /** Where answers wait for their clients; those of `createHandlers`, which refuses more. */
  readonly unsent?: UnsentReplies;
  /** Told of every error that a handler did not mean. */
  readonly onFault: (error: unknown, path: string) => void;
}

/** A bound port. */
export interface Listener {
  readonly port: number;
  /** Sends one text message to all sockets that have joined the topic. */
  publish(topic: string, bytes: string | Uint8Array): void;
  /** Stops listening and cuts what is connected. */
  close(): void;
}

/**
 * Binds the port and serves. The port is taken exclusively: a second instance fails here, where the
 * default would silently split the traffic between the two.
 */
export function listen(options: ListenOptions): Promise<Listener> {
  assertNativeTransport();
  const app = uws.App();
  const serving: Serving = { unsent: new UnsentReplies(), ...options };
  for (const handlers of options.sockets ?? []) serveSockets(app, handlers, serving);
  // Asking each request for its method would cost a GET one more native call.
  app.get('/*', (response, native) => {
    handleRequest(response, new NativeRequest(native, response, 'get'), serving);
  });
  app.any('/*', (response, native) => {
    handleRequest(response, new NativeRequest(native, response, native.getMethod()), serving);
  });
  return new Promise((resolve, reject) => {
    const { host, port } = options;
    const onListen = (socket: uws.us_listen_socket | false): void => {
      if (socket === false) {
        const why = 'in use, or not an address of this machine';
        reject(new Error(`${host}:${port} cannot be listened on: ${why}`));
        return;
      }
      resolve({
        port: uws.us_socket_local_port(socket),
        publish: (topic, bytes) => void app.publish(topic, bytes),
        close: () => void app.close(),
      });
    };
    const bind = app.listen as unknown as ListenExclusive;
    const { LIBUS_LISTEN_EXCLUSIVE_PORT } = uws as unknown as ExclusiveOption;
    bind.call(app, host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, onListen);
  });
}

/** What a request is answered with. */
type Serving = ListenOptions & { readonly unsent: UnsentReplies };

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

function handleRequest(
  response: uws.HttpResponse,
  request: NativeRequest,
  { handler, onFault, unsent }: Serving,
): void {
  const withBody = request.method !== 'head';
  let reply: Reply | Promise<Reply>;
  try {
    reply = handler(request);
  } catch (error) {
    onFault(error, request.path);
    reply = internalReply;
  }
  const way = { withBody, unsent };
  if (reply instanceof Promise) replyLater(response, { reply, way, request, onFault });
  else writeReply(response, reply, way);
}

function replyLater(
  response: uws.HttpResponse,
  pending: {
    readonly reply: Promise<Reply>;
    readonly way: WriteOptions;
    readonly request: NativeRequest;
    readonly onFault: ListenOptions['onFault'];
  },
): void {
  const { request } = pending;
  response.onAborted(() => {
    request.isGone = true;
  });
  const finish = (reply: Reply): void => {
    if (!request.isGone) response.cork(() => writeReply(response, reply, pending.way));
  };
  pending.reply.then(finish, (error: unknown) => {
    pending.onFault(error, request.path);
    finish(internalReply);
  });
}

const internalReply = errorReply(new ServerError('INTERNAL', 'the request could not be answered'));

/** What the transport keeps with a socket: the session, once the handlers have given one. */
interface SocketData {
  readonly ip: string;
  readonly path: string;
  readonly query: string;
  session: SocketSession | null;
  socket: TransportSocket | null;
}

type NativeSocket = uws.WebSocket<SocketData>;
type OnFault = ListenOptions['onFault'];

/** Lets the sockets of the paths in, and tells their sessions what happens. */
function serveSockets(app: uws.TemplatedApp, handlers: SocketHandlers, serving: Serving): void {
  const { onFault, unsent } = serving;
  const tell = (native: NativeSocket, run: (session: SocketSession) => void): void => {
    const data = native.getUserData();
    runGuarded(data, onFault, () => {
      if (data.session !== null) run(data.session);
    });
  };
  const behavior: uws.WebSocketBehavior<SocketData> & DroppedHandler = {
    ...socketOptions,
    maxPayloadLength: handlers.messageBytesMax ?? socketOptions.maxPayloadLength,
    upgrade: (response, request, context) => {
      upgradeSocket(response, request, { handlers, context, onFault, unsent });
    },
    open: (native) => {
      const data = native.getUserData();
      const socket = new TransportSocket(native, data.ip);
      data.socket = socket;
      runGuarded(data, onFault, () => {
        data.session = handlers.openSession(socket, data.query);
        data.session.onOpen?.();
      });
    },
    message: (native, bytes, isBinary) => {
      tell(native, (session) => session.onMessage(isBinary ? null : decodeText(bytes)));
    },
    ping: (native) => tell(native, (session) => session.onPing()),
    drain: (native) => tell(native, (session) => session.onDrain()),
    dropped: (native) => tell(native, (session) => session.onDropped()),
    close: (native, code, message) => {
      const cause = native.getUserData().socket?.markClosed(code, decodeText(message)) ?? 'lost';
      tell(native, (session) => session.onClose(cause));
    },
  };
  for (const path of handlers.paths) app.ws(path, behavior);
}

/** Missing in the package's types. */
interface DroppedHandler {
  readonly dropped: (native: NativeSocket) => void;
}

function upgradeSocket(
  response: uws.HttpResponse,
  native: uws.HttpRequest,
  { handlers, context, onFault, unsent }: Upgrade,
): void {
  const request = new NativeRequest(native, response, native.getMethod());
  const { ip, path, query } = request;
  let refusal: Reply | null;
  try {
    refusal = handlers.checkUpgrade(request);
  } catch (error) {
    onFault(error, path);
    refusal = internalReply;
  }
  if (refusal !== null) {
    writeReply(response, refusal, { withBody: true, unsent });
    return;
  }
  const header = (name: string): string => native.getHeader(`sec-websocket-${name}`);
  const data: SocketData = { ip, path, query, session: null, socket: null };
  // The first subprotocol offered is taken, as browsers end a socket to which none is answered.
  response.upgrade(data, header('key'), header('protocol'), '', context);
}

interface Upgrade {
  readonly handlers: SocketHandlers;
  readonly context: uws.us_socket_context_t;
  readonly onFault: OnFault;
  readonly unsent: UnsentReplies;
}

/** Keeps an exception from the transport, and closes the socket whose session threw it. */
function runGuarded({ socket, path }: SocketData, onFault: OnFault, run: () => void): void {
  try {
    run();
  } catch (error) {
    onFault(error, path);
    socket?.close(internalCloseCode, 'internal error');
  }
}

const internalCloseCode = 1011;
