import { Worker } from 'node:worker_threads';
import { threadEnded } from './model/error.js';
import type { FromReplays, ReplaySetup, ToReplays } from './model/messages.js';
import { workerFile } from './worker-file.js';

/** Receives the events of the thread. */
export interface ReplayThreadListener {
  onMessage(message: FromReplays): void;
  onEnd(cause: Error): void;
}

/** The thread that replays past topics. */
export class ReplayThread {
  readonly #worker: Worker;

  constructor(setup: ReplaySetup, listener: ReplayThreadListener) {
    this.#worker = new Worker(workerFile('replays/thread.js'), { workerData: setup, execArgv: [] });
    let cause: Error | null = null;
    this.#worker.on('message', (message: FromReplays) => listener.onMessage(message));
    this.#worker.on('error', (error) => {
      cause ??= error;
    });
    this.#worker.on('exit', (code) => listener.onEnd(cause ?? threadEnded(code)));
  }

  sendMessage(message: ToReplays): void {
    this.#worker.postMessage(message);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
