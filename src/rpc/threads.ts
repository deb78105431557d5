/** Threads of this process: each runs a compiled file, and talks to its owner by messages. */

import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/** The callbacks of a thread's owner. */
export interface ThreadListener<From> {
  onMessage(message: From): void;
  /** Called when the thread has ended, with its uncaught error or another cause. */
  onEnd(cause: Error): void;
}

/** A running thread. */
export interface ThreadLink<To> {
  /**
   * Sends a message and transfers the buffers in `transfer`, which this thread cannot use
   * afterwards.
   */
  sendMessage(message: To, transfer?: readonly ArrayBuffer[]): void;
  /** Ends the thread immediately; `onEnd` is still called. */
  terminate(): Promise<void>;
}

/**
 * Starts a file as a thread. An uncaught error ends the thread, and is the cause that `onEnd` gets;
 * without one, the cause is made by `failed`.
 */
export function startFile<To, From>(
  file: URL,
  setup: unknown,
  listener: ThreadListener<From>,
  failed: (reason: string) => Error,
): ThreadLink<To> {
  const worker = new Worker(file, { workerData: setup, execArgv: [] });
  let cause: Error | null = null;
  worker.on('message', (message: From) => listener.onMessage(message));
  worker.on('messageerror', (error) => {
    cause ??= error;
    void worker.terminate();
  });
  worker.on('error', (error) => {
    cause ??= error;
  });
  worker.on('exit', (code) => listener.onEnd(cause ?? failed(`it ended with code ${code}`)));
  return {
    sendMessage: (message, transfer = []) => worker.postMessage(message, transfer),
    terminate: async () => void (await worker.terminate()),
  };
}

/**
 * Returns the compiled file of a thread, by its path in `src`. Node runs only compiled files, so
 * code that runs from its sources, as in tests, uses the file of the last build. Throws the error of
 * `failed` when there is none.
 */
export function compiledFile(name: string, failed: (reason: string) => Error): URL {
  const beside = new URL(`../${name}`, import.meta.url);
  if (existsSync(beside)) return beside;
  const built = new URL(`../../dist/src/${name}`, import.meta.url);
  if (existsSync(built)) return pathToFileURL(fileURLToPath(built));
  throw failed(`${name} is not compiled: run npm run build`);
}
