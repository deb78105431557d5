import type { LoggedWrites } from '../contract/logged-writes.js';
import type { ProgramName } from '../contract/program.js';
import type { Timer, Timers } from '../contract/timers.js';
import { LogDecoder } from '../engine/events.js';
import { Backoff } from '../rpc/backoff.js';
import { loggedFailure } from '../rpc/error.js';
import type { GrpcServer } from '../rpc/grpc/grpc-stream.js';
import type { Log } from '../rpc/log.js';
import type { RpcNodes } from '../rpc/node-pool.js';
import { RpcSocket } from '../rpc/socket.js';
import type { LogsConnection } from './ingest/grpc-logs.js';
import { LoggedUsersBatch } from './ingest/logged-users.js';
import { createLogsSocket, subscribeToLogs } from './ingest/logs-socket.js';
import { parseLogsNotification } from './ingest/rpc-results.js';
import { NODES_CAP_MS, NODES_FIRST_MS } from './model/limits.js';
import type { HistoryNode } from './model/messages.js';

/** The sources of logs, and the receiver of the writes that logs report. */
interface UserLogReaderOptions {
  readonly nodes: RpcNodes<Pick<HistoryNode, 'wsUrl'>>;
  /** Preferred to the nodes. */
  readonly grpc: readonly GrpcServer[];
  readonly programId: string;
  /** The program whose records it logs; by default that of its address. */
  readonly program?: ProgramName | undefined;
  readonly timers: Timers;
  readonly log: Log;
  readonly onLogged: (writes: readonly LoggedWrites[]) => void;
}

/**
 * Reads the users that logs name, without a history. There is one subscription at a time, which
 * moves to the next node after a failure. Logs during the move are not read later.
 */
export class UserLogReader {
  readonly #options: UserLogReaderOptions;
  readonly #sockets: readonly LogsConnection[];
  readonly #decoder: LogDecoder;
  readonly #batch: LoggedUsersBatch;
  readonly #backoff: Backoff;
  #index = 0;
  #retry: Timer | null = null;
  #isStopped = false;

  constructor(options: UserLogReaderOptions) {
    const { nodes, grpc: servers, programId, program, timers, log, onLogged } = options;
    this.#options = options;
    this.#sockets = nodes.map(({ wsUrl: url }) =>
      createLogsSocket(new RpcSocket({ url, timers }), { servers, programId, timers, log }),
    );
    this.#decoder = new LogDecoder(programId, program);
    this.#batch = new LoggedUsersBatch(timers, onLogged);
    const waits = { firstMs: NODES_FIRST_MS, capMs: NODES_CAP_MS };
    this.#backoff = new Backoff({ ...waits, random: Math.random });
  }

  start(): void {
    this.#socket?.start({
      onOpened: () => void this.#subscribe(),
      onClosed: (reason) => this.#tryNext(reason),
      onMalformed: () => undefined,
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#retry?.cancel();
    this.#socket?.stop();
  }

  get #socket(): LogsConnection | undefined {
    return this.#sockets[this.#index];
  }

  async #subscribe(): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined) return;
    try {
      await subscribeToLogs(socket, this.#options.programId, (result) => this.#readLog(result));
      socket.resetBackoff();
      this.#backoff.reset();
    } catch (error) {
      if (socket === this.#socket) this.#tryNext(loggedFailure(error));
    }
  }

  #tryNext(reason: string): void {
    if (this.#isStopped) return;
    this.#socket?.stop();
    this.#index = (this.#index + 1) % this.#sockets.length;
    this.#retry?.cancel();
    this.#retry = this.#options.timers.after(this.#backoff.next(), () => this.start());
    this.#options.log.info({ reason }, 'logs are read from the next node');
  }

  /** An unreadable notification names no user. */
  #readLog(result: unknown): void {
    try {
      const notification = parseLogsNotification(result);
      if (notification.failed) return;
      this.#batch.addTransaction(notification, this.#decoder.decode(notification.lines ?? []));
    } catch {}
  }
}
