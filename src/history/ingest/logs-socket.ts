import type { Timer, Timers } from '../../contract/timers.js';
import { type GrpcServer, GrpcStream } from '../../rpc/grpc/grpc-stream.js';
import { encodeTransactionsRequest } from '../../rpc/grpc/messages.js';
import type { Log } from '../../rpc/log.js';
import type { RpcSocketListener } from '../../rpc/socket.js';
import type { NotificationHandler } from '../../rpc/subscriptions.js';
import { STREAM_RETURN_MS } from '../model/limits.js';
import { grpcLogsOf, type LogsConnection } from './grpc-logs.js';

/** The gRPC servers that are preferred over the sockets of nodes. */
interface LogServers {
  /** In the order of preference. */
  readonly servers: readonly GrpcServer[];
  readonly programId: string;
  readonly timers: Timers;
  readonly log: Log;
}

/**
 * Returns the log source of a node: its socket, and the streams that are preferred over it, if any.
 */
export function createLogsSocket(
  socket: LogsConnection,
  { servers, programId, timers, log }: LogServers,
): LogsConnection {
  if (servers.length === 0) return socket;
  const streams = servers.map((server) => {
    const encodeRequest = (fromSlot: number | null): Buffer =>
      encodeTransactionsRequest({ program: programId, fromSlot });
    return grpcLogsOf(new GrpcStream({ ...server, encodeRequest, timers, log }));
  });
  return new LogsSocket({ streams, socket, timers });
}

/** Follows the logs of confirmed transactions that name the program. */
export async function subscribeToLogs(
  socket: LogsConnection,
  program: string,
  onLogs: NotificationHandler,
): Promise<void> {
  const filter = { mentions: [program] };
  await socket.subscribe('logsSubscribe', [filter, { commitment: 'confirmed' }], onLogs);
}

/** The streams, and the socket of the node. */
interface LogsSocketOptions {
  /** In the order of preference. */
  readonly streams: readonly LogsConnection[];
  readonly socket: LogsConnection;
  readonly timers: Timers;
}

/**
 * Selects the log source of a session: the first stream that opens, or the node's own socket when
 * none does. When an open source closes, the session ends; the next session tries all sources
 * again, or only the later ones if the ended session was not live. The session also ends when a
 * preferred stream recovers.
 */
export class LogsSocket implements LogsConnection {
  readonly #connections: readonly LogsConnection[];
  readonly #timers: Timers;
  #listener: RpcSocketListener | null = null;
  #current: LogsConnection | null = null;
  #returning: Timer | null = null;
  /**
   * The index of the first source for the next session: earlier sources opened, and closed before
   * their session was live.
   */
  #firstIndex = 0;
  #isLive = false;

  constructor({ streams, socket, timers }: LogsSocketOptions) {
    this.#connections = [...streams, socket];
    this.#timers = timers;
  }

  start(listener: RpcSocketListener): void {
    this.#listener = listener;
    this.#isLive = false;
    const first = this.#firstIndex;
    this.#firstIndex = 0;
    this.#tryConnection(first);
  }

  stop(): void {
    this.#listener = null;
    this.#current = null;
    this.#returning?.cancel();
    for (const connection of this.#connections) connection.stop();
  }

  /** Called when the session is about to become live. */
  resetBackoff(): void {
    this.#isLive = true;
    this.#current?.resetBackoff();
  }

  subscribe: LogsConnection['subscribe'] = (method, params, onResult) =>
    (this.#current ?? this.#lastConnection).subscribe(method, params, onResult);

  #tryConnection(index: number): void {
    const connection = this.#connections[index] ?? this.#lastConnection;
    connection.start({
      onOpened: () => {
        this.#current = connection;
        if (index > 0) this.#planReturn(index);
        this.#listener?.onOpened();
      },
      onClosed: (reason) => {
        if (connection === this.#current || connection === this.#lastConnection) {
          if (!this.#isLive && connection !== this.#lastConnection) this.#firstIndex = index + 1;
          this.#listener?.onClosed(reason);
          return;
        }
        connection.stop();
        this.#tryConnection(index + 1);
      },
      onMalformed: () => this.#listener?.onMalformed(),
    });
  }

  /** The last source, which is the only one without streams; a socket reports its own closing. */
  get #lastConnection(): LogsConnection {
    const last = this.#connections.at(-1);
    if (last === undefined) throw new Error('Invariant: there is the socket of the node');
    return last;
  }

  #planReturn(index: number): void {
    this.#returning = this.#timers.after(STREAM_RETURN_MS, () => {
      for (const preferred of this.#connections.slice(0, index)) {
        preferred.start({
          onOpened: () => this.#listener?.onClosed('a gRPC stream stands again'),
          onClosed: () => undefined,
          onMalformed: () => undefined,
        });
      }
    });
  }
}
