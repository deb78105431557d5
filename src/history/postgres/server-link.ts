import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from 'node:worker_threads';
import { compiledFile } from '../../rpc/threads.js';
import { POSTGRES_REPLY_MS_MAX } from '../model/limits.js';
import { StoreError } from '../store/error.js';
import type { ServerFailure, ServerReply, ServerRequest } from './thread-messages.js';

/**
 * A synchronous client of a server: the asynchronous packages run on a separate thread, so that
 * files and servers have the same synchronous interface, and writes never interleave.
 * `POSTGRES_REPLY_MS_MAX` limits the wait for a reply.
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
    const file = compiledFile(
      'history/postgres/server-thread.js',
      (reason) => new StoreError('internal', reason),
    );
    this.#thread = new Worker(file, { workerData, transferList: [port2], execArgv: [] });
    // The next request reports that the thread has ended.
    this.#thread.on('error', () => undefined);
    this.#thread.unref();
    port1.unref();
  }

  /** Sends a request and waits for the reply; a timeout is a failure. */
  ask(request: ServerRequest): ServerReply {
    this.send(request);
    return this.waitForReply();
  }

  /** Sends a request; call {@link ServerLink.waitForReply} before the next one. */
  send(request: ServerRequest): void {
    Atomics.store(this.#replied, 0, 0);
    this.#port.postMessage(request);
  }

  /** Waits for the reply to the last request. */
  waitForReply(): ServerReply {
    waitForFlag(this.#replied, POSTGRES_REPLY_MS_MAX);
    const reply = receiveMessageOnPort(this.#port)?.message as ServerReply | undefined;
    return reply ?? { failure: SILENCE };
  }

  /** Ends the thread, even if the server does not respond. */
  end(): void {
    void this.#thread.terminate();
    this.#port.close();
  }
}

const SILENCE: ServerFailure = {
  code: 'ETIMEDOUT',
  message: `no reply for ${POSTGRES_REPLY_MS_MAX} ms`,
};

/**
 * Waits until a flag is set. The wake-up for an earlier reply may end a wait early, so the flag is
 * checked again.
 */
export function waitForFlag(flag: Int32Array, msMax: number): void {
  const endMs = performance.now() + msMax;
  while (Atomics.load(flag, 0) === 0) {
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) return;
    Atomics.wait(flag, 0, 0, leftMs);
  }
}
