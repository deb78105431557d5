import { Worker } from 'node:worker_threads';
import { threadEnded } from './model/error.js';
import type { LogSetup } from './model/log-place.js';
import type { FromJournal, JournalSetup, ToJournal } from './model/messages.js';
import { workerFile } from './worker-file.js';

/** The callbacks of the thread's owner. */
export interface JournalListener {
  onMessage(message: FromJournal): void;
  /** The thread has ended, with an uncaught error or one of the service. */
  onEnd(cause: Error): void;
}

/** A running thread of the journal. */
export interface JournalLink {
  sendMessage(message: ToJournal): void;
  /** Transfers the bytes of turns, which become unusable here. */
  sendTurns(log: Uint8Array<ArrayBuffer>): void;
  /** Ends the thread at any point; `onEnd` is still called. */
  terminate(): void;
}

/** Starts the compiled thread of the journal. An uncaught error ends it, and becomes the reason. */
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
