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
import { ServerError } from './errors.js';
import { errorReply, type Handler, type Reply } from './reply.js';
import { assertNativeTransport } from './transport-build.js';
import { NativeRequest, type SendWay, textOf, writeReply } from './transport-http.js';
import { socketOptions, TransportSocket } from './transport-socket.js';
import { UnsentAnswers } from './unsent.js';
import type { SocketHandlers, SocketSession } from './ws-socket.js';

export { transportVersion } from './transport-build.js';

/** What `listen` needs. */
export interface ListenOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly handler: Handler;
  /** Who takes the WebSockets, each of other paths; without it there are none. */
  readonly sockets?: readonly SocketHandlers[];
  /** Where answers wait for their clients; those of `createHandlers`, which refuses more. */
  readonly unsent?: UnsentAnswers;
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
  const serving: Serving = { unsent: new UnsentAnswers(), ...options };
  for (const handlers of options.sockets ?? []) serveSockets(app, handlers, serving);
  // Asking each request for its method would cost a GET one more native call.
  app.get('/*', (response, native) => {
    answer(response, new NativeRequest(native, response, 'get'), serving);
  });
  app.any('/*', (response, native) => {
    answer(response, new NativeRequest(native, response, native.getMethod()), serving);
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
type Serving = ListenOptions & { readonly unsent: UnsentAnswers };

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

function answer(
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
  if (reply instanceof Promise) answerLater(response, { reply, way, request, onFault });
  else writeReply(response, reply, way);
}

function answerLater(
  response: uws.HttpResponse,
  pending: {
    readonly reply: Promise<Reply>;
    readonly way: SendWay;
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
    guard(data, onFault, () => {
      if (data.session !== null) run(data.session);
    });
  };
  const behavior: uws.WebSocketBehavior<SocketData> & DroppedHandler = {
    ...socketOptions,
    maxPayloadLength: handlers.messageBytesMax ?? socketOptions.maxPayloadLength,
    upgrade: (response, request, context) => {
      admit(response, request, { handlers, context, onFault, unsent });
    },
    open: (native) => {
      const data = native.getUserData();
      const socket = new TransportSocket(native, data.ip);
      data.socket = socket;
      guard(data, onFault, () => {
        data.session = handlers.opened(socket, data.query);
        data.session.begin?.();
      });
    },
    message: (native, bytes, isBinary) => {
      tell(native, (session) => session.message(isBinary ? null : textOf(bytes)));
    },
    ping: (native) => tell(native, (session) => session.pinged()),
    drain: (native) => tell(native, (session) => session.drained()),
    dropped: (native) => tell(native, (session) => session.dropped()),
    close: (native, code, message) => {
      const cause = native.getUserData().socket?.ended(code, textOf(message)) ?? 'lost';
      tell(native, (session) => session.closed(cause));
    },
  };
  for (const path of handlers.paths) app.ws(path, behavior);
}

/** Missing in the package's types. */
interface DroppedHandler {
  readonly dropped: (native: NativeSocket) => void;
}

function admit(
  response: uws.HttpResponse,
  native: uws.HttpRequest,
  { handlers, context, onFault, unsent }: Upgrade,
): void {
  const request = new NativeRequest(native, response, native.getMethod());
  const { ip, path, query } = request;
  let refusal: Reply | null;
  try {
    refusal = handlers.upgrade(request);
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
  readonly unsent: UnsentAnswers;
}

/** Keeps an exception from the transport, and closes the socket whose session threw it. */
function guard({ socket, path }: SocketData, onFault: OnFault, run: () => void): void {
  try {
    run();
  } catch (error) {
    onFault(error, path);
    socket?.close(internalCloseCode, 'internal error');
  }
}

const internalCloseCode = 1011;
