import { Worker } from 'node:worker_threads';
import { threadEnded } from './model/error.js';
import type { LogSetup } from './model/log-place.js';
import type { FromJournal, JournalSetup, ToJournal } from './model/messages.js';
import { workerFile } from './worker-file.js';

/** The callbacks of the thread's owner. */
export interface JournalListener {
  onMessage(message: FromJournal): void;
  /** The thread has ended, by itself or not: with what it did not catch or an error of ours. */
  onEnd(cause: Error): void;
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
export function startThread(
  setup: JournalSetup | LogSetup,
  listener: JournalListener,
): JournalLink {
  const worker = new Worker(workerFile('worker/worker.js'), { workerData: setup, execArgv: [] });
  let cause: Error | null = null;
  worker.on('message', (message: FromJournal) => listener.onMessage(message));
  worker.on('error', (error) => {
    cause ??= error;
  });
  worker.on('exit', (code) => listener.onEnd(cause ?? threadEnded(code)));
  return {
    sendMessage: (message) => worker.postMessage(message),
    sendTurns: (log) => worker.postMessage({ kind: 'turns', log }, [log.buffer]),
    terminate: () => void worker.terminate(),
  };
}
