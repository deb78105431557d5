import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { JournalError, threadEnded } from './model/error.js';
import type { ThreadKind } from './model/messages.js';

/** The callbacks of a thread's owner. */
export interface ThreadListener<From> {
  onMessage(message: From): void;
  /** Called when the thread has ended, with its uncaught error or another cause. */
  onEnd(cause: Error): void;
}

/** A running thread of the journal. */
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
 * Starts a compiled thread of the journal. An uncaught error ends the thread, and is the cause that
 * `onEnd` gets.
 */
export function startThread<Kind extends keyof ThreadKind>(
  kind: Kind,
  setup: ThreadKind[Kind]['setup'],
  listener: ThreadListener<ThreadKind[Kind]['from']>,
): ThreadLink<ThreadKind[Kind]['to']> {
  const worker = new Worker(fileOf(`${kind}/thread.js`), { workerData: setup, execArgv: [] });
  let cause: Error | null = null;
  worker.on('message', (message: ThreadKind[Kind]['from']) => listener.onMessage(message));
  worker.on('error', (error) => {
    cause ??= error;
  });
  worker.on('exit', (code) => listener.onEnd(cause ?? threadEnded(code)));
  return {
    sendMessage: (message, transfer = []) => worker.postMessage(message, transfer),
    terminate: async () => void (await worker.terminate()),
  };
}

/**
 * Returns the compiled file of a thread, by its path in this room. Node runs only compiled files,
 * so code that runs from its sources, as in tests, uses the file of the last build.
 */
function fileOf(name: string): URL {
  const beside = new URL(name, import.meta.url);
  if (existsSync(beside)) return beside;
  const built = new URL(`../../dist/src/journal/${name}`, import.meta.url);
  if (existsSync(built)) return pathToFileURL(fileURLToPath(built));
  throw new JournalError('JOURNAL_FAILED', 'the worker is not compiled: run npm run build');
}
