import { compiledFile, startFile, type ThreadLink, type ThreadListener } from '../rpc/threads.js';
import { HistoryError } from './model/error.js';
import type { FromWorker, ToWorker, WorkerSetup } from './model/messages.js';

/** The callbacks of a worker's owner. */
export type WorkerListener = ThreadListener<FromWorker>;

/** A running worker thread. */
export type WorkerLink = ThreadLink<ToWorker>;

/** Starts a worker; tests replace it. */
export type StartWorker = (setup: WorkerSetup, listener: WorkerListener) => WorkerLink;

/** Starts the compiled worker on a separate thread. */
export function startThread(setup: WorkerSetup, listener: WorkerListener): WorkerLink {
  const file = compiledFile('history/worker/worker.js', workerFailed);
  return startFile(file, setup, listener, workerFailed);
}

function workerFailed(reason: string): HistoryError {
  return new HistoryError('INTERNAL', reason);
}
