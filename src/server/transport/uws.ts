/**
 * The adapter of the transport: the only file that imports uWebSockets.js.
 *
 * This file converts a native request into an HttpRequest, calls the handler, and writes the reply;
 * it converts a native WebSocket into a ClientSocket with a session. It knows no path, parameter or
 * market. No exception leaves a callback, because an exception would end the process, and no
 * request or socket is accessed after its client has gone.
 */

import './native-transport.js';
import uws from 'uWebSockets.js';
import type { Timers } from '../../contract/timers.js';
import {
  isBinaryMessage,
  type SocketHandlers,
  type SocketSession,
  socketOptions,
  TransportSocket,
} from './client-socket.js';
import { ServerError } from './errors.js';
import {
  decodeText,
  type FindClient,
  NativeRequest,
  type WriteOptions,
  writeReply,
} from './native-http.js';
import { assertNativeTransport } from './native-transport.js';
import { errorReply, type Handler, type Reply } from './reply.js';
import { SocketBacklog } from './socket-backlog.js';
import { UnsentReplies } from './unsent-replies.js';

/** Options of `listen`. */
export interface ListenOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly handler: Handler;
  readonly timers: Timers;
  /** The handlers of the WebSockets, one for each group of paths; none by default. */
  readonly sockets?: readonly SocketHandlers[];
  /** The queue of replies to slow clients. */
  readonly unsent?: UnsentReplies;
  readonly backlog?: SocketBacklog;
  /** Finds the client of a request; by default the connection's peer. */
  readonly findClient?: FindClient;
  /** Called with every unexpected error of a handler. */
  readonly onFault: (error: unknown, path: string) => void;
}

/** A bound port. */
export interface Listener {
  readonly port: number;
  /** Sends one message to all sockets that have joined the topic. */
  publish(topic: string, bytes: string | Uint8Array): void;
  /** Stops listening and ends all connections. */
  close(): void;
}

/**
 * Binds the port and serves. The port is bound exclusively, so that a second instance fails at this
 * point: by default both instances would share the traffic unnoticed.
 */
export function listen(options: ListenOptions): Promise<Listener> {
  assertNativeTransport();
  const app = uws.App();
  const { timers } = options;
  const findClient: FindClient = ({ peer }) => peer;
  const serving: Serving = {
    unsent: new UnsentReplies(timers),
    backlog: new SocketBacklog(timers),
    findClient,
    ...options,
  };
  for (const handlers of options.sockets ?? []) serveSockets(app, handlers, serving);
  // GET has a route of its own, because checking the method of each request costs another native
  // call.
  app.get('/*', (response, native) => {
    const request = new NativeRequest(native, response, 'get', serving.findClient);
    handleRequest(response, request, serving);
  });
  app.any('/*', (response, native) => {
    const method = native.getMethod();
    handleRequest(
      response,
      new NativeRequest(native, response, method, serving.findClient),
      serving,
    );
  });
  return new Promise((resolve, reject) => {
    const { host, port } = options;
    const onListen = (socket: uws.us_listen_socket | false): void => {
      if (socket === false) {
        const why = 'the port is in use, or the address is not one of this machine';
        reject(new Error(`cannot listen on ${host}:${port}: ${why}`));
        return;
      }
      resolve({
        port: uws.us_socket_local_port(socket),
        publish: (topic, bytes) => void app.publish(topic, bytes, isBinaryMessage(bytes)),
        close: () => void app.close(),
      });
    };
    const bind = app.listen as unknown as ListenExclusive;
    const { LIBUS_LISTEN_EXCLUSIVE_PORT } = uws as unknown as ExclusiveOption;
    bind.call(app, host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, onListen);
  });
}

type Serving = ListenOptions & Required<Pick<ListenOptions, 'unsent' | 'backlog' | 'findClient'>>;

/** The overload of `listen` with host and options, which is missing in the package's types. */
type ListenExclusive = (
  this: uws.TemplatedApp,
  host: string,
  port: number,
  options: number,
  callback: (socket: uws.us_listen_socket | false) => void,
) => void;

/** The package exports the option at the top level, but its types declare it in an enum. */
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
  const way = { withBody, unsent, client: request };
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
  // The headers of a request that names its client are gone by the time of the reply.
  const way = { ...pending.way, client: { ip: request.ip } };
  response.onAborted(() => {
    request.isGone = true;
  });
  const finish = (reply: Reply): void => {
    if (!request.isGone) response.cork(() => writeReply(response, reply, way));
  };
  pending.reply.then(finish, (error: unknown) => {
    pending.onFault(error, request.path);
    finish(internalReply);
  });
}

const internalReply = errorReply(new ServerError('INTERNAL', 'the request failed unexpectedly'));

/**
 * The data that the transport stores with a socket; the session is null until the socket is open.
 */
interface SocketData {
  readonly ip: string;
  readonly path: string;
  readonly query: string;
  session: SocketSession | null;
  socket: TransportSocket | null;
}

type NativeSocket = uws.WebSocket<SocketData>;
type OnFault = ListenOptions['onFault'];

/** Serves the WebSockets of some paths: upgrades them, and forwards their events to their sessions. */
function serveSockets(app: uws.TemplatedApp, handlers: SocketHandlers, serving: Serving): void {
  const { onFault, backlog } = serving;
  const notifySession = (native: NativeSocket, run: (session: SocketSession) => void): void => {
    const data = native.getUserData();
    runGuarded(data, onFault, () => {
      if (data.session !== null) run(data.session);
    });
  };
  const behavior: uws.WebSocketBehavior<SocketData> & DroppedHandler = {
    ...socketOptions,
    maxPayloadLength: handlers.messageBytesMax ?? socketOptions.maxPayloadLength,
    upgrade: (response, request, context) => {
      upgradeSocket(response, request, { handlers, context, serving });
    },
    open: (native) => {
      const data = native.getUserData();
      const socket = new TransportSocket(native, data.ip);
      data.socket = socket;
      backlog.addSocket(socket);
      runGuarded(data, onFault, () => {
        data.session = handlers.openSession(socket, data.query);
        data.session.onOpen?.();
      });
    },
    message: (native, bytes, isBinary) => {
      notifySession(native, (session) => session.onMessage(isBinary ? null : decodeText(bytes)));
    },
    ping: (native) => notifySession(native, (session) => session.onPing()),
    drain: (native) => notifySession(native, (session) => session.onDrain()),
    dropped: (native) => notifySession(native, (session) => session.onDropped()),
    close: (native, code, message) => {
      const { socket } = native.getUserData();
      if (socket !== null) backlog.removeSocket(socket);
      const cause = socket?.markClosed(code, decodeText(message)) ?? 'lost';
      notifySession(native, (session) => session.onClose(cause));
    },
  };
  for (const path of handlers.paths) app.ws(path, behavior);
}

/** A callback that the package's types lack. */
interface DroppedHandler {
  readonly dropped: (native: NativeSocket) => void;
}

function upgradeSocket(
  response: uws.HttpResponse,
  native: uws.HttpRequest,
  { handlers, context, serving }: UpgradeParts,
): void {
  const { findClient, onFault, unsent } = serving;
  const request = new NativeRequest(native, response, native.getMethod(), findClient);
  const { ip, path, query } = request;
  let refusal: Reply | null;
  try {
    refusal = handlers.checkUpgrade(request);
  } catch (error) {
    onFault(error, path);
    refusal = internalReply;
  }
  if (refusal !== null) {
    writeReply(response, refusal, { withBody: true, unsent, client: request });
    return;
  }
  const header = (name: string): string => native.getHeader(`sec-websocket-${name}`);
  const data: SocketData = { ip, path, query, session: null, socket: null };
  // The first offered subprotocol is accepted, because browsers close a socket that accepts none.
  response.upgrade(data, header('key'), header('protocol'), '', context);
}

interface UpgradeParts {
  readonly handlers: SocketHandlers;
  readonly context: uws.us_socket_context_t;
  readonly serving: Serving;
}

/**
 * Catches an exception before it reaches the transport, and closes the socket whose session threw
 * it.
 */
function runGuarded({ socket, path }: SocketData, onFault: OnFault, run: () => void): void {
  try {
    run();
  } catch (error) {
    onFault(error, path);
    socket?.close(internalCloseCode, 'internal error');
  }
}

const internalCloseCode = 1011;
