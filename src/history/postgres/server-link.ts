import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from 'node:worker_threads';
import { POSTGRES_REPLY_MS_MAX } from '../model/limits.js';
import { StoreError } from '../store/error.js';
import type { ServerFailure, ServerReply, ServerRequest } from './thread-messages.js';

/**
 * Asks a server and waits: its packages are asynchronous and run on a thread of their own, so that the store has one
 * interface, and a write is still never in the middle of another one. Bound by `POSTGRES_REPLY_MS_MAX`.
 */
export class ServerLink {
  readonly #thread: Worker;
  readonly #port: MessagePort;
  readonly #replied: Int32Array;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    const replied = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    this.#replied = new Int32Array(replied);
    this.#port = port1;
    const workerData = { port: port2, replied };
    this.#thread = new Worker(threadFile(), { workerData, transferList: [port2], execArgv: [] });
    // Whoever asks next finds out that it has ended.
    this.#thread.on('error', () => undefined);
    this.#thread.unref();
    port1.unref();
  }

  /** Asks and waits for the reply; one that does not come in time is a failure. */
  ask(request: ServerRequest): ServerReply {
    this.send(request);
    return this.waitForReply();
  }

  /** Asks; {@link ServerLink.waitForReply} is to be called before anything else is asked. */
  send(request: ServerRequest): void {
    Atomics.store(this.#replied, 0, 0);
    this.#port.postMessage(request);
  }

  /** Waits for the reply to what was asked last. */
  waitForReply(): ServerReply {
    waitForFlag(this.#replied, POSTGRES_REPLY_MS_MAX);
    const reply = receiveMessageOnPort(this.#port)?.message as ServerReply | undefined;
    return reply ?? { failure: SILENCE };
  }

  /** Ends the thread, with a server that does not respond as well. */
  end(): void {
    void this.#thread.terminate();
    this.#port.close();
  }
}

const SILENCE: ServerFailure = {
  code: 'ETIMEDOUT',
  message: `no reply for ${POSTGRES_REPLY_MS_MAX} ms`,
};

/** Waits until a flag is set. What set it for the reply before may wake this wait as well: the flag is set before that. */
export function waitForFlag(flag: Int32Array, msMax: number): void {
  const endMs = performance.now() + msMax;
  while (Atomics.load(flag, 0) === 0) {
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) return;
    Atomics.wait(flag, 0, 0, leftMs);
  }
}

/** As the worker of the history: code that runs from its sources takes the file of the last build. */
function threadFile(): URL {
  const beside = new URL('./server-thread.js', import.meta.url);
  if (existsSync(beside)) return beside;
  const built = new URL('../../../dist/src/history/postgres/server-thread.js', import.meta.url);
  if (existsSync(built)) return pathToFileURL(fileURLToPath(built));
  throw new StoreError('internal', 'the thread for Postgres is not compiled: run npm run build');
}
