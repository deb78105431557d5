import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { JournalError } from './model/error.js';
import type { FromJournal, JournalSetup, ToJournal } from './model/messages.js';

/** The callbacks of the thread's owner. */
export interface JournalListener {
  onMessage(message: FromJournal): void;
  /** The thread has ended, by itself or not. */
  onEnd(reason: string): void;
}

/** A running thread of the journal. */
export interface JournalLink {
  sendMessage(message: ToJournal): void;
  /** Hands the bytes of turns over: they cannot be used here any more. */
  sendTurns(log: Uint8Array<ArrayBuffer>): void;
  /** Ends the thread wherever it is; `onEnd` is still called. */
  terminate(): void;
}

/** Starts the compiled thread of the journal. An error that it does not catch ends it, and is the reason. */
export function startThread(setup: JournalSetup, listener: JournalListener): JournalLink {
  const worker = new Worker(workerFile(), { workerData: setup, execArgv: [] });
  let reason: string | null = null;
  worker.on('message', (message: FromJournal) => listener.onMessage(message));
  worker.on('error', (error) => {
    reason ??= error.message;
  });
  worker.on('exit', (code) => listener.onEnd(reason ?? `it ended with code ${code}`));
  return {
    sendMessage: (message) => worker.postMessage(message),
    sendTurns: (log) => worker.postMessage({ kind: 'turns', log }, [log.buffer]),
    terminate: () => void worker.terminate(),
  };
}

/**
 * Node runs compiled files only, so code that runs from its sources, as tests do, takes the worker of
 * the last build.
 */
function workerFile(): URL {
  const beside = new URL('./worker/worker.js', import.meta.url);
  if (existsSync(beside)) return beside;
  const built = new URL('../../dist/src/journal/worker/worker.js', import.meta.url);
  if (existsSync(built)) return pathToFileURL(fileURLToPath(built));
  throw new JournalError('JOURNAL_FAILED', 'the worker is not compiled: run npm run build');
}
