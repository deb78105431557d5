import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { HistoryError } from './model/error.js';
import type { FromWorker, ToWorker, WorkerSetup } from './model/messages.js';

/** The callbacks of a worker's owner. */
export interface WorkerListener {
  onMessage(message: FromWorker): void;
  /** Called when the thread has ended, with its uncaught error or an error of the service. */
  onEnd(cause: Error): void;
}

/** A running worker thread. */
export interface WorkerLink {
  sendMessage(message: ToWorker): void;
  /** Ends the thread immediately; `onEnd` is still called. */
  terminate(): void;
}

/** Starts a worker; tests replace it. */
export type StartWorker = (setup: WorkerSetup, listener: WorkerListener) => WorkerLink;

/** Starts the compiled worker on a separate thread. */
export function startThread(setup: WorkerSetup, listener: WorkerListener): WorkerLink {
  return startFile(workerFile(), setup, listener);
}

/**
 * Starts a file as a worker. An uncaught error ends the worker, and is the cause that `onEnd` gets.
 */
export function startFile(file: URL, setup: WorkerSetup, listener: WorkerListener): WorkerLink {
  const worker = new Worker(file, { workerData: setup, execArgv: [] });
  let cause: Error | null = null;
  worker.on('message', (message: FromWorker) => listener.onMessage(message));
  worker.on('messageerror', (error) => {
    cause ??= error;
    void worker.terminate();
  });
  worker.on('error', (error) => {
    cause ??= error;
  });
  worker.on('exit', (code) =>
    listener.onEnd(cause ?? new HistoryError('INTERNAL', `it ended with code ${code}`)),
  );
  return {
    sendMessage: (message) => worker.postMessage(message),
    terminate: () => void worker.terminate(),
  };
}

/**
 * Returns the compiled file of the worker. Node runs only compiled files, so code that runs from
 * its sources, as in tests, uses the worker of the last build.
 */
function workerFile(): URL {
  const beside = new URL('./worker/worker.js', import.meta.url);
  if (existsSync(beside)) return beside;
  const built = new URL('../../dist/src/history/worker/worker.js', import.meta.url);
  if (existsSync(built)) return pathToFileURL(fileURLToPath(built));
  throw new HistoryError(
    'INTERNAL',
    'the worker of the history is not compiled: run npm run build',
  );
}
